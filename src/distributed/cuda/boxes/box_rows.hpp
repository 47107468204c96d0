// BoxRows: numbers of boxes, such as multipoles, that go from the ranks that own the boxes to those that need them: to
// the essential trees of some, and to the top of all.
#pragma once
#include "backends/cuda/runtime/array.hpp"
#include "distributed/cuda/share.hpp"
#include "distributed/cuda/transport.hpp"

namespace farfield::distributed {

/// `width` numbers of every box, `stride` apart, of a rank's own tree, of the top and of the essential tree; of several
/// vectors, a pitch apart.
template <class T>
struct BoxRowsOf {
  const T* own;
  T *top, *essential;
  int width, stride;
  int vectors = 1;
  std::int64_t own_pitch = 0, top_pitch = 0, essential_pitch = 0;
};

class BoxRows {
 public:
  explicit BoxRows(farfield::cuda::DeviceMemory& memory);
  /// Which boxes of a share go where.
  void build(const DeviceShare& share, int own_rank, cudaStream_t stream);

  /// Fetches the numbers of ghosts and of the children of shared boxes, those that this rank makes included. All ranks
  /// call it.
  template <class T>
  void fetch(Transport& transport, const BoxRowsOf<T>& of, cudaStream_t stream);

  /// In device memory: boxes of the own tree whose rows this rank sends, and boxes whose rows it gets, of the essential
  /// tree, or ~box of the top.
  const OnDevice<BoxId>& sent() const { return send_; }
  const OnDevice<BoxId>& received() const { return receive_; }
  /// One row for each of these.
  void exchange(Transport& transport, const void* out, void* in, std::int64_t row_bytes, cudaStream_t stream) const {
    transport.exchange(out, sent_, in, received_, row_bytes, stream);
  }

 private:
  Begins sent_, received_;
  OnDevice<BoxId> send_, receive_;
  OnDevice<BoxId> made_, top_;  ///< boxes whose numbers the top has from this rank: in the own tree, in the top
  OnDevice<unsigned char> out_, in_;
};

}  // namespace farfield::distributed
