// The C interface over Coulomb.
#include <algorithm>
#include <farfield/coulomb.hpp>
#include <span>

#include "plan/c/convert.hpp"

struct farfield_coulomb {
  farfield::Coulomb sum;
};

namespace farfield::c {

static farfield_coulomb_options coulomb_defaults() {
  const CoulombOptions o;
  farfield_coulomb_options c{};
  c.struct_size = sizeof c;
#define FARFIELD_TO_C(type, name, ...) c.name = static_cast<farfield_##type>(o.name);
  FARFIELD_COULOMB_OPTIONS(FARFIELD_TO_C)
#undef FARFIELD_TO_C
  return c;
}

static CoulombOptions coulomb_options_from(const farfield_coulomb_options* given) {
  if (!given) return {};
  farfield_coulomb_options c = coulomb_defaults();
  if (given->struct_size < offsetof(farfield_coulomb_options, background))
    throw Error(ErrorCode::usage,
                "farfield_coulomb_options.struct_size is not set; call farfield_coulomb_options_init first");
  if (given->struct_size > sizeof c)
    throw Error(ErrorCode::usage,
                "farfield_coulomb_options is that of a later version than this library, " FARFIELD_VERSION
                "; link the library that belongs to the header");
  std::memcpy(&c, given, given->struct_size);
  CoulombOptions o;
#define FARFIELD_FROM_C(type, name, ...) from_c(c.name, o.name, #name);
  FARFIELD_COULOMB_OPTIONS(FARFIELD_FROM_C)
#undef FARFIELD_FROM_C
  return o;
}

/// `count` elements; null only where there are none.
template <class T>
static std::span<const T> array(const T* data, std::int64_t count, const char* name) {
  if (count < 0) throw Error(ErrorCode::input, std::string("the number of ") + name + " is negative");
  if (count > 0) required(data, name);
  return {data, static_cast<std::size_t>(count)};
}

static std::span<const std::int64_t> both_ends(const std::int64_t* pairs, std::int64_t count, const char* name) {
  if (count > INT64_MAX / 2)
    throw Error(ErrorCode::input, std::string("so many ") + name + " fit no memory; correct their number");
  return array(pairs, 2 * count, name);
}

/// Fractions may be null.
static std::span<const double> fractions(const double* kept, std::int64_t count) {
  return kept ? array(kept, count, "kept") : std::span<const double>();
}

static void deliver(const CoulombSums& from, farfield_coulomb_sums& to) {
  const auto copy = [](const auto& values, double* out) {
    if (out) std::copy(values.begin(), values.end(), out);
  };
  copy(from.potential, to.potential);
  copy(from.forces, to.forces);
  copy(from.energies, to.energies);
  copy(from.virial, to.virial);
  copy(from.net_force, to.net_force);
  copy(from.dipole, to.dipole);
  to.energy = from.energy, to.rms_force = from.rms_force, to.charge = from.charge;
}

}  // namespace farfield::c

using namespace farfield;
using namespace farfield::c;

extern "C" {

void farfield_coulomb_options_init_sized(farfield_coulomb_options* options, size_t struct_size) {
  if (!options) return;
  farfield_coulomb_options all = coulomb_defaults();
  all.struct_size = struct_size;
  std::memset(options, 0, struct_size);
  std::memcpy(options, &all, std::min(struct_size, sizeof all));
}

int farfield_coulomb_create(farfield_coulomb** sum, const farfield_points* positions, const farfield_options* options,
                            const farfield_coulomb_options* more) {
  if (sum) *sum = nullptr;
  return farfield::c::guarded([&] {
    farfield_coulomb*& result = required(sum, "sum");
    const Points at = points_from(required(positions, "positions"));
    result = new farfield_coulomb{Coulomb(at, options_from(options), coulomb_options_from(more))};
  });
}

int farfield_coulomb_exclude_pairs(farfield_coulomb* sum, const int64_t* pairs, int64_t count, const double* kept) {
  return farfield::c::guarded([&] {
    Coulomb& c = required(sum, "sum").sum;
    c.exclude(Exclusions::of_pairs(c.particle_count(), both_ends(pairs, count, "pairs"), fractions(kept, count)));
  });
}

int farfield_coulomb_exclude_bonds(farfield_coulomb* sum, const int64_t* bonds, int64_t count, const double* kept) {
  return farfield::c::guarded([&] {
    Coulomb& c = required(sum, "sum").sum;
    std::array<double, 3> stays{};
    if (kept) std::copy_n(kept, 3, stays.begin());
    c.exclude(Exclusions::of_bonds(c.particle_count(), both_ends(bonds, count, "bonds"), stays));
  });
}

int farfield_coulomb_exclude_rows(farfield_coulomb* sum, const int64_t* starts, const int64_t* others,
                                  const double* kept) {
  return farfield::c::guarded([&] {
    Coulomb& c = required(sum, "sum").sum;
    const auto rows = array(starts, c.particle_count() + 1, "starts");
    const std::int64_t count = rows.back();
    c.exclude(Exclusions::of_rows(rows, array(others, count, "others"), fractions(kept, count)));
  });
}

int farfield_coulomb_evaluate(farfield_coulomb* sum, const double* charges, int64_t particles, const double* dipole,
                              farfield_coulomb_sums* sums) {
  return farfield::c::guarded([&] {
    Coulomb& c = required(sum, "sum").sum;
    farfield_coulomb_sums& to = required(sums, "sums");
    std::optional<std::array<double, 3>> moment;
    if (dipole) moment = {dipole[0], dipole[1], dipole[2]};
    deliver(c.evaluate(array(charges, particles, "charges"), moment), to);
  });
}

int farfield_coulomb_move(farfield_coulomb* sum, const farfield_points* positions, const double* cell) {
  return farfield::c::guarded([&] {
    Coulomb& c = required(sum, "sum").sum;
    const Points at = points_from(required(positions, "positions"));
    if (!cell) return c.move(at);
    std::array<double, 9> rows;
    std::copy_n(cell, 9, rows.begin());
    c.move(at, rows);
  });
}

const char* farfield_coulomb_warning(const farfield_coulomb* sum, int64_t index) {
  return sum ? warning_at(sum->sum.report().warnings, index) : nullptr;
}

void farfield_coulomb_destroy(farfield_coulomb* sum) { delete sum; }

}  // extern "C"
