#include "plan/composed/excluded_pairs.hpp"

#include <algorithm>
#include <cmath>

#include "core/chunks.hpp"

namespace farfield {

namespace {

constexpr std::int64_t grain = 2048;  // particles of a chunk

/// Of a displacement its shortest image.
class Images {
 public:
  explicit Images(const UnitCell* cell) : cell_(cell) {
    if (cell) near2_ = 0.25 * dot(cell->vector(0), cell->vector(0));
  }
  /// From particle j to i. From the higher to the lower of the two it is minus that from the lower: of two images that
  /// are equally long both see the same, or their forces would not be opposite.
  Vector3 between(const double* x, std::int64_t i, std::int64_t j) const {
    const double *low = x + 3 * std::min(i, j), *high = x + 3 * std::max(i, j);
    Vector3 d{low[0] - high[0], low[1] - high[1], low[2] - high[2]};
    // Within half of the lattice's shortest vector no image is shorter.
    if (cell_ && dot(d, d) > near2_) d = cell_->minimum_image(d);
    return i < j ? d : scaled(d, -1);
  }

 private:
  const UnitCell* cell_;
  double near2_ = 0;
};

/// Of one particle: u loses less q_j / r, the force q_i less q_j d / r^3. Its half of each pair's virial is added.
void take_off_one(const Exclusions& pairs, const Images& images, const double* x, const double* q, std::int64_t i,
                  CoulombSums& sums, std::array<double, 6>& virial) {
  const auto at = static_cast<std::size_t>(i);
  double potential = 0;
  Vector3 force{};
  for (auto k = static_cast<std::size_t>(pairs.starts()[at]); k < static_cast<std::size_t>(pairs.starts()[at + 1]);
       ++k) {
    const std::int64_t j = pairs.others()[k];
    const Vector3 d = images.between(x, i, j);
    const double r2 = dot(d, d);
    if (r2 == 0) continue;  // particles at the same place have nothing in the sum either
    const double shared = (1 - pairs.kept()[k]) * q[j] / std::sqrt(r2), pull = q[i] * shared / r2;
    potential += shared;
    force = sum(force, d, pull);
    const double half = 0.5 * pull;
    virial[0] += half * d[0] * d[0], virial[1] += half * d[1] * d[1], virial[2] += half * d[2] * d[2];
    virial[3] += half * d[0] * d[1], virial[4] += half * d[0] * d[2], virial[5] += half * d[1] * d[2];
  }
  sums.potential[at] -= potential;
  for (std::size_t a = 0; a < 3; ++a) sums.forces[3 * at + a] -= force[a];
}

}  // namespace

void take_off(const Exclusions& pairs, const UnitCell* cell, std::span<const double> positions,
              std::span<const double> charges, int threads, CoulombSums& sums) {
  const Images images(cell);
  const std::int64_t count = pairs.particle_count();
  std::vector<std::array<double, 6>> virials(static_cast<std::size_t>(chunk_count(count, grain)));
  for_chunks(count, grain, threads, [&](std::int64_t begin, std::int64_t end, std::int64_t chunk) {
    for (std::int64_t i = begin; i < end; ++i)
      take_off_one(pairs, images, positions.data(), charges.data(), i, sums, virials[static_cast<std::size_t>(chunk)]);
  });
  for (const std::array<double, 6>& part : virials)
    for (std::size_t s = 0; s < 6; ++s) sums.virial[s] -= part[s];
}

}  // namespace farfield
