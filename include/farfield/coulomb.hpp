// Coulomb sums of molecules: energy, forces, potential and virial of charges, in open space or in a periodic cell, with
// the pairs that bonds connect left out or scaled.
#pragma once
#include <array>
#include <cstdint>
#include <farfield/plan.hpp>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace farfield {

#define FARFIELD_ENUMERATOR(name, NAME, number, ...) name = number,
enum class Background : int { FARFIELD_BACKGROUND(FARFIELD_ENUMERATOR) };
#undef FARFIELD_ENUMERATOR
/// All values with their words, from number 0 on.
constexpr auto words_of(Background) {
#define FARFIELD_WORD(name, NAME, number, word) Word<Background>{Background::name, word},
  return std::array{FARFIELD_BACKGROUND(FARFIELD_WORD)};
#undef FARFIELD_WORD
}
namespace option {  // the types of options_list.h
using farfield::Background;
}  // namespace option

/// Of Coulomb sums, beside the Options of their plan. Meaning and default of each: options_list.h, at its end.
struct CoulombOptions {
#define FARFIELD_FIELD(type, name, initial, ...) option::type name = initial;
  FARFIELD_COULOMB_OPTIONS(FARFIELD_FIELD)
#undef FARFIELD_FIELD
};

/// visit(OptionText, options.member) for every option, in the order of the list.
template <class AnyOptions, class Visit>
void visit_coulomb_options(AnyOptions& options, Visit&& visit) {
#define FARFIELD_VISIT(type, name, initial, where, sign, help) \
  visit(OptionText{#name, option::Where::where, sign, help}, options.name);
  FARFIELD_COULOMB_OPTIONS(FARFIELD_VISIT)
#undef FARFIELD_VISIT
}

/// Pairs of particles of which only a fraction stays in the sum, 0 where none is given. Particles count from 0. What is
/// wrong with them is told when they are made: Error(input).
class FARFIELD_API Exclusions {
 public:
  Exclusions() = default;  ///< none
  /// Of `particles`: pairs i j, i j, ... in either order, and for each the fraction that stays, from 0 to 1; `kept`
  /// empty: 0. A pair may stand twice, with one fraction.
  static Exclusions of_pairs(std::int64_t particles, std::span<const std::int64_t> pairs,
                             std::span<const double> kept = {});
  /// Compressed rows: particle i excludes others[starts[i]] to others[starts[i + 1] - 1], one start more than there are
  /// particles. Each pair stands in the rows of both, with one fraction.
  static Exclusions of_rows(std::span<const std::int64_t> starts, std::span<const std::int64_t> others,
                            std::span<const double> kept = {});

  /// What `bonds` (two particles each) make neighbours: pairs one, two and three bonds apart, by the shortest way, of
  /// which kept[0], kept[1] and kept[2] stay: LAMMPS' special_bonds, and GROMACS' exclusions of nrexcl 3.
  static Exclusions of_bonds(std::int64_t particles, std::span<const std::int64_t> bonds,
                             const std::array<double, 3>& kept = {});

  std::int64_t pair_count() const { return static_cast<std::int64_t>(others_.size() / 2); }
  /// How many particles they are of; 0 without any pair.
  std::int64_t particle_count() const { return others_.empty() ? 0 : static_cast<std::int64_t>(starts_.size()) - 1; }
  /// Compressed rows, those of each particle in ascending order.
  std::span<const std::int64_t> starts() const { return starts_; }
  std::span<const std::int64_t> others() const { return others_; }
  std::span<const double> kept() const { return kept_; }

 private:
  std::vector<std::int64_t> starts_, others_;
  std::vector<double> kept_;
};

/// What an evaluation of Coulomb gives, in the order of the caller's particles and times
/// CoulombOptions::coulomb_constant.
struct CoulombSums {
  double energy = 0;                  ///< sum of q phi / 2, and the energy of the surface
  std::vector<double> potential;      ///< (N) phi, exclusions and surface applied
  std::vector<double> forces;         ///< (N, 3)
  std::vector<double> energies;       ///< (N) q phi / 2
  std::array<double, 6> virial{};     ///< xx yy zz xy xz yz, with Options::virial: half the sum of d F over
                                      ///< all pairs and images, of trace energy; LAMMPS' sign
  std::array<double, 3> net_force{};  ///< the sum of the forces, before it was removed
  double rms_force = 0;               ///< root of the mean of |F|^2, before it was removed
  double charge = 0;                  ///< the sum of the charges, in the caller's unit
  std::array<double, 3> dipole{};     ///< the one given, or the sum of q x, likewise
  Report report;                      ///< of the plan; its measured error is that of the sum over all pairs
};

/// Where to write potential (N), forces (N, 3) and energies (N), as Outputs: arrays of the caller; null: not wanted.
struct CoulombOutputs {
  void *potential = nullptr, *forces = nullptr, *energies = nullptr;
  Scalar scalar = Scalar::float64;
  MemorySpace space = MemorySpace::host;
  void* stream = nullptr;
};

/// E = 1/2 sum_ij sum_n' q_i q_j / |x_i - x_j - n| and its derivatives, n the vectors of the lattice of
/// Options::periodic and cell_x ..., by a plan for the field of the charges. From all pairs the part of Exclusions that
/// does not stay is taken off at the pair's shortest image, in double (docs/molecules.md).
///
/// Options::tolerance: relative L2 error of the potential and of the forces that come out, exclusions applied. What
/// they leave may be much less than there was; then the plan is made again, so much more accurate. A precision that
/// cannot reach this gives a warning in the report. Errors of the virial are those of forces times how far apart points
/// of the cell are.
///
/// Options that a plan does not share are refused, Error(usage): kernel, scale, softening, hessian, dipoles and
/// at_sources. Positions need no wrapping and are copied. Where the plan runs on a device, so does all the rest.
class FARFIELD_API Coulomb {
 public:
  explicit Coulomb(const Points& positions, const Options& options = {}, const CoulombOptions& more = {},
                   Exclusions exclusions = {});
  Coulomb(Coulomb&&) noexcept;
  Coulomb& operator=(Coulomb&&) noexcept;
  ~Coulomb();

  /// `charges`: (N). `dipole`: that of whole molecules, for surfaces that are not tin-foil; without it that of the
  /// positions as they are, with a warning. Valid until the next call. Errors: those of Plan; input where the charges
  /// have no sum (a net charge with one or two periodic axes) or none that was asked for (Background::refuse, a
  /// surface).
  const CoulombSums& evaluate(std::span<const double> charges, const std::optional<std::array<double, 3>>& dipole = {});
  const CoulombSums& evaluate(const std::vector<double>& charges,
                              const std::optional<std::array<double, 3>>& dipole = {}) {
    return evaluate(std::span<const double>(charges), dipole);
  }
  /// Of arrays that, as positions, may lie in device memory where the plan does; the vectors of the sums are empty.
  const CoulombSums& evaluate(const Strengths& charges, const CoulombOutputs& outputs,
                              const std::optional<std::array<double, 3>>& dipole = {});

  /// For the next time step, as Plan::move. With exclusions the number of particles stays.
  void move(const Points& positions);
  /// In another cell, too: its vectors a, b, c, nine numbers; the periodic axes stay.
  void move(const Points& positions, const std::array<double, 9>& cell);
  void check_replays() const;  ///< as Plan's, of graphs that captured move and evaluate: they fill the arrays alone
  /// Other pairs of the same particles.
  void exclude(Exclusions exclusions);

  std::int64_t particle_count() const;
  const Report& report() const;  ///< of the last build and evaluation; valid until the next call

  /// Throws what the constructor and, with charges, `evaluate` would say to these, for callers without positions yet.
  static void validate(const Options& options, const CoulombOptions& more, std::span<const double> charges = {});

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace farfield
