#include "plan/composed/excluded_pairs.hpp"

#include "backends/excluded_pairs.hpp"
#include "core/chunks.hpp"

namespace farfield {

static constexpr std::int64_t grain = 2048;  // particles of a chunk

void take_off(const Exclusions& pairs, const UnitCell* cell, std::span<const double> positions,
              std::span<const double> charges, int threads, const FromSums& sums) {
  const PairImages images(cell ? cell->view() : CellView{});
  const ExcludedRows<std::int64_t> rows{pairs.starts().data(), pairs.others().data(), pairs.kept().data()};
  const std::int64_t count = pairs.particle_count();
  std::vector<std::array<double, 6>> virials(static_cast<std::size_t>(chunk_count(count, grain)));
  for_chunks(count, grain, threads, [&](std::int64_t begin, std::int64_t end, std::int64_t chunk) {
    double* const virial = virials[static_cast<std::size_t>(chunk)].data();
    for (std::int64_t i = begin; i < end; ++i) {
      const ExcludedSum less = excluded_sum(rows, images, positions.data(), charges.data(), i, virial);
      sums.potential[i] -= less.potential;
      for (int a = 0; a < 3; ++a) sums.forces[3 * i + a] -= less.force[a];
    }
  });
  for (const std::array<double, 6>& part : virials)
    for (std::size_t s = 0; s < 6; ++s) sums.virial[s] -= part[s];
}

}  // namespace farfield
