// Translation tables depend on degree, scheme and precision only: a second plan of the same degree finds them here.
#pragma once
#include <farfield/options.hpp>
#include <memory>

#include "backends/cpu/far/tables.hpp"
#include "backends/shared_cache.hpp"

namespace farfield::cpu {

/// What translation tables depend on, beside their type.
struct TableKey {
  Kernel kernel;
  int degree;
  bool rotation, reduced;
  bool translates = true;  ///< with those of m2l
  TableScale scale{};      ///< of a kernel with a length
  bool operator==(const TableKey&) const = default;
};

/// The tables of `key`, made on `threads` threads where neither a plan nor the cache holds them.
template <class Real>
std::shared_ptr<const Tables<Real>> shared_tables(const TableKey& key, int threads);

}  // namespace farfield::cpu
