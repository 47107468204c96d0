#include "expansions/periodic/blocks/tables.hpp"

#include <algorithm>

#include "expansions/laplace_basis.hpp"
#include "expansions/periodic/convolution_sums.hpp"

namespace farfield {

using convolution::orders;

static int groups_of(int blocks) { return (blocks + block_lanes - 1) / block_lanes; }
/// Numbers of a group.
static std::int64_t size_of(int degree) { return std::int64_t{2 * block_lanes} * orders(degree); }

BlockTables::BlockTables(const SolidConvolution& convolution, int blocks)
    : convolution_(&convolution),
      blocks_(blocks),
      groups_(groups_of(blocks)),
      table_size_(size_of(2 * convolution.degree())) {
  tables_.resize(std::int64_t{blocks} * groups_ * table_size_);
  std::fill(tables_.begin(), tables_.end(), 0.0);
}

std::int64_t BlockTables::bytes(int blocks, int degree) {
  return std::int64_t{8} * blocks * groups_of(blocks) * size_of(2 * degree);
}

void BlockTables::set(int from, int to, const double* sums) {
  double* const lane = &tables_[table(from / block_lanes, to) + from % block_lanes];
  for (int n = 0; n <= 2 * convolution_->degree(); ++n)
    for (int m = 0; m <= n; ++m) {
      const SolidConvolution::Number value = convolution_->table_number(sums, n, m);
      double* const number = lane + 2 * block_lanes * (orders(n - 1) + m);
      number[0] = value.real(), number[block_lanes] = value.imag();
    }
}

Array<double> BlockTables::side_by_side(const std::vector<double>& multipoles) const {
  const int degree = convolution_->degree();
  const std::int64_t size = size_of(degree);
  Array<double> all;
  all.resize(groups_ * size);
  std::fill(all.begin(), all.end(), 0.0);
  for (int block = 0; block < blocks_; ++block) {
    const auto scaled = convolution_->scaled(&multipoles[static_cast<std::size_t>(block * laplace::count(degree))]);
    double* const lane = &all[block / block_lanes * size + block % block_lanes];
    for (int n = 0; n <= degree; ++n)
      for (int m = 0; m <= n; ++m) {
        const SolidConvolution::Number value = (n & 1 ? -1.0 : 1.0) * scaled[laplace::index(n, m)];
        double* const number = lane + 2 * block_lanes * (orders(n - 1) + m);
        number[0] = value.real(), number[block_lanes] = value.imag();
      }
  }
  return all;
}

void BlockTables::translate(BlockM2lStage m2l, const std::vector<double>& multipoles, std::vector<double>& locals,
                            int threads) const {
  const int degree = convolution_->degree();
  const Array<double> from = side_by_side(multipoles);
  const auto size = static_cast<std::size_t>(2 * orders(degree));
  std::vector<double> sums(size * static_cast<std::size_t>(blocks_));
#pragma omp parallel for schedule(dynamic) num_threads(threads)
  for (int to = 0; to < blocks_; ++to) {
    double* const sum = &sums[size * static_cast<std::size_t>(to)];
    m2l({degree, groups_, from.data(), &tables_[table(0, to)], sum});
    convolution_->add_local(sum, &locals[static_cast<std::size_t>(to * laplace::count(degree))]);
  }
}

}  // namespace farfield
