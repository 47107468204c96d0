#include "farfieldsum.h"

#include <farfield/coulomb.hpp>
#include <farfield/version.hpp>
#include <sstream>
#include <utility>

namespace gmx {

namespace {

farfield::Options optionsOf(const FarfieldSystem& system, const std::array<double, 9>& cell) {
  farfield::Options options;
  options.tolerance = system.tolerance;
  options.threads = system.threads;
  options.periodic = system.periodicAlongZ ? farfield::Axes::xyz : farfield::Axes::xy;
  options.cell_x = cell[0];
  options.cell_bx = cell[3], options.cell_y = cell[4];
  options.cell_cx = cell[6], options.cell_cy = cell[7], options.cell_z = cell[8];
  return options;
}

farfield::Exclusions exclusionsOf(const FarfieldSystem& system) {
  return farfield::Exclusions::of_pairs(static_cast<std::int64_t>(system.charges.size()), system.excludedPairs);
}

}  // namespace

/// A plan of Farfield, made at the first positions and moved to the later ones.
class FarfieldSum::Sums {
 public:
  template <class Real>
  Sums(const FarfieldSystem& system, const farfield::Options& options, const Real* xyz)
      : coulomb_(positions(system, xyz), options, {.coulomb_constant = system.coulombConstant}, exclusionsOf(system)) {}

  template <class Real>
  void move(const FarfieldSystem& system, const Real* xyz, const std::array<double, 9>& cell) {
    coulomb_.move(positions(system, xyz), cell);
  }

  const farfield::CoulombSums& evaluate(const FarfieldSystem& system) { return coulomb_.evaluate(system.charges); }
  const farfield::Report& report() const { return coulomb_.report(); }

 private:
  template <class Real>
  static farfield::Points positions(const FarfieldSystem& system, const Real* xyz) {
    return farfield::points(xyz, static_cast<std::int64_t>(system.charges.size()));
  }

  farfield::Coulomb coulomb_;
};

FarfieldSum::FarfieldSum(FarfieldSystem system) : system_(std::move(system)) {}
FarfieldSum::~FarfieldSum() = default;

template <class Real>
FarfieldResult FarfieldSum::evaluateForces(const Real* xyz, const std::array<double, 9>& cell) {
  return evaluate(withoutVirial_, optionsOf(system_, cell), xyz, cell);
}

template <class Real>
FarfieldResult FarfieldSum::evaluateVirial(const Real* xyz, const std::array<double, 9>& cell) {
  farfield::Options options = optionsOf(system_, cell);
  options.virial = true;
  return evaluate(withVirial_, options, xyz, cell);
}

template <class Real, class Options>
FarfieldResult FarfieldSum::evaluate(std::unique_ptr<Sums>& sums, const Options& options, const Real* xyz,
                                     const std::array<double, 9>& cell) {
  if (sums)
    sums->move(system_, xyz, cell);
  else
    sums = std::make_unique<Sums>(system_, options, xyz);
  last_ = sums.get();
  const farfield::CoulombSums& found = sums->evaluate(system_);
  return {found.energy, found.forces.data(), found.virial};
}

std::string FarfieldSum::description() const {
  const farfield::Report& report = last_->report();
  std::ostringstream text;
  text << "Farfield " << report.version << " sums all Coulomb pairs: tolerance " << report.tolerance << ", method "
       << report.method << ", precision " << report.precision << ", on " << report.device << " with " << report.threads
       << " threads, " << system_.excludedPairs.size() / 2 << " excluded pairs.";
  return text.str();
}

const std::vector<std::string>& FarfieldSum::warnings() const { return last_->report().warnings; }

template FarfieldResult FarfieldSum::evaluateForces(const float*, const std::array<double, 9>&);
template FarfieldResult FarfieldSum::evaluateForces(const double*, const std::array<double, 9>&);
template FarfieldResult FarfieldSum::evaluateVirial(const float*, const std::array<double, 9>&);
template FarfieldResult FarfieldSum::evaluateVirial(const double*, const std::array<double, 9>&);

}  // namespace gmx
