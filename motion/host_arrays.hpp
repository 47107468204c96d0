// Bodies in motion whose arrays lie in the memory of the host.
#pragma once
#include <cstdint>
#include <vector>

#include "motion/arrays.hpp"

namespace farfield::motion {

class HostArrays {
 public:
  /// n bodies: positions and velocities 3 n interleaved, masses n. Throws Error(input) where the lengths differ, for
  /// velocities that are not finite, negative masses, and where no body has a mass. `lengths`: Points::softening of
  /// the bodies, or none.
  HostArrays(std::vector<double> positions, std::vector<double> velocities, std::vector<double> masses,
             std::vector<double> lengths = {});

  Points points() const {
    Points p = farfield::points(positions_);
    if (has_lengths()) p.softening = lengths_.data();
    return p;
  }
  Strengths strengths() const { return farfield::strengths(masses_); }
  Outputs outputs() { return {potential_.data(), gradient_.data()}; }

  void use_threads(int threads) { threads_ = threads > 0 ? threads : 1; }
  void kick(double dt);
  void drift(double dt);
  Sums sums() const;

  const std::vector<double>& lengths() const { return lengths_; }  ///< of the softening; empty: none of their own
  bool has_lengths() const { return !lengths_.empty(); }
  std::int64_t count() const { return static_cast<std::int64_t>(masses_.size()); }
  const std::vector<double>& positions() const { return positions_; }
  const std::vector<double>& velocities() const { return velocities_; }
  const std::vector<double>& masses() const { return masses_; }
  const std::vector<double>& potential() const { return potential_; }  ///< n, of the last evaluation: u, per unit mass
  /// Where bodies that moved elsewhere are brought back to.
  struct Own {
    double *positions, *velocities, *potential;
  };
  Own own() { return {positions_.data(), velocities_.data(), potential_.data()}; }

 private:
  std::vector<double> positions_, velocities_, masses_, lengths_, potential_, gradient_;
  mutable std::vector<Sums> parts_;  // of sums(), kept from step to step
  int threads_ = 1;
};

}  // namespace farfield::motion
