// Multipoles: those of a rank's own tree, of the top and of the essential tree, and how they get from one to the other.
#pragma once
#include "backends/cuda/work.hpp"
#include "distributed/cuda/boxes/box_rows.hpp"

namespace farfield::distributed {

template <class Real>
class Multipoles {
 public:
  Multipoles(const DeviceShare& share, BoxRows& rows, Transport& transport)
      : share_(share), rows_(rows), transport_(transport) {}

  /// Those of ghosts, and of the children of shared boxes.
  void fetch(const farfield::cuda::Work<Real>& own, const farfield::cuda::Work<Real>& top,
             const farfield::cuda::Work<Real>& essential, cudaStream_t stream);
  /// Copies those of one vector that the rank made itself to the essential tree, whose work for that vector is `one`,
  /// and writes all operands of m2l there.
  void join(const farfield::cuda::Work<Real>& own, const farfield::cuda::Work<Real>& top,
            const farfield::cuda::Work<Real>& one, int vector, cudaStream_t stream);
  /// Locals of boxes without targets: m2l on tensor cores overwrites those of the others alone.
  void clear_locals(const farfield::cuda::Work<Real>& one, cudaStream_t stream) const;

 private:
  const DeviceShare& share_;
  BoxRows& rows_;
  Transport& transport_;
};

}  // namespace farfield::distributed
