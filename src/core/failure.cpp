#include "core/failure.hpp"

namespace farfield {

Failure::Failure() = default;
Failure::~Failure() = default;

void Failure::keep() noexcept {
  const std::lock_guard lock(one_at_a_time_);
  if (!first_) first_ = std::current_exception();
  any_ = true;
}

void Failure::rethrow() const {
  if (first_) std::rethrow_exception(first_);
}

}  // namespace farfield
