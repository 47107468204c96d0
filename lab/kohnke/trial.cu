// Data of a trial: operators from eq. 8, multipole moments of a few charges per box from eqs. 7 and 9, the presorted
// lists of section 3.3.4, and the plain double sum that all variants are checked against.
#include <cstdlib>
#include <random>

#include "trial.hpp"

namespace farfield::lab {
namespace {

float2 rounded(std::complex<double> x) { return {static_cast<float>(x.real()), static_cast<float>(x.imag())}; }
std::complex<double> widened(float2 x) { return {x.x, x.y}; }

void append(std::vector<float2>& to, const Moments& moments) {
  for (const auto& x : moments) to.push_back(rounded(x));
}

Moments slice(const std::vector<float2>& from, int index, int size) {
  Moments out;
  for (int i = 0; i < size; ++i) out.push_back(widened(from[static_cast<std::size_t>(index) * size + i]));
  return out;
}

template <class T>
void store(cuda::DeviceArray<T>& to, const std::vector<T>& from) {
  cuda::upload(to, from.data(), static_cast<std::int64_t>(from.size()), nullptr);
}

Offset mirrored(Offset o, int flip) { return {flip & 1 ? -o.x : o.x, flip & 2 ? -o.y : o.y, flip & 4 ? -o.z : o.z}; }

/// Offsets source minus target along one axis, for a source that is child `bit` of its parent: -3 ... 2 or -2 ... 3.
bool within(int offset, int bit) { return bit ? offset >= -2 && offset <= 3 : offset >= -3 && offset <= 2; }

/// log2 of the size of an offset's group, seen from the offset: along an axis a source reaches 1 and 2 boxes both ways,
/// 3 boxes one way only, and 0 is its own mirror.
int kind_of(Offset o) {
  const auto both_ways = [](int along) { return std::abs(along) == 1 || std::abs(along) == 2; };
  return both_ways(o.x) + both_ways(o.y) + both_ways(o.z);
}

bool reaches(Offset o, int octant) {
  return within(o.x, octant & 1) && within(o.y, octant >> 1 & 1) && within(o.z, octant >> 2);
}

}  // namespace

std::vector<Offset> references() {
  std::vector<Offset> all;
  for (int z = 0; z <= 3; ++z)
    for (int y = 0; y <= 3; ++y)
      for (int x = 0; x <= 3; ++x)
        if (!near({x, y, z})) all.push_back({x, y, z});
  return all;
}

std::vector<SymmetryGroup> symmetry_groups(int octant, int size) {
  std::vector<SymmetryGroup> groups;
  const std::vector<Offset> all = references();
  for (std::size_t r = 0; r < all.size(); ++r) {
    SymmetryGroup g{static_cast<int>(r), {}};
    for (int flip = 0; flip < 8; ++flip) {
      const bool mirrors_zero = (flip & 1 && !all[r].x) || (flip & 2 && !all[r].y) || (flip & 4 && !all[r].z);
      if (!mirrors_zero && reaches(mirrored(all[r], flip), octant)) g.flips.push_back(flip);
    }
    if (static_cast<int>(g.flips.size()) == size) groups.push_back(g);
  }
  return groups;
}

int presorted(int x, int y, int z, int width) {
  const int octant = (x & 1) | (y & 1) << 1 | (z & 1) << 2, half = width / 2;
  return octant * half * half * half + ((z / 2) * half + y / 2) * half + x / 2;
}

Trial::Trial(int depth, int degree, std::uint64_t seed) : level_{} {
  level_.degree = degree;
  level_.width = 1 << depth;
  level_.boxes = level_.width * level_.width * level_.width;
  level_.groups = level_.boxes / 8;
  make_operators();
  make_multipoles(seed);
  make_groups();
  local_.resize(multipole_.size());
  local_of_.resize(multipole_.size());
  level_.multipole = multipole_.data(), level_.operators = operators_.data(), level_.local = local_.data();
  level_.multipole_of = multipole_of_.data(), level_.local_of = local_of_.data();
  level_.reference = reference_.data();
}

void Trial::make_operators() {
  const int top = 2 * level_.degree;
  for (int z = -3; z <= 3; ++z)
    for (int y = -3; y <= 3; ++y)
      for (int x = -3; x <= 3; ++x)
        append(host_operators_,
               near({x, y, z}) ? Moments(triangle(top)) : irregular(top, box_edge * x, box_edge * y, box_edge * z));
  store(operators_, host_operators_);
  std::vector<float2> reference;
  for (const Offset o : references()) append(reference, irregular(top, box_edge * o.x, box_edge * o.y, box_edge * o.z));
  store(reference_, reference);
}

void Trial::make_multipoles(std::uint64_t seed) {
  constexpr int charges = 3;
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> within_box(-box_edge / 2, box_edge / 2), charge(-1, 1);
  const int size = triangle(level_.degree), width = level_.width;
  std::vector<float2> presorted_moments(static_cast<std::size_t>(level_.boxes) * size);
  for (int box = 0; box < level_.boxes; ++box) {
    Moments sum(static_cast<std::size_t>(size));
    for (int c = 0; c < charges; ++c) {
      const double x = within_box(random), y = within_box(random), z = within_box(random), q = charge(random);
      const Moments one = regular(level_.degree, x, y, z);
      for (int i = 0; i < size; ++i) sum[i] += q * std::conj(one[i]);
    }
    append(host_multipole_, sum);
    const int at = presorted(box % width, box / width % width, box / width / width, width);
    for (int i = 0; i < size; ++i) presorted_moments[static_cast<std::size_t>(i) * level_.boxes + at] = rounded(sum[i]);
  }
  store(multipole_, host_multipole_);
  store(multipole_of_, presorted_moments);
}

/// R of section 3.3.4: the presorted box that each source's transformation adds to.
void Trial::make_groups() {
  const std::vector<Offset> all = references();
  const int width = level_.width, half = width / 2;
  for (int kind = 0; kind < 4; ++kind) {
    std::vector<std::int32_t> targets, groups, singles;
    for (int octant = 0; octant < 8; ++octant)
      for (const SymmetryGroup& g : symmetry_groups(octant, 1 << kind)) {
        groups.push_back(g.reference);
        for (const int flip : g.flips) {
          groups.push_back(flip);
          singles.insert(singles.end(), {g.reference, flip});
          const Offset o = mirrored(all[static_cast<std::size_t>(g.reference)], flip);
          for (int parent = 0; parent < level_.groups; ++parent) {
            const int x = 2 * (parent % half) + (octant & 1) - o.x,
                      y = 2 * (parent / half % half) + (octant >> 1 & 1) - o.y,
                      z = 2 * (parent / half / half) + (octant >> 2) - o.z;
            targets.push_back(presorted(x & (width - 1), y & (width - 1), z & (width - 1), width));
          }
        }
      }
    store(target_[kind], targets);
    store(group_[kind], groups);
    store(single_[kind], singles);
  }
}

void Trial::clear() {
  const std::size_t bytes = static_cast<std::size_t>(local_.size()) * sizeof(float2);
  cuda::require(cudaMemset(local_.data(), 0, bytes), "cudaMemset");
  cuda::require(cudaMemset(local_of_.data(), 0, bytes), "cudaMemset");
}

std::vector<float2> Trial::locals() const {
  std::vector<float2> out(static_cast<std::size_t>(local_.size()));
  cuda::download(out.data(), local_.data(), local_.size(), nullptr);
  cuda::require(cudaDeviceSynchronize(), "a variant of m2l");
  return out;
}

std::vector<float2> Trial::symmetric_locals() const {
  std::vector<float2> moments(static_cast<std::size_t>(local_of_.size())), out(moments.size());
  cuda::download(moments.data(), local_of_.data(), local_of_.size(), nullptr);
  cuda::require(cudaDeviceSynchronize(), "the symmetric m2l");
  const int size = triangle(level_.degree), width = level_.width;
  for (int box = 0; box < level_.boxes; ++box) {
    const int at = presorted(box % width, box / width % width, box / width / width, width);
    for (int i = 0; i < size; ++i)
      out[static_cast<std::size_t>(box) * size + i] = moments[static_cast<std::size_t>(i) * level_.boxes + at];
  }
  return out;
}

Moments Trial::exact(int box, std::vector<double>& size, int kind) const {
  const int width = level_.width, x = box % width, y = box / width % width, z = box / width / width;
  const int terms = triangle(level_.degree), operator_terms = triangle(2 * level_.degree);
  Moments local(static_cast<std::size_t>(terms));
  size.assign(local.size(), 0);
  for (int oz = 2 * (z / 2) - 2; oz < 2 * (z / 2) + 4; ++oz)
    for (int oy = 2 * (y / 2) - 2; oy < 2 * (y / 2) + 4; ++oy)
      for (int ox = 2 * (x / 2) - 2; ox < 2 * (x / 2) + 4; ++ox) {
        const Offset o{ox - x, oy - y, oz - z};
        if (near(o) || (kind != all_kinds && kind != kind_of(o))) continue;
        transform(level_.degree, slice(host_multipole_, box_index(ox, oy, oz, width), terms),
                  slice(host_operators_, operator_index(o), operator_terms), local, &size);
      }
  return local;
}

}  // namespace farfield::lab
