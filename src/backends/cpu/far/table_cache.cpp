#include "backends/cpu/far/table_cache.hpp"

#include "backends/cpu/tuning.hpp"

namespace farfield::cpu {

template <class Real>
static std::shared_ptr<const Tables<Real>> make_tables(const TableKey& key, int threads) {
  auto tables = std::make_shared<Tables<Real>>();
  tables->build(key.kernel, key.degree, key.rotation, key.reduced, threads, key.translates, key.scale);
  return tables;
}

template <class Real>
std::shared_ptr<const Tables<Real>> shared_tables(const TableKey& key, int threads) {
  static SharedCache<TableKey, Tables<Real>> cache(tuning::most_kept_bytes<Real>);
  return cache.get(key, [&] { return make_tables<Real>(key, threads); });
}

template std::shared_ptr<const Tables<float>> shared_tables<float>(const TableKey&, int);
template std::shared_ptr<const Tables<double>> shared_tables<double>(const TableKey&, int);

}  // namespace farfield::cpu
