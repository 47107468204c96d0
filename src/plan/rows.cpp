#include "plan/rows.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <string>

#include "core/number.hpp"
#include "kernels/traits.hpp"
#include "model/error_model.hpp"
#include "plan/threads.hpp"

namespace farfield {

[[noreturn]] static void refuse(const std::string& sentence) { throw Error(ErrorCode::usage, sentence); }

void validate_rows(const Options& o) {
  const KernelTraits& kernel = traits(o.kernel);
  if (!kernel.vector.always || o.periodic != Axes::x)
    refuse(std::string("kernel ") + kernel.name + " is not offered with points that repeat along " +
           word_of(o.periodic) + "; rows along x are, of kernels vortex and cauchy, and any axes of kernel laplace3d");
  if (!(o.cell_x > 0) || !std::isfinite(o.cell_x))
    refuse("cell_x " + number(o.cell_x) + " is not a length; use a finite number above 0");
  const double reach = o.core == Core::none ? 0 : least_box_edge(o, o.tolerance, 0);
  if (reach > o.cell_x)
    refuse("cores of radius " + number(o.core_radius) + " reach beyond the cell of length " + number(o.cell_x) +
           " to that tolerance; use shorter ones");
}

/// Of all finite coordinates along an axis; 0 to 0 where there are none.
Rows::Range Rows::range(const std::vector<double> Flat::*axis) const {
  Range r{INFINITY, -INFINITY};
  for (const Flat* points : {&sources_, &targets_})
    for (const double x : points->*axis)
      if (std::isfinite(x)) r.low = std::min(r.low, x), r.high = std::max(r.high, x);
  return r.low <= r.high ? r : Range{0, 0};
}

/// Points within one length of the cell stay where they are, to the last digit.
void Rows::bring_into_cell(double left) {
  const double length = options_.cell_x;
  for (Flat* points : {&sources_, &targets_})
    for (double& x : points->x)
      if (x - left > length) x = std::clamp(x - length * std::floor((x - left) / length), left, left + length);
}

/// The sum over all images may be smaller than that over the nearest: down to this part of it the tolerance is kept.
/// Stream functions of one sign are, since their mean over the cell is small: a sheet's by 5.
double Rows::least_size() const { return options_.stream_function ? 0.125 : 0.5; }

/// A mean point of the cell has a sum of -log |z - nL|, |n| <= 1, of 1.8 where L = 1: in units in which it is 1.3
/// to 2.6 that and 3 log L differ little, and few digits are lost.
static double unit_beside(double cell) { return std::ldexp(1.0, -std::ilogb(cell / 1.28)); }

void Rows::make_plan() {
  Options inner = options_;
  if (options_.stream_function) unit_ = unit_beside(options_.cell_x);
  inner.core_radius *= unit_;
  inner.periodic = Axes::none, inner.cell_x = 0;
  inner.at_sources = false;
  inner.tolerance = options_.tolerance * least_size();
  if (inner.tolerance < reachable_tolerance(Precision::double_)) inner.tolerance = options_.tolerance;
  Flat images = sources_;
  for (const double shift : {-options_.cell_x, options_.cell_x})
    for (std::size_t j = 0; j < sources_.x.size(); ++j)
      images.x.push_back(sources_.x[j] + shift), images.y.push_back(sources_.y[j]), images.z.push_back(sources_.z[j]);
  const auto view = [](const Flat& flat) {
    return points(flat.x.data(), flat.y.data(), flat.z.data(), std::ssize(flat.x));
  };
  Flat at = alike_ ? sources_ : targets_;
  for (std::vector<double>* axis : {&images.x, &images.y, &at.x, &at.y})
    for (double& x : *axis) x *= unit_;
  near_.emplace(view(images), view(at), inner);
}

Rows::Rows(const Options& options, const Points& sources, const Points* targets)
    : options_(options), alike_(!targets), sources_(read_host(sources)) {
  if (targets) {
    targets_ = read_host(*targets);
    apart_ = targets->count;
    if (options_.at_sources) targets_.append(sources_);
  }
  const double left = range(&Flat::x).low;
  bring_into_cell(left);
  const Range heights = range(&Flat::y);
  if (RowSum::strips_of(options_.cell_x, heights.low, heights.high) > RowSum::most_strips)
    refuse("the points are " + number((heights.high - heights.low) / options_.cell_x) +
           " times as high as the cell is long; rows are offered up to 1,000 times");
  make_plan();
  far_.emplace(options_.cell_x, left, heights.low, heights.high, 0.01 * options_.tolerance, options_.stream_function);
  if (options_.stream_function && options_.core == Core::none)
    coincident_.emplace(sources_.x, sources_.y, options_.cell_x);
  describe();
}

void Rows::describe() {
  report_ = near_->report();
  report_.tolerance = options_.tolerance;
  report_.periodic = word_of(options_.periodic);
  report_.cell[0] = options_.cell_x;
  report_.choices.push_back({"images", "3", "the nearest as points, all others by a series"});
  report_.sources = std::ssize(sources_.x);
}

Rows::Sizes Rows::add_far(const std::vector<double>& q, Sums& sums) {
  const Flat& at = alike_ ? sources_ : targets_;
  const int threads = settle_team(options_.threads).threads;
  for (double& value : sums.gradient) value *= unit_;
  const double gradient = squares_of(sums.gradient), potential = squares_of(sums.potential);
  const double all = std::accumulate(q.begin(), q.end(), 0.0);
  far_->set(at.x.empty() ? std::vector<double>{} : sources_.x, sources_.y, q, threads);
#pragma omp parallel for num_threads(threads)
  for (std::size_t i = 0; i < at.x.size(); ++i) add_far_at(i, q, all, sums);
  Sizes sizes;
  if (gradient > 0) sizes.gradient = std::sqrt(squares_of(sums.gradient) / gradient);
  if (potential > 0) sizes.potential = std::sqrt(squares_of(sums.potential) / potential);
  return sizes;
}

/// The three nearest images were summed as -log |z - nL| in the inner plan's unit, so that each lacks log L. A pair of
/// points that coincide, of which the plan left out one image, contributes nothing.
void Rows::add_far_at(std::size_t i, const std::vector<double>& q, double all, Sums& sums) const {
  const VectorResult& made = traits(options_.kernel).vector;
  const double scale = options_.scale * made.constant;
  const Flat& at = alike_ ? sources_ : targets_;
  const RowSum::Sums far = far_->at(at.x[i], at.y[i]);
  const double gradient[] = {0, -far.field.real(), far.field.imag(), 0};
  for (std::size_t k = 0; k < 2; ++k) sums.gradient[3 * i + k] += scale * made.sign[k] * gradient[made.part[k]];
  if (sums.potential.empty()) return;
  const double log_cell = std::log(options_.cell_x * unit_);
  const double left_out = coincident_ ? coincident_->sum(at.x[i], at.y[i], q) : 0;
  sums.potential[i] +=
      scale * (3 * log_cell * all - far.logarithm + (std::log(2 * std::numbers::pi) - log_cell) * left_out);
}

void Rows::evaluate(const Strengths& strengths, const Outputs& o) {
  double least = INFINITY;
  for (std::int64_t v = 0; v < strengths.vectors; ++v) {
    const std::vector<double> q = strengths_of(strengths, v);
    std::vector<double> all = q;
    for (int image = 0; image < 2; ++image) all.insert(all.end(), q.begin(), q.end());
    Result<double> near = near_->evaluate(all);
    Sums sums{std::move(near.potential), std::move(near.gradient)};
    const Sizes sizes = add_far(q, sums);
    least = std::min({least, sizes.potential, sizes.gradient});
    deliver(sums, v, o, {std::ssize(sources_.x), alike_ ? -1 : apart_, options_.at_sources});
    if (v > 0) continue;
    describe();
    if (!report_.error) continue;
    report_.error->gradient /= sizes.gradient;  // measured before the far images were added
    report_.error->potential /= sizes.potential;
  }
  report_.vectors = strengths.vectors;
  if (least < least_size())
    report_.warnings.push_back("the sum over all images is only " + number(least, 1) +
                               " times that over the nearest; the error may exceed the tolerance by as much");
}

}  // namespace farfield
