// Solver: energy, field and virial of point charges in a box by Farfield, to an error of forces. Knows nothing of
// LAMMPS.
#pragma once
#include <array>
#include <farfield/farfield.hpp>
#include <memory>
#include <string>
#include <vector>

namespace farfield::lammps {

/// Edges (lx, 0, 0), (xy, ly, 0), (xz, yz, lz), and along which of them everything repeats.
struct Box {
  std::array<double, 3> length{};
  double xy = 0, xz = 0, yz = 0;
  std::array<bool, 3> periodic{};
};

/// Of charges q at x: u(x_i) = sum of q_j/r, its gradient, and the virial of all pairs, xx yy zz xy xz yz. Units are
/// those of charge and length: the caller multiplies with his constant.
struct Sums {
  std::vector<double> potential, gradient;
  std::array<double, 6> virial{};
};

class Solver {
 public:
  /// Tolerance and cell of the options are set here, all others are the caller's.
  explicit Solver(const Options& options) : options_(options) {}

  /// Root mean square of the errors allowed for forces q grad u and, one by one, for energies q u.
  void set_accuracy(double force, double energy);
  void set_box(const Box& box);

  /// The sums for n = charges.size() points, xyz interleaved. Valid until the next call. Throws farfield::Error.
  const Sums& evaluate(const std::vector<double>& xyz, const std::vector<double>& charges, bool virial);

  /// Farfield's own tolerance, of field and potential, that gives the accuracy; 0 before the first evaluation.
  double tolerance() const { return measured_ ? options_.tolerance : 0; }
  const Report* report() const;
  double memory() const;

 private:
  void run(const std::vector<double>& xyz, const std::vector<double>& charges, bool virial);
  double allowed_tolerance(const std::vector<double>& charges) const;
  bool reaches_accuracy(const std::vector<double>& charges);
  void forget_plans() { plan_[0].reset(), plan_[1].reset(); }

  Options options_;
  Sums sums_;
  std::array<std::unique_ptr<Plan>, 2> plan_;  // without and with virial, which costs three more densities
  int last_ = 0;
  double force_accuracy_ = 0, energy_accuracy_ = 0;
  bool measured_ = false;
};

}  // namespace farfield::lammps
