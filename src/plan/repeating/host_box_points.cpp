#include "plan/repeating/host_box_points.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "backends/cpu/transfer/transfer.hpp"
#include "backends/drift.hpp"

namespace farfield {

static constexpr std::int64_t samples = 1000;  // targets at which the highest degrees are summed alone

void HostBoxPoints::read(const UnitCell& cell, const Points& sources, const Points* targets, bool at_sources) {
  cell_ = cell, alike_ = !targets, at_sources_ = at_sources;
  sources_ = read_host(sources);
  wrap(sources_);
  targets_ = {};
  apart_ = -1;
  if (targets) {
    targets_ = read_host(*targets);
    apart_ = targets->count;
    wrap(targets_);
    if (at_sources) targets_.append(sources_);
  }
  require_numbers();
  part_ = parts_.part(sources_.count());
  part_apart_ = targets ? parts_.part(apart_) : nullptr;
}

/// The near plan, which has the words for coordinates that are none, would count images, too.
void HostBoxPoints::require_numbers() const {
  for (const HostPoints* p : {&sources_, &targets_})
    for (std::size_t i = 0; i < p->x.size(); ++i) {
      if (std::isfinite(p->x[i] + p->y[i] + p->z[i])) continue;
      Options plain;
      plain.method = Method::direct, plain.backend = Backend::cpu;
      alike_ ? Plan(sources_.view(), plain) : Plan(sources_.view(), targets_.view(), plain);
      return;
    }
}

std::int64_t HostBoxPoints::targets() const {
  if (alike_) return part_->all();
  return part_apart_->all() + (at_sources_ ? part_->all() : 0);
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
  const FractionRange all = parts_.joined({low, high});
  return all.low <= all.high ? all : FractionRange{0, 0};
}

void HostBoxPoints::place(const BlockGrid& grid) {
  find_summed();
  const Summed(&x)[3] = summed_;
  blocked_sources_ = {grid,         x[0].numbers.data(), x[1].numbers.data(), x[2].numbers.data(),
                      x[0].count(), part_->grain()};
  const HostPoints& t = all_targets();
  blocked_targets_ = {grid, t.x.data(), t.y.data(), t.z.data(), t.count()};
  placed_sources_ = placed_targets_ = {};
  take_samples();
  sample_ = {grid, sampled_.x.data(), sampled_.y.data(), sampled_.z.data(), sampled_.count()};
  add_images(grid);
  images_ = parts_.sum(std::ssize(source_) - sources_.count());
}

/// Behind each source its images: in this order the points of several parts are those of one.
void HostBoxPoints::add_images(const BlockGrid& grid) {
  struct Image {
    CellIndex at;
    Vector3 shift;
  };
  std::vector<std::vector<Image>> images(static_cast<std::size_t>(grid.blocks()));
  for (int block = 0; block < grid.blocks(); ++block)
    for (const CellIndex& n : grid.near_images(block))
      images[static_cast<std::size_t>(block)].push_back({n, cell_->displacement(n)});
  const BlockView places = grid.view();
  with_images_ = {}, source_.clear(), image_.clear();
  for (std::size_t j = 0; j < sources_.x.size(); ++j) {
    const double x[3] = {sources_.x[j], sources_.y[j], sources_.z[j]};
    for (const auto& [n, shift] : images[static_cast<std::size_t>(places.block_of(x))]) {
      source_.push_back(static_cast<std::uint32_t>(j));
      image_.push_back(n);
      with_images_.x.push_back(x[0] + shift[0]);
      with_images_.y.push_back(x[1] + shift[1]);
      with_images_.z.push_back(x[2] + shift[2]);
    }
  }
}

void HostBoxPoints::find_summed() {
  const std::vector<double>* const own[] = {&sources_.x, &sources_.y, &sources_.z};
  for (std::size_t axis = 0; axis < 3; ++axis) summed_[axis] = {*part_, *own[axis], 1};
}

/// Every so many of the targets of all.
void HostBoxPoints::take_samples() {
  const HostPoints& t = all_targets();
  sampled_ = {};
  const std::int64_t step = std::max<std::int64_t>(1, targets() / samples);
  const auto take = [&](std::int64_t begin, std::int64_t end, std::int64_t number) {
    for (std::int64_t i = begin + (step - number % step) % step; i < end; i += step) {
      const auto at = static_cast<std::size_t>(i);
      sampled_.x.push_back(t.x[at]), sampled_.y.push_back(t.y[at]), sampled_.z.push_back(t.z[at]);
    }
  };
  if (!alike_) take(0, apart_, part_apart_->first());
  sampled_apart_ = sampled_.count();
  const std::int64_t before = alike_ ? 0 : apart_, before_all = alike_ ? 0 : part_apart_->all();
  take(before, t.count(), before_all + part_->first());
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

/// Those of points that have moved.
void HostBoxPoints::move_images() {
  for (std::size_t k = 0; k < image_.size(); ++k) {
    const Vector3 shift = cell_->displacement(image_[k]);
    const std::uint32_t j = source_[k];
    with_images_.x[k] = sources_.x[j] + shift[0];
    with_images_.y[k] = sources_.y[j] + shift[1];
    with_images_.z[k] = sources_.z[j] + shift[2];
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
  find_summed();
  const HostPoints& t = all_targets();
  const std::vector<double>* const at[] = {&t.x, &t.y, &t.z};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    blocked_sources_.axis[axis] = summed_[axis].numbers.data();
    blocked_targets_.axis[axis] = at[axis]->data();
  }
  take_samples();
  const std::vector<double>* const sampled[] = {&sampled_.x, &sampled_.y, &sampled_.z};
  for (std::size_t axis = 0; axis < 3; ++axis) sample_.axis[axis] = sampled[axis]->data();
  move_images();
  return true;
}

std::int64_t HostBoxPoints::bytes() const { return 32 * with_images_.count() + 12 * std::ssize(image_); }

Strengths HostBoxPoints::take(const Strengths& strengths, std::int64_t vector) {
  if (strengths.count > 0) cpu::strength_range(strengths, vector, 0, threads_);  // of numbers alone
  charge_ = strengths_of(strengths, vector);
  image_charge_.clear();
  image_charge_.reserve(source_.size());
  for (const std::uint32_t j : source_) image_charge_.push_back(charge_[j]);
  return farfield::strengths(image_charge_);
}

BoxPoints::Net HostBoxPoints::net() {
  const Summed charge(*part_, charge_, 1);
  const std::array<double, 2> net =
      sum_in_pieces<2>(parts_, part_->grain(), charge.count(), threads_,
                       [&](std::int64_t i, double* sum) { sum[0] += charge[i], sum[1] += std::fabs(charge[i]); });
  return {net[0], net[1]};
}

void HostBoxPoints::expand(BlockField& field, double scale) {
  if (sources() == 0 || targets() == 0) return;
  std::vector<double> scaled = charge_;
  for (double& q : scaled) q *= scale;
  field.set(blocked_sources_, Summed(*part_, scaled, 1).numbers.data(),
            [&](std::vector<double>& sum, const Adding& add) { parts_.in_turn(sum, add); });
}

Outputs HostBoxPoints::near_sums(bool gradient, Scalar /*scalar*/) {
  const auto count = static_cast<std::size_t>(all_targets().count());
  with_gradient_ = gradient;
  sums_.potential.resize(count);
  sums_.gradient.resize(gradient ? 3 * count : 0);
  Outputs outputs;
  outputs.scalar = Scalar::float64;
  outputs.potential = sums_.potential.data();
  if (gradient) outputs.gradient = sums_.gradient.data();
  return outputs;
}

double HostBoxPoints::squares(const PartOfPoints& part, std::span<const double> own, std::int64_t width) const {
  const Summed rows(part, own, width);
  return sum_in_pieces<1>(parts_, part.grain(), rows.count() / width, threads_, [&](std::int64_t i, double* sum) {
    for (std::int64_t k = width * i; k < width * (i + 1); ++k) *sum += rows[k] * rows[k];
  })[0];
}

/// Of what is at the targets, `width` numbers for each: first at those that are no sources.
double HostBoxPoints::norm(const std::vector<double>& sums, std::int64_t width) const {
  const std::span<const double> all(sums);
  const auto apart = static_cast<std::size_t>(alike_ ? 0 : width * apart_);
  double sum = alike_ ? 0 : squares(*part_apart_, all.first(apart), width);
  if (alike_ || at_sources_) sum += squares(*part_, all.subspan(apart), width);
  return std::sqrt(sum);
}

double HostBoxPoints::norm_of_samples(const std::vector<double>& values, std::int64_t width) const {
  const auto apart = values.begin() + static_cast<std::ptrdiff_t>(width * sampled_apart_);
  double sum = 0;
  for (const std::vector<double>& own : {std::vector(values.begin(), apart), std::vector(apart, values.end())})
    for (const double value : parts_.gathered(own)) sum += value * value;
  return std::sqrt(sum);
}

BoxPoints::Norms HostBoxPoints::add_far(const BlockField& field) {
  const auto norms_of = [&](double(&of)[2]) {
    of[0] = norm(sums_.potential, 1), of[1] = with_gradient_ ? norm(sums_.gradient, 3) : 0;
  };
  Norms norms{};
  norms_of(norms.near);
  if (sources() > 0 && targets() > 0) {
    field.add(blocked_targets_, sums_.potential.data(), with_gradient_ ? sums_.gradient.data() : nullptr);
    std::vector<double> values(sampled_.x.size()), slopes(with_gradient_ ? 3 * values.size() : 0);
    field.add_highest(sample_, values.data(), with_gradient_ ? slopes.data() : nullptr);
    const double sampled = static_cast<double>(parts_.sum(sampled_.count()));
    const double times = std::sqrt(static_cast<double>(targets()) / sampled);
    norms.highest[0] = times * norm_of_samples(values, 1);
    norms.highest[1] = with_gradient_ ? times * norm_of_samples(slopes, 3) : 0;
  }
  norms_of(norms.all);
  return norms;
}

void HostBoxPoints::deliver(std::int64_t vector, const Outputs& outputs) {
  farfield::deliver(sums_, vector, outputs, {sources_.count(), apart_, at_sources_});
}

/// Sum of q times the gradient.
Vector3 HostBoxPoints::pull_of(const std::vector<double>& gradient) const {
  const Summed charge(*part_, charge_, 1), slope(*part_, gradient, 3);
  return sum_in_pieces<3>(parts_, part_->grain(), charge.count(), threads_, [&](std::int64_t i, double* sum) {
    for (int a = 0; a < 3; ++a) sum[a] += charge[i] * slope[3 * i + a];
  });
}

Vector3 HostBoxPoints::pull() { return pull_of(sums_.gradient); }

std::array<double, 6> HostBoxPoints::virial_of_points(const Vector3& origin) {
  const Summed charge(*part_, charge_, 1), slope(*part_, sums_.gradient, 3);
  return virial_of(summed_, origin, charge, slope, parts_, part_->grain(), threads_);
}

std::vector<Vector3> HostBoxPoints::pulls_of_images(const NearSums& near) {
  const auto count = static_cast<std::size_t>(cell_->periodic_count()), home = sources_.x.size(),
             all = with_images_.x.size();
  std::vector<double> weighted(count * all), gradient(3 * count * home);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t k = 0; k < all; ++k) weighted[i * all + k] = image_charge_[k] * (1 + image_[k][i]);
  Outputs outputs;
  outputs.gradient = gradient.data();
  near(strengths(weighted.data(), with_images_.count(), static_cast<std::int64_t>(count)), outputs);
  std::vector<Vector3> pulls;
  for (std::size_t i = 0; i < count; ++i) {
    const auto begin = gradient.begin() + static_cast<std::ptrdiff_t>(3 * i * home);
    pulls.push_back(pull_of({begin, begin + static_cast<std::ptrdiff_t>(3 * home)}));
  }
  return pulls;
}

}  // namespace farfield
