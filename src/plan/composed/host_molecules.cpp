#include "plan/composed/host_molecules.hpp"

#include <algorithm>
#include <cmath>

#include "plan/composed/excluded_pairs.hpp"

namespace farfield {

static double norm_of(const std::vector<double>& values) { return std::sqrt(squares_of(values)); }

Points HostMolecules::read(const Points& positions) {
  next_ = read_host(positions);
  return next_.view();
}

void HostMolecules::accept() {
  std::swap(positions_, next_);
  const std::size_t count = positions_.x.size();
  flat_.resize(3 * count);
  for (std::size_t i = 0; i < count; ++i)
    flat_[3 * i] = positions_.x[i], flat_[3 * i + 1] = positions_.y[i], flat_[3 * i + 2] = positions_.z[i];
}

Strengths HostMolecules::take(const Strengths& charges, const CoulombOutputs&) {
  charges_ = strengths_of(charges, 0);
  return strengths(charges_);
}

MoleculeSums::Net HostMolecules::net() {
  Net net{};
  for (const double q : charges_) net.sum += q, net.size += std::fabs(q);
  return net;
}

Outputs HostMolecules::field() {
  potential_.resize(charges_.size()), gradient_.resize(3 * charges_.size());
  return {potential_.data(), gradient_.data()};
}

/// Of tin-foil, excluded pairs taken off.
void HostMolecules::find_forces(const MoleculeTask& task, MoleculeTotals& totals, std::array<double, 6>& virial) {
  totals.potential = norm_of(potential_), totals.field = norm_of(gradient_);
  forces_.resize(gradient_.size());
  for (std::size_t i = 0; i < charges_.size(); ++i) {
    totals.largest_charge = std::max(totals.largest_charge, std::fabs(charges_[i]));
    for (std::size_t a = 0; a < 3; ++a) forces_[3 * i + a] = -charges_[i] * gradient_[3 * i + a];
  }
  if (pairs_) take_off(*pairs_, task.cell, flat_, charges_, task.threads, {potential_.data(), forces_.data(), virial});
  totals.net_potential = norm_of(potential_), totals.net_forces = norm_of(forces_);
}

void HostMolecules::sum_charges(MoleculeTotals& totals) const {
  for (std::size_t i = 0; i < charges_.size(); ++i) {
    totals.charge += charges_[i];
    totals.energy += 0.5 * charges_[i] * potential_[i];
    for (std::size_t a = 0; a < 3; ++a) totals.dipole[a] += charges_[i] * flat_[3 * i + a];
  }
}

void HostMolecules::add_surface(double strength, const std::array<double, 3>& dipole) {
  for (std::size_t i = 0; i < charges_.size(); ++i) {
    const double* x = &flat_[3 * i];
    potential_[i] += strength * (x[0] * dipole[0] + x[1] * dipole[1] + x[2] * dipole[2]);
    for (std::size_t a = 0; a < 3; ++a) forces_[3 * i + a] -= strength * charges_[i] * dipole[a];
  }
}

/// Multiplies by the constant, then energies of particles and what forces add up to.
void HostMolecules::take_units(const MoleculeTask& task, MoleculeTotals& totals) {
  const std::size_t count = charges_.size();
  for (double& value : potential_) value *= task.constant;
  for (double& value : forces_) value *= task.constant;
  energies_.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    energies_[i] = 0.5 * charges_[i] * potential_[i];
    for (std::size_t a = 0; a < 3; ++a) totals.net_force[a] += forces_[3 * i + a];
  }
  totals.rms_force = count > 0 ? norm_of(forces_) / std::sqrt(static_cast<double>(count)) : 0;
  if (!task.remove_net_force) return;
  for (std::size_t k = 0; k < 3 * count; ++k) forces_[k] -= totals.net_force[k % 3] / static_cast<double>(count);
}

template <class T>
static void write(const std::vector<double>& from, void* to) {
  if (to) std::transform(from.begin(), from.end(), static_cast<T*>(to), [](double v) { return static_cast<T>(v); });
}

MoleculeTotals HostMolecules::finish(const MoleculeTask& task, const CoulombOutputs& outputs,
                                     std::array<double, 6>& virial) {
  MoleculeTotals totals;
  find_forces(task, totals, virial);
  sum_charges(totals);
  if (task.surface > 0) add_surface(task.surface, task.dipole.value_or(totals.dipole));
  take_units(task, totals);
  const auto write_as = outputs.scalar == Scalar::float32 ? write<float> : write<double>;
  write_as(potential_, outputs.potential), write_as(forces_, outputs.forces), write_as(energies_, outputs.energies);
  return totals;
}

}  // namespace farfield
