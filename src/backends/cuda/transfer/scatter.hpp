// Scatter: results from tree order into the caller's order.
#pragma once
#include <cstdint>

#include "backends/cuda/runtime/array.hpp"
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

  /// Results as records that travel, in device memory: of potential and gradient together, and of Hessians.
  template <class Pointer>
  struct Records {
    Pointer *numbers, *hessians;
  };
  /// How many numbers a record has, beside those of Hessians.
  static int numbers_of_record(int parts);
  /// The same in records, each in its place.
  template <class Real>
  void place(const SortedResults<Real>& results, const std::uint32_t* order, std::int64_t count, Scalar scalar,
             const Records<void>& records, cudaStream_t stream, const VectorResult& made);
  /// Arrays in device memory; null: not wanted.
  struct CallerArrays {
    void *potential, *gradient, *hessian;
  };
  /// Numbers of records to arrays, those of record i to place[i]; `place` null: to i. Of null records none.
  void put(const Records<const void>& records, int parts, Scalar scalar, const std::uint32_t* place, std::int64_t count,
           const CallerArrays& arrays, cudaStream_t stream);

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

}  // namespace farfield::cuda
