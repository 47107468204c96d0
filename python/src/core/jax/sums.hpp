// Sums of arrays as XLA has them: contiguous, with the axes of vmap before their own. Knows neither XLA nor Python.
#pragma once
#include <cstddef>
#include <cstdint>
#include <farfield/farfield.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plans.hpp"

namespace farfield::python {

/// An array whose last `own` axes are its own, and those before are of vmap, each of length 1 or of that of the
/// results.
class Operand {
 public:
  Operand(std::byte* data, std::span<const std::int64_t> shape, int own, Scalar scalar);

  std::span<const std::int64_t> lead() const { return shape_.first(shape_.size() - own_); }
  std::int64_t own(std::size_t axis) const { return shape_[shape_.size() - own_ + axis]; }
  Scalar scalar() const { return scalar_; }
  /// How many there are along the axes of vmap.
  std::int64_t copies() const;
  /// The `place`-th of those of `whole`, counted with the last axis fastest.
  std::byte* at(std::int64_t place, std::span<const std::int64_t> whole) const;
  std::size_t bytes() const;  ///< of one of them

 private:
  std::byte* data_;
  std::span<const std::int64_t> shape_;
  std::size_t own_;
  Scalar scalar_;
};

struct Request {
  Options options;
  std::string options_text;
  Operand sources;                   // (N, d)
  std::optional<Operand> targets;    // (M, d)
  std::optional<Operand> strengths;  // (vectors, N)
  std::optional<Operand> dipoles;    // (vectors, N, 3)
  std::vector<Operand> results;      // (vectors, M), and of gradient and Hessian (vectors, M, 3), (vectors, M, 6)
  MemorySpace space = MemorySpace::host;
  void* stream = nullptr;
};

/// Fills the results. Strengths that vmap maps over become densities of one plan, points a plan for each.
void sum(const Request& request, Plans& plans);

}  // namespace farfield::python
