// Scatter: results in the caller's units and order, which travel to the ranks that passed their points unless these are
// wanted where they are owned.
#pragma once
#include "backends/cuda/runtime/streams.hpp"
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
    farfield::cuda::Scatter::CallerArrays caller;  ///< of this vector
  };
  /// What travels together: records of potential and gradient, or those of Hessians.
  struct Kind {
    const unsigned char* arrived;  ///< of one set
    std::int64_t row_bytes;
    int parts;  ///< that are summed
    Scalar scalar;
    bool hessians;
    farfield::cuda::Scatter::CallerArrays to;  ///< on the device
  };
  void send_back(DevicePlaced& placed, const std::vector<Passed>& sets, const Outputs& outputs, int parts,
                 cudaStream_t stream);
  void send_to(DevicePlaced& placed, const Passed& set, Kind kind, const Outputs& outputs, cudaStream_t stream);
  void send_rows(DevicePlaced& placed, const DeviceRoute& route, const Kind& kind, cudaStream_t stream);
  void put(const Kind& kind, const unsigned char* row, const DeviceRoute& route, std::int64_t first, std::int64_t count,
           cudaStream_t stream);
  const std::uint32_t* owned_order(const DevicePlaced& placed, cudaStream_t stream);

  farfield::cuda::DeviceMemory& memory_;
  farfield::cuda::Scatter scatter_;
  farfield::cuda::SideStream beside_;
  OnDevice<unsigned char> records_, hessians_;  ///< as the points arrived
  OnDevice<unsigned char> rows_, caller_;
  OnDevice<std::uint32_t> order_;
};

}  // namespace farfield::distributed
