// Scatter: results from tree order into the caller's order. Merge: those that several ranks have summed.
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "backends/cuda/runtime/array.hpp"
#include "backends/cuda/runtime/part.hpp"
#include "backends/evaluator.hpp"
#include "core/results.hpp"
#include "kernels/vector_result.hpp"

namespace farfield::cuda {

class Scatter {
 public:
  explicit Scatter(DeviceMemory& memory)
      : copy_(memory), grouped_(memory), placed_(memory), place_(memory), cursor_(memory) {}
  /// To device memory: asynchronous. To host memory: through a copy on the device, and waits for the stream. `order`
  /// holds every index below `count` once; null: results lie in the caller's order. `made`: what the caller gets of the
  /// gradient.
  template <class Real>
  void operator()(const SortedResults<Real>& results, std::int64_t vector, const std::uint32_t* order,
                  std::int64_t count, const Delivery& delivery, cudaStream_t stream, const VectorResult& made = {});

  /// How many numbers a record of potential and gradient has.
  static int numbers_of_record(int parts);
  /// Places from `first` to before `end`.
  struct Range {
    std::int64_t first, end;
  };
  /// Records of all results that travel.
  struct Placing {
    void* records;  ///< in device memory
    Scalar scalar;
    bool hessians;                            ///< Hessians, or potential and gradient together
    std::vector<Range> later;                 ///< places for which nobody waits
    std::function<void()> others_are_placed;  ///< called once, when the launches that fill all other places are made
  };
  /// The same in records, each in its place, those that others wait for first. An order of null is that of the places.
  template <class Real>
  void place(const SortedResults<Real>& results, const std::uint32_t* order, std::int64_t count, const Placing& placing,
             cudaStream_t stream, const VectorResult& made);

  /// Gives back what it keeps from one call to the next.
  void release();
  /// Upper bound of the bytes that it keeps for `count` results of `parts` numbers of `size` bytes, without the copy
  /// for host memory.
  static std::int64_t bytes(std::int64_t count, std::int64_t parts, std::int64_t size);
  /// The same beside records that are placed.
  static std::int64_t bytes_of_groups(std::int64_t count, std::int64_t parts, std::int64_t size);

 private:
  DeviceArray<unsigned char> copy_, grouped_, placed_;
  DeviceArray<std::uint32_t> place_, cursor_;
};

/// Records of several owners, of which each has its own in the caller's order, into the caller's arrays. Every sector
/// of these is written once: written owner by owner, with gaps, 2^26 records of two owners took 1.47 ms.
class Merge {
 public:
  explicit Merge(DeviceMemory& memory) : runs_(memory), begins_(memory), whole_(memory) {}
  /// Records in device memory whose places, ascending, are places[first] to places[first + count - 1].
  struct Run {
    const void* records;
    std::int64_t first, count;
    bool in_parts = false;  ///< do they come one part after the other?
  };
  /// `places` holds every index below `count` once, a run's behind the other's; null: there is one run, in the caller's
  /// order. Both are looked at until the last launch is done. Runs come in so many parts, or in one.
  void prepare(std::vector<Run> runs, const std::uint32_t* places, std::int64_t count, int parts, cudaStream_t stream);
  /// Arrays in device memory; null: not wanted.
  struct CallerArrays {
    void *potential, *gradient, *hessian;
  };
  /// Which `parts` are summed; records are those of Hessians, or of potential and gradient.
  struct Numbers {
    int parts;
    Scalar scalar;
    bool hessians;
  };
  /// What can be put with this part that could not with the one before.
  void operator()(const Numbers& numbers, const CallerArrays& arrays, const Part& part, cudaStream_t stream) const;
  void release() { runs_.release(), begins_.release(), whole_.release(); }

 private:
  DeviceArray<Run> runs_;
  DeviceArray<std::uint32_t> begins_, whole_;  ///< [runs][tiles + 1], [parts]
  const std::uint32_t* places_ = nullptr;
  std::int64_t count_ = 0;
};

}  // namespace farfield::cuda
