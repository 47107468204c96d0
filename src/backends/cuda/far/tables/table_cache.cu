#include "backends/cuda/far/tables/table_cache.hpp"

namespace farfield::cuda {
namespace {

struct TableKey {
  int device;
  Kernel kernel;
  int degree;
  M2lScheme m2l;
  bool operator==(const TableKey&) const = default;
};

}  // namespace

template <class Real>
std::shared_ptr<const Tables<Real>> shared_tables(Kernel kernel, int degree, const M2lScheme& m2l, cudaStream_t stream,
                                                  int threads) {
  static SharedCache<TableKey, Tables<Real>> cache(most_kept_table_bytes());
  return cache.get({current_device(), kernel, degree, m2l}, [&] {
    auto tables = std::make_shared<Tables<Real>>();
    tables->build(kernel, degree, m2l, stream, threads);
    return tables;
  });
}

template std::shared_ptr<const Tables<float>> shared_tables<float>(Kernel, int, const M2lScheme&, cudaStream_t, int);
template std::shared_ptr<const Tables<double>> shared_tables<double>(Kernel, int, const M2lScheme&, cudaStream_t, int);

}  // namespace farfield::cuda
