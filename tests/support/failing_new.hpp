// Memory that runs out when a test says so: a program that links failing_new.cpp has its operator new replaced.
#pragma once
#include <cstdint>

namespace farfield::testing {

enum class Shortage {
  once,       ///< one allocation fails, the next ones succeed
  from_then,  ///< that one and all that follow fail
};

/// The k-th allocation from now on (1: the next), of whatever thread, throws std::bad_alloc or returns null.
void fail_allocation(std::int64_t k, Shortage shortage);
/// No allocation fails any more. Returns whether one has.
bool allow_allocations();
/// Allocations by operator new that have not been given back.
std::int64_t live_allocations();

}  // namespace farfield::testing
