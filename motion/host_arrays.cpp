#include "motion/host_arrays.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace farfield::motion {
namespace {

constexpr std::int64_t grain = 4096;  // bodies of a partial sum: a matter of bits, and so not of threads

void require_lengths(std::size_t positions, std::size_t velocities, std::size_t masses) {
  if (positions == 3 * masses && velocities == 3 * masses) return;
  throw Error(ErrorCode::input, std::to_string(masses) + " masses do not go with " + std::to_string(positions) +
                                    " coordinates and " + std::to_string(velocities) +
                                    " components of velocities; give three of each for every mass.");
}

void require_velocities(const std::vector<double>& velocities) {
  const auto bad = std::find_if(velocities.begin(), velocities.end(), [](double v) { return !std::isfinite(v); });
  if (bad == velocities.end()) return;
  const auto at = bad - velocities.begin();
  throw Error(ErrorCode::input, "Body " + std::to_string(at / 3) + ": its velocity along " + "xyz"[at % 3] + " is " +
                                    std::to_string(*bad) + "; velocities must be finite.");
}

void require_masses(const std::vector<double>& masses) {
  double sum = 0;
  for (std::size_t i = 0; i < masses.size(); ++i) {
    if (!(masses[i] >= 0 && std::isfinite(masses[i])))
      throw Error(ErrorCode::input, "Body " + std::to_string(i) + ": its mass is " + std::to_string(masses[i]) +
                                        "; masses must be finite and not negative.");
    sum += masses[i];
  }
  if (!(sum > 0))
    throw Error(ErrorCode::input, "The bodies have no mass, so that nothing moves them; give masses as strengths.");
}

/// to = to + factor * by, element by element.
void advance(std::vector<double>& to, double factor, const std::vector<double>& by, int threads) {
  const auto count = static_cast<std::int64_t>(to.size());
  double* const out = to.data();
  const double* const in = by.data();
#pragma omp parallel for schedule(static) num_threads(threads) if (count > 8 * grain)
  for (std::int64_t i = 0; i < count; ++i) out[i] += factor * in[i];
}

}  // namespace

HostArrays::HostArrays(std::vector<double> positions, std::vector<double> velocities, std::vector<double> masses,
                       std::vector<double> lengths)
    : positions_(std::move(positions)),
      velocities_(std::move(velocities)),
      masses_(std::move(masses)),
      lengths_(std::move(lengths)) {
  require_lengths(positions_.size(), velocities_.size(), masses_.size());
  if (has_lengths() && lengths_.size() != masses_.size())
    throw Error(ErrorCode::input, std::to_string(lengths_.size()) + " softening lengths do not go with " +
                                      std::to_string(masses_.size()) + " bodies; give one for each.");
  require_velocities(velocities_);
  require_masses(masses_);
  potential_.resize(masses_.size());
  gradient_.resize(positions_.size());
  parts_.resize((masses_.size() + grain - 1) / grain);
}

void HostArrays::kick(double dt) { advance(velocities_, -dt, gradient_, threads_); }
void HostArrays::drift(double dt) { advance(positions_, dt, velocities_, threads_); }

Sums HostArrays::sums() const {
  const auto chunks = static_cast<std::int64_t>(parts_.size());
#pragma omp parallel for schedule(static) num_threads(threads_) if (chunks > 8)
  for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
    Sums part;
    for (std::int64_t i = chunk * grain; i < std::min(count(), (chunk + 1) * grain); ++i) {
      const auto at = static_cast<std::size_t>(i);
      add(part, of_body(&positions_[3 * at], &velocities_[3 * at], masses_[at], potential_[at]));
    }
    parts_[static_cast<std::size_t>(chunk)] = part;
  }
  Sums all;
  for (const Sums& part : parts_) add(all, part);
  return all;
}

}  // namespace farfield::motion
