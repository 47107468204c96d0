#include "support/failing_new.hpp"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace farfield::testing {
namespace {

std::atomic<std::int64_t> until_failure{0};  // 0: none is to fail
std::atomic<bool> all_that_follow{false}, failed{false};
std::atomic<std::int64_t> live{0};

bool fails() {
  std::int64_t left = until_failure.load();
  while (left > 1 && !until_failure.compare_exchange_weak(left, left - 1)) {
  }
  if (left == 1 && (all_that_follow || until_failure.compare_exchange_strong(left, 0))) {
    failed = true;
    return true;
  }
  return false;
}

void* allocate(std::size_t size, std::size_t alignment) noexcept {
  if (fails()) return nullptr;
  const std::size_t rounded = (size + alignment) / alignment * alignment;  // never 0
  void* memory = alignment > alignof(std::max_align_t) ? std::aligned_alloc(alignment, rounded) : std::malloc(rounded);
  live += memory != nullptr;
  return memory;
}

void* allocate_or_throw(std::size_t size, std::size_t alignment) {
  if (void* memory = allocate(size, alignment)) return memory;
  throw std::bad_alloc();
}

void give_back(void* memory) noexcept {
  live -= memory != nullptr;
  std::free(memory);
}

}  // namespace

void fail_allocation(std::int64_t k, Shortage shortage) {
  failed = false;
  all_that_follow = shortage == Shortage::from_then;
  until_failure = k;
}

bool allow_allocations() {
  until_failure = 0;
  return failed;
}

std::int64_t live_allocations() { return live; }

}  // namespace farfield::testing

using farfield::testing::allocate;
using farfield::testing::allocate_or_throw;
using farfield::testing::give_back;

// All forms: those that the standard library leaves to others may be the sanitizer's own.
void* operator new(std::size_t size) { return allocate_or_throw(size, alignof(std::max_align_t)); }
void* operator new(std::size_t size, std::align_val_t a) { return allocate_or_throw(size, std::size_t(a)); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return allocate(size, alignof(std::max_align_t));
}
void* operator new(std::size_t size, std::align_val_t a, const std::nothrow_t&) noexcept {
  return allocate(size, std::size_t(a));
}
void* operator new[](std::size_t size) { return allocate_or_throw(size, alignof(std::max_align_t)); }
void* operator new[](std::size_t size, std::align_val_t a) { return allocate_or_throw(size, std::size_t(a)); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return allocate(size, alignof(std::max_align_t));
}
void* operator new[](std::size_t size, std::align_val_t a, const std::nothrow_t&) noexcept {
  return allocate(size, std::size_t(a));
}
void operator delete(void* p) noexcept { give_back(p); }
void operator delete(void* p, std::size_t) noexcept { give_back(p); }
void operator delete(void* p, std::align_val_t) noexcept { give_back(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { give_back(p); }
void operator delete(void* p, const std::nothrow_t&) noexcept { give_back(p); }
void operator delete(void* p, std::align_val_t, const std::nothrow_t&) noexcept { give_back(p); }
void operator delete[](void* p) noexcept { give_back(p); }
void operator delete[](void* p, std::size_t) noexcept { give_back(p); }
void operator delete[](void* p, std::align_val_t) noexcept { give_back(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { give_back(p); }
void operator delete[](void* p, const std::nothrow_t&) noexcept { give_back(p); }
void operator delete[](void* p, std::align_val_t, const std::nothrow_t&) noexcept { give_back(p); }
