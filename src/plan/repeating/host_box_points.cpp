#include "plan/repeating/host_box_points.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "backends/drift.hpp"

namespace farfield {

static constexpr std::int64_t samples = 1000;  // targets at which the highest degrees are summed alone

void HostBoxPoints::read(const UnitCell& cell, const Points& sources, const Points* targets, bool at_sources) {
  cell_ = cell, alike_ = !targets, at_sources_ = at_sources;
  sources_ = read_host(sources);
  wrap(sources_);
  targets_ = {};
  apart_ = -1;
  if (alike_) return;
  targets_ = read_host(*targets);
  apart_ = targets->count;
  wrap(targets_);
  if (at_sources) targets_.append(sources_);
}

void HostBoxPoints::wrap(HostPoints& p) const {
  const CellView cell = cell_->view();
#pragma omp parallel for num_threads(threads_)
  for (std::size_t i = 0; i < p.x.size(); ++i) {
    double x[3] = {p.x[i], p.y[i], p.z[i]};
    if (!std::isfinite(x[0] + x[1] + x[2])) continue;
    cell.wrap(x);
    p.x[i] = x[0], p.y[i] = x[1], p.z[i] = x[2];
  }
}

FractionRange HostBoxPoints::range(int i) {
  double low = INFINITY, high = -INFINITY;
  for (const HostPoints* p : {&sources_, &targets_})
    for (std::size_t j = 0; j < p->x.size(); ++j) {
      const double f = cell_->fraction({p->x[j], p->y[j], p->z[j]}, i);
      if (std::isfinite(f)) low = std::min(low, f), high = std::max(high, f);
    }
  return low <= high ? FractionRange{low, high} : FractionRange{0, 0};
}

void HostBoxPoints::place(const BlockGrid& grid) {
  blocked_sources_ = {grid, sources_.x.data(), sources_.y.data(), sources_.z.data(), sources_.count()};
  const HostPoints& t = all_targets();
  blocked_targets_ = {grid, t.x.data(), t.y.data(), t.z.data(), t.count()};
  placed_sources_ = placed_targets_ = {};
  take_samples();
  sample_ = {grid, sampled_.x.data(), sampled_.y.data(), sampled_.z.data(), sampled_.count()};
  with_images_ = sources_;
  source_.clear(), image_.clear();
  for (int block = 0; block < grid.blocks(); ++block)
    for (const CellIndex& n : grid.near_images(block)) {
      if (n == CellIndex{0, 0, 0}) continue;
      const Vector3 shift = cell_->displacement(n);
      for (const BlockedPoints::Part& part : blocked_sources_.parts)
        for (std::int64_t k = part.first; part.block == block && k < part.last; ++k) {
          const std::uint32_t j = blocked_sources_.order[static_cast<std::size_t>(k)];
          source_.push_back(j);
          image_.push_back(n);
          with_images_.x.push_back(sources_.x[j] + shift[0]);
          with_images_.y.push_back(sources_.y[j] + shift[1]);
          with_images_.z.push_back(sources_.z[j] + shift[2]);
        }
    }
}

void HostBoxPoints::take_samples() {
  const HostPoints& t = all_targets();
  sampled_.x.clear(), sampled_.y.clear(), sampled_.z.clear();
  const std::int64_t step = std::max<std::int64_t>(1, t.count() / samples);
  for (std::int64_t i = 0; i < t.count(); i += step)
    sampled_.x.push_back(t.x[i]), sampled_.y.push_back(t.y[i]), sampled_.z.push_back(t.z[i]);
}

/// Moves each point by whole vectors to where it was placed; false: that is farther than `reach`, or it is no number.
bool HostBoxPoints::near_placed(HostPoints& p, const HostPoints& placed, double reach) const {
  const CellView cell = cell_->view();
  const Drift drift{reach};
  bool near = true;
#pragma omp parallel for num_threads(threads_) reduction(&& : near)
  for (std::size_t i = 0; i < p.x.size(); ++i) {
    const double then[3] = {placed.x[i], placed.y[i], placed.z[i]};
    double x[3] = {p.x[i], p.y[i], p.z[i]};
    cell.bring_to(then, x);
    near = near && !drift.beyond(x, then);
    p.x[i] = x[0], p.y[i] = x[1], p.z[i] = x[2];
  }
  return near;
}

/// The images of points that have moved.
void HostBoxPoints::move_images() {
  const std::size_t home = sources_.x.size();
  std::copy_n(sources_.x.data(), home, with_images_.x.data());
  std::copy_n(sources_.y.data(), home, with_images_.y.data());
  std::copy_n(sources_.z.data(), home, with_images_.z.data());
  for (std::size_t k = 0; k < image_.size(); ++k) {
    const Vector3 shift = cell_->displacement(image_[k]);
    const std::uint32_t j = source_[k];
    with_images_.x[home + k] = sources_.x[j] + shift[0];
    with_images_.y[home + k] = sources_.y[j] + shift[1];
    with_images_.z[home + k] = sources_.z[j] + shift[2];
  }
}

bool HostBoxPoints::follow(const Points& sources, const Points* targets, double reach) {
  if (alike_ != !targets || sources.count != sources_.count() || (targets && targets->count != apart_)) return false;
  HostPoints own = read_host(sources), other = targets ? read_host(*targets) : HostPoints();
  if (targets && at_sources_) other.append(own);
  const bool first = placed_sources_.count() == 0;
  const HostPoints &then = first ? sources_ : placed_sources_, &targets_then = first ? targets_ : placed_targets_;
  if (!near_placed(own, then, reach) || !near_placed(other, targets_then, reach)) return false;
  if (first) placed_sources_ = std::move(sources_), placed_targets_ = std::move(targets_);
  sources_ = std::move(own), targets_ = std::move(other);
  const HostPoints& t = all_targets();
  for (BlockedPoints* blocked : {&blocked_sources_, &blocked_targets_}) {
    const HostPoints& at = blocked == &blocked_sources_ ? sources_ : t;
    blocked->axis[0] = at.x.data(), blocked->axis[1] = at.y.data(), blocked->axis[2] = at.z.data();
  }
  take_samples();
  move_images();
  return true;
}

std::int64_t HostBoxPoints::bytes() const { return 32 * with_images_.count() + 12 * std::ssize(image_); }

Strengths HostBoxPoints::take(const Strengths& strengths, std::int64_t vector) {
  charge_ = strengths_of(strengths, vector);
  charge_.reserve(with_images_.x.size());
  for (const std::uint32_t j : source_) charge_.push_back(charge_[j]);
  return farfield::strengths(charge_);
}

BoxPoints::Net HostBoxPoints::net() {
  Net net{};
  for (const double q : charges()) net.sum += q, net.size += std::fabs(q);
  return net;
}

void HostBoxPoints::expand(BlockField& field, double scale) {
  if (sources() == 0 || targets() == 0) return;
  std::vector<double> scaled = charges();
  for (double& q : scaled) q *= scale;
  field.set(blocked_sources_, scaled.data());
}

Outputs HostBoxPoints::near_sums(bool potential, bool gradient) {
  const auto count = static_cast<std::size_t>(targets());
  sums_.potential.resize(potential ? count : 0);
  sums_.gradient.resize(gradient ? 3 * count : 0);
  Outputs outputs;
  outputs.scalar = Scalar::float64;
  if (potential) outputs.potential = sums_.potential.data();
  if (gradient) outputs.gradient = sums_.gradient.data();
  return outputs;
}

BoxPoints::Norms HostBoxPoints::add_far(const BlockField& field) {
  const auto norm = [](const std::vector<double>& values) { return std::sqrt(squares_of(values)); };
  Norms norms{{norm(sums_.potential), norm(sums_.gradient)}, {}, {}};
  if (sources() > 0 && targets() > 0) {
    double* const potential = sums_.potential.empty() ? nullptr : sums_.potential.data();
    double* const gradient = sums_.gradient.empty() ? nullptr : sums_.gradient.data();
    field.add(blocked_targets_, potential, gradient);
    std::vector<double> values(sampled_.x.size()), slopes(gradient ? 3 * values.size() : 0);
    field.add_highest(sample_, values.data(), gradient ? slopes.data() : nullptr);
    const double times = std::sqrt(static_cast<double>(targets()) / static_cast<double>(values.size()));
    norms.highest[0] = times * norm(values), norms.highest[1] = times * norm(slopes);
  }
  norms.all[0] = norm(sums_.potential), norms.all[1] = norm(sums_.gradient);
  return norms;
}

void HostBoxPoints::deliver(std::int64_t vector, const Outputs& outputs) {
  farfield::deliver(sums_, vector, outputs, {sources(), apart_, at_sources_});
}

/// Sum of q times the gradient.
static Vector3 pull_of(const double* charge, std::size_t count, const double* gradient) {
  Vector3 pull{};
  for (std::size_t j = 0; j < count; ++j)
    for (std::size_t a = 0; a < 3; ++a) pull[a] += charge[j] * gradient[3 * j + a];
  return pull;
}

Vector3 HostBoxPoints::pull() { return pull_of(charge_.data(), sources_.x.size(), sums_.gradient.data()); }

std::array<double, 6> HostBoxPoints::virial_of_points(const Vector3& origin) {
  return virial_of(sources_, origin, charges(), sums_.gradient.data());
}

std::vector<Vector3> HostBoxPoints::pulls_of_images(const NearSums& near) {
  const auto count = static_cast<std::size_t>(cell_->periodic_count()), home = sources_.x.size();
  std::vector<double> weighted(count * with_images_.x.size()), gradient(3 * count * home);
  for (std::size_t i = 0; i < count; ++i) {
    double* const own = &weighted[i * with_images_.x.size()];
    std::copy_n(charge_.data(), home, own);
    for (std::size_t k = 0; k < image_.size(); ++k) own[home + k] = charge_[source_[k]] * (1 + image_[k][i]);
  }
  Outputs outputs;
  outputs.gradient = gradient.data();
  near(strengths(weighted, with_images_.count(), static_cast<std::int64_t>(count)), outputs);
  std::vector<Vector3> pulls;
  for (std::size_t i = 0; i < count; ++i) pulls.push_back(pull_of(charge_.data(), home, &gradient[3 * i * home]));
  return pulls;
}

}  // namespace farfield
