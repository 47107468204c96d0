// Scatter: results in the caller's units and order, which travel to the ranks that passed their points unless these are
// wanted where they are owned.
#pragma once
#include "backends/cuda/runtime/streams.hpp"
#include "backends/cuda/transfer/scatter.hpp"
#include "backends/sequence.hpp"
#include "distributed/cuda/placed.hpp"

namespace farfield::distributed {

class Beside;

class ResultsOverRanks {
 public:
  explicit ResultsOverRanks(farfield::cuda::DeviceMemory& memory);

  /// Launches what may run while rows travel.
  using Meanwhile = std::function<void()>;
  /// `results`: at this rank's own targets.
  template <class Real>
  void deliver(DevicePlaced& placed, const SortedResults<Real>& results, std::int64_t vector, const Delivery& delivery,
               const VectorResult& made, const Meanwhile& meanwhile, cudaStream_t stream);
  /// Gives back what it keeps from one call to the next.
  void release();

  /// One kind of points, whose rows begin at `first` of those that arrived, to those who passed them.
  struct Passed {
    const DeviceRoute& route;
    std::int64_t first;
    farfield::cuda::Merge::CallerArrays caller, to{};  ///< of this vector; `to`: on the device
    std::int64_t first_row = 0;                        ///< of those that others summed
  };

 private:
  /// What travels together: records of potential and gradient, or those of Hessians.
  struct Kind {
    std::int64_t row_bytes;
    int parts;  ///< that are summed
    Scalar scalar;
    bool hessians;
    bool on_host;  ///< the caller's arrays
  };
  template <class Real>
  void send_back(DevicePlaced& placed, const SortedResults<Real>& results, std::vector<Passed>& sets, const Kind& kind,
                 const VectorResult& made, const Meanwhile& meanwhile, cudaStream_t stream);
  void send_rows(DevicePlaced& placed, const Passed& set, const Kind& kind, const Beside& beside, cudaStream_t stream);
  void make_copies(std::vector<Passed>& sets, const Kind& kind);
  void download_copies(cudaStream_t stream);
  const std::uint32_t* owned_order(const DevicePlaced& placed, cudaStream_t stream);

  farfield::cuda::DeviceMemory& memory_;
  farfield::cuda::Scatter scatter_;
  farfield::cuda::Merge merge_;
  OnDevice<unsigned char> records_;  ///< as the points arrived
  OnDevice<unsigned char> rows_, caller_;
  OnDevice<std::uint32_t> order_;
  struct Copy {
    unsigned char *caller, *device;
    std::int64_t bytes;
  };
  std::vector<Copy> copies_;  ///< of results, for a caller in host memory
};

}  // namespace farfield::distributed
