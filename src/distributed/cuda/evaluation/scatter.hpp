// Scatter: results in the caller's units and order, which travel to the ranks that passed their points unless these are
// wanted where they are owned.
#pragma once
#include "backends/cuda/transfer/scatter.hpp"
#include "backends/sequence.hpp"
#include "distributed/cuda/placed.hpp"

namespace farfield::distributed {

class ResultsOverRanks {
 public:
  explicit ResultsOverRanks(farfield::cuda::DeviceMemory& memory);

  /// `results`: at this rank's own targets.
  template <class Real>
  void deliver(DevicePlaced& placed, const SortedResults<Real>& results, std::int64_t vector, const Delivery& delivery,
               const VectorResult& made, cudaStream_t stream);
  /// Gives back what it keeps from one call to the next.
  void release();

 private:
  template <class Real>
  void as_they_arrived(DevicePlaced& placed, const SortedResults<Real>& results, Scalar scalar,
                       const VectorResult& made, cudaStream_t stream);
  /// One kind of points, whose rows begin at `first` of those that arrived, to those who passed them.
  struct Passed {
    const DeviceRoute& route;
    std::int64_t first;
    void *potential, *gradient, *hessian;  ///< of the caller, null: not wanted here
    std::int64_t pitch;                    ///< of the caller's points from one vector to the next
  };
  void send_back(DevicePlaced& placed, const std::vector<Passed>& sets, std::int64_t vector, const Outputs& outputs,
                 int parts, cudaStream_t stream);
  struct Rows {
    const unsigned char* arrived;
    std::int64_t numbers;   ///< of a row
    unsigned char* caller;  ///< of this vector, null: not wanted
  };
  void send_rows(DevicePlaced& placed, const DeviceRoute& route, const Rows& rows, const Outputs& outputs,
                 cudaStream_t stream);
  const std::uint32_t* owned_order(const DevicePlaced& placed, cudaStream_t stream);

  farfield::cuda::DeviceMemory& memory_;
  farfield::cuda::Scatter scatter_;
  OnDevice<unsigned char> potential_, gradient_, hessian_;  ///< as the points arrived
  OnDevice<unsigned char> rows_, caller_;
  OnDevice<std::uint32_t> order_;
};

}  // namespace farfield::distributed
