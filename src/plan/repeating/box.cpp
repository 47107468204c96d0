#include "plan/repeating/box.hpp"

#include <algorithm>
#include <cmath>
#include <farfield/error.hpp>

#include "core/number.hpp"
#include "core/stage_clock.hpp"
#include "kernels/traits.hpp"
#include "model/error_model.hpp"
#include "plan/threads.hpp"

namespace farfield {
namespace {

[[noreturn]] void refuse(const std::string& sentence) { throw Error(ErrorCode::usage, sentence); }

// What the near plan and the expansions may err, of the tolerance: together less than all of it, as squares add.
constexpr double near_part = 0.7, far_part = 0.5;
constexpr double truncation_safety = 3;  // of the two highest degrees, which are summed, over all that are not
constexpr std::int64_t samples = 1000;
constexpr double most_near_cells = 250000;  // seconds of tables; a cell of 1:1:70

/// All images within twice the longest extent are added up one by one.
void require_moderate(const UnitCell& cell, const FractionRange (&range)[3]) {
  const int one[3] = {1, 1, 1};
  const double edge = BlockGrid(cell, range, one, 0).root_edge();
  double images = 1;
  for (int i = 0; i < cell.periodic_count(); ++i) images *= 4 * edge / length(cell.vector(i)) + 1;
  if (images > most_near_cells)
    refuse("the points and their cell reach " + number(edge / length(cell.vector(0)), 2) +
           " times as far as the cell's shortest vector; use a shorter cell, or several of the short cells as one");
}

}  // namespace

/// The vectors a, b, c.
static std::array<Vector3, 3> rows_of(const Options& o) {
  return {{{o.cell_x, o.cell_ay, o.cell_az}, {o.cell_bx, o.cell_y, o.cell_bz}, {o.cell_cx, o.cell_cy, o.cell_z}}};
}

UnitCell cell_of(const Options& o) {
  std::array<bool, 3> periodic;
  for (unsigned i = 0; i < 3; ++i) periodic[i] = static_cast<unsigned>(o.periodic) >> i & 1;
  return {rows_of(o), periodic};
}

void validate_box(const Options& o) {
  if (o.softening > 0) refuse("points that repeat are not softened; leave the softening out");
  if (o.hessian || o.dipoles) refuse("Hessians and dipoles are not offered with points that repeat; leave them out");
  cell_of(o);
}

Box::Box(const Options& options, const Points& sources, const Points* targets)
    : options_(options),
      with_gradient_(options.gradient),
      cell_(cell_of(options)),
      alike_(!targets),
      threads_(settle_team(options.threads).threads),
      sources_(read_host(sources)) {
  options_.gradient = options.gradient || options.virial;
  if (targets) {
    targets_ = read_host(*targets);
    apart_ = targets->count;
    if (options_.at_sources) targets_.append(sources_);
  }
  StageClock time(own_, true);
  time("cell", [&] { place_images(); });
  make_plan();
  make_field(grid_->degree(box_degree(options_)));
  describe();
}

void Box::place_images() {
  wrap(sources_), wrap(targets_);
  make_grid();
  add_images();
}

RepeatedBound Box::bound(const Options& options, std::int64_t sources, std::int64_t targets) {
  const UnitCell cell = cell_of(options);
  const int count = cell.periodic_count(), degree = box_degree(options);
  FractionRange range[3];
  for (int i = count; i < 3; ++i) range[i].high = length(cell.vector(count - 1));
  require_moderate(cell, range);
  const BlockGrid grid = choose_blocks(cell, range, static_cast<double>(sources), degree);
  std::size_t most = 1;
  for (int block = 0; block < grid.blocks(); ++block) most = std::max(most, grid.near_images(block).size());
  const auto points = sources * static_cast<std::int64_t>(most);
  const std::int64_t virial = options.virial ? 8 * (3 * sources + (2 + count) * points + 4 * count * targets) : 0;
  return {points, 8 * (6 * sources + 5 * points + 8 * targets) + virial +
                      BlockField::table_bytes(grid, grid.degree(degree), options.virial)};
}

/// Points that are not numbers stay: the near plan has the words for them.
void Box::wrap(HostPoints& p) const {
#pragma omp parallel for num_threads(threads_)
  for (std::size_t i = 0; i < p.x.size(); ++i) {
    const Vector3 given{p.x[i], p.y[i], p.z[i]};
    if (!std::isfinite(given[0] + given[1] + given[2])) continue;
    const Vector3 home = cell_.wrapped(given);
    p.x[i] = home[0], p.y[i] = home[1], p.z[i] = home[2];
  }
}

/// Of the expansions of boxes: the first guess, see raise_degree.
int Box::box_degree(const Options& o) { return degree_for(o.kernel, o.tolerance / 4, false, o.gradient ? 1 : 0); }

void Box::make_grid() {
  FractionRange range[3];
  for (int i = cell_.periodic_count(); i < 3; ++i) {
    double low = INFINITY, high = -INFINITY;
    for (const HostPoints* p : {&sources_, &targets_})
      for (std::size_t j = 0; j < p->x.size(); ++j) {
        const double f = cell_.fraction({p->x[j], p->y[j], p->z[j]}, i);
        if (std::isfinite(f)) low = std::min(low, f), high = std::max(high, f);
      }
    range[i] = low <= high ? FractionRange{low, high} : FractionRange{0, 0};
  }
  require_moderate(cell_, range);
  grid_.emplace(choose_blocks(cell_, range, static_cast<double>(sources_.count()), box_degree(options_)));
}

void Box::add_images() {
  blocked_sources_ = {*grid_, sources_.x.data(), sources_.y.data(), sources_.z.data(), sources_.count()};
  const HostPoints& t = at();
  blocked_targets_ = {*grid_, t.x.data(), t.y.data(), t.z.data(), t.count()};
  const std::int64_t step = std::max<std::int64_t>(1, t.count() / samples);
  for (std::int64_t i = 0; i < t.count(); i += step)
    sampled_.x.push_back(t.x[i]), sampled_.y.push_back(t.y[i]), sampled_.z.push_back(t.z[i]);
  sample_ = {*grid_, sampled_.x.data(), sampled_.y.data(), sampled_.z.data(), sampled_.count()};
  with_images_ = sources_;
  for (int block = 0; block < grid_->blocks(); ++block)
    for (const CellIndex& n : grid_->near_images(block)) {
      if (n == CellIndex{0, 0, 0}) continue;
      const Vector3 shift = cell_.displacement(n);
      for (const BlockedPoints::Part& part : blocked_sources_.parts)
        for (std::int64_t k = part.first; part.block == block && k < part.last; ++k) {
          const std::uint32_t j = blocked_sources_.order[static_cast<std::size_t>(k)];
          source_.push_back(j);
          if (options_.virial) image_.push_back(n);
          with_images_.x.push_back(sources_.x[j] + shift[0]);
          with_images_.y.push_back(sources_.y[j] + shift[1]);
          with_images_.z.push_back(sources_.z[j] + shift[2]);
        }
    }
}

void Box::make_plan() {
  Options inner = options_;
  inner.periodic = Axes::none;
  inner.cell_x = inner.cell_y = inner.cell_z = inner.cell_ay = inner.cell_az = inner.cell_bx = inner.cell_bz =
      inner.cell_cx = inner.cell_cy = 0;
  inner.at_sources = inner.virial = false;
  inner.tolerance = std::max(near_part * share_ * options_.tolerance, reachable_tolerance(options_.precision));
  inner.tolerance = std::min(inner.tolerance, options_.tolerance);
  near_.reset();
  near_.emplace(with_images_.view(), at().view(), inner);
}

void Box::make_field(int degree) {
  StageClock(own_, true)("images",
                         [&] { far_.emplace(*grid_, std::min(degree, max_degree), threads_, options_.virial); });
}

void Box::describe() {
  report_ = near_->report();
  report_.tolerance = options_.tolerance;
  report_.gradient = with_gradient_, report_.virial = options_.virial;
  report_.periodic = word_of(options_.periodic);
  const std::array<Vector3, 3> rows = rows_of(options_);
  for (std::size_t i = 0; i < 3; ++i) report_.cell[i] = length(rows[i]);
  report_.sources = sources_.count();
  for (StageReport stage : own_.stages) {
    stage.backend = stage.device = "cpu", stage.precision = "double";
    report_.stages.push_back(stage);
  }
  report_.choices.push_back(
      {"images", std::to_string(std::ssize(source_)),
       "near images that are summed as points beside the " + std::to_string(sources_.count()) + " given"});
  report_.choices.push_back(
      {"blocks",
       std::to_string(grid_->count(0)) + " x " + std::to_string(grid_->count(1)) + " x " +
           std::to_string(grid_->count(2)),
       "of the cell, with expansions of degree " + std::to_string(far_->degree()) + " for all other images"});
  report_.memory_bytes += BlockField::table_bytes(*grid_, far_->degree(), options_.virial) + 32 * with_images_.count();
  if (!options_.virial) return;
  report_.memory_bytes +=
      12 * std::ssize(image_) + 8 * cell_.periodic_count() * (with_images_.count() + 3 * sources_.count());
}

void Box::require_neutral(const std::vector<double>& charge) const {
  double sum = 0, size = 0;
  for (const double q : charge) sum += q, size += std::fabs(q);
  if (cell_.periodic_count() < 3 && std::fabs(sum) > 1e-9 * size)
    throw Error(ErrorCode::input, "the strengths add up to " + number(sum) +
                                      ", and with one or two periodic axes their sum over all images "
                                      "has no limit; use strengths that add up to 0, or three axes");
}

/// Sum of q times the gradient.
static Vector3 pull_of(const std::vector<double>& charge, const double* gradient) {
  Vector3 pull{};
  for (std::size_t j = 0; j < charge.size(); ++j)
    for (std::size_t a = 0; a < 3; ++a) pull[a] += charge[j] * gradient[3 * j + a];
  return pull;
}

HostSums Box::sum_once(const std::vector<double>& charge) {
  std::vector<double> all = charge;
  all.reserve(with_images_.x.size());
  for (const std::uint32_t j : source_) all.push_back(charge[j]);
  Result<double> near = near_->evaluate(all);
  HostSums sums{std::move(near.potential), std::move(near.gradient)};
  if (options_.virial) near_pull_ = pull_of(charge, sums.gradient.data());
  near_potential_ = std::sqrt(squares_of(sums.potential)), near_gradient_ = std::sqrt(squares_of(sums.gradient));
  if (charge.empty() || at().x.empty()) return sums;
  std::vector<double> scaled = charge;
  for (double& q : scaled) q *= options_.scale;
  StageClock(own_, false)("images", [&] {
    far_->set(blocked_sources_, scaled.data());
    far_->add(blocked_targets_, sums.potential.empty() ? nullptr : sums.potential.data(),
              sums.gradient.empty() ? nullptr : sums.gradient.data());
  });
  return sums;
}

/// Where all images give so much less than the near ones that these must be summed more accurately, makes the plan for
/// it; false if it did. Direct sums are as accurate as they can be.
bool Box::is_good_enough(const HostSums& sums) {
  double share = 1;
  if (near_potential_ > 0) share = std::min(share, std::sqrt(squares_of(sums.potential)) / near_potential_);
  if (near_gradient_ > 0) share = std::min(share, std::sqrt(squares_of(sums.gradient)) / near_gradient_);
  const bool at_limit = near_part * share_ * options_.tolerance <= reachable_tolerance(options_.precision);
  if (share >= share_ || at_limit || near_->report().method == word_of(Method::direct)) return true;
  share_ = 0.7 * share;
  make_plan();
  return false;
}

/// Are the expansions of the far images cut too early for these strengths? Then they are made longer.
bool Box::raise_degree(const HostSums& sums) {
  if (at().x.empty() || far_->degree() >= max_degree) return false;
  const auto size = sampled_.x.size();
  std::vector<double> potential(size), gradient(options_.gradient ? 3 * size : 0);
  far_->add_highest(sample_, potential.data(), gradient.empty() ? nullptr : gradient.data());
  const double times = std::sqrt(static_cast<double>(at().count()) / static_cast<double>(size)) * truncation_safety;
  const auto exceeds = [&](const std::vector<double>& lacking, const std::vector<double>& all, double near) {
    const double least = 1e-3 * near;  // the promise holds to this condition
    return !all.empty() && times * std::sqrt(squares_of(lacking)) >
                               far_part * options_.tolerance * std::max(std::sqrt(squares_of(all)), least);
  };
  if (!exceeds(potential, sums.potential, near_potential_) && !exceeds(gradient, sums.gradient, near_gradient_))
    return false;
  make_field(far_->degree() + 4);
  return true;
}

/// What a strain of positions alone gives, about the cell's centre; then of the lattice alone, far images and near
/// ones.
void Box::find_virial(const std::vector<double>& charge, const HostSums& sums, double* virial) {
  std::fill_n(virial, 6, 0.0);
  if (charge.empty() || options_.scale == 0) return;
  const std::array<double, 6> own = virial_of(sources_, grid_->root_centre(), charge, sums.gradient.data());
  const std::array<double, 6> far = far_->virial();
  for (std::size_t s = 0; s < 6; ++s) virial[s] = own[s] + far[s] / options_.scale;  // of far_ both charges have it
  add_images_virial(charge, virial);
}

/// Half the sum of q times the gradient of the potential of near images, weighted by how many vectors these are away.
/// All weights are 1 more, and the near sum is taken off again: images alone give so little that the near plan, whose
/// tolerance is relative, would take pains with it.
void Box::add_images_virial(const std::vector<double>& charge, double* virial) {
  const auto count = static_cast<std::size_t>(cell_.periodic_count()), home = charge.size();
  std::vector<double> weighted(count * with_images_.x.size()), gradient(3 * count * home);
  for (std::size_t i = 0; i < count; ++i) {
    std::copy(charge.begin(), charge.end(), &weighted[i * with_images_.x.size()]);
    for (std::size_t k = 0; k < image_.size(); ++k)
      weighted[i * with_images_.x.size() + home + k] = charge[source_[k]] * (1 + image_[k][i]);
  }
  Outputs outputs;
  outputs.gradient = gradient.data();
  near_->evaluate(strengths(weighted, with_images_.count(), static_cast<std::int64_t>(count)), outputs);
  for (std::size_t i = 0; i < count; ++i) {
    const Vector3 pull = difference(pull_of(charge, &gradient[3 * i * home]), near_pull_);
    for (std::size_t s = 0; s < 6; ++s) {
      const auto [a, b] = Strained::place[s];
      const Vector3& v = cell_.vector(static_cast<int>(i));
      virial[s] += 0.25 * (pull[a] * v[b] + pull[b] * v[a]);
    }
  }
}

void Box::evaluate(const Strengths& strengths, const Outputs& outputs) {
  std::erase_if(own_.stages, [](const StageReport& stage) { return !stage.building; });
  for (std::int64_t v = 0; v < strengths.vectors; ++v) {
    const std::vector<double> charge = strengths_of(strengths, v);
    require_neutral(charge);
    HostSums sums = sum_once(charge);
    for (bool again = true; again;) {
      again = !is_good_enough(sums);
      again = raise_degree(sums) || again;
      if (again) sums = sum_once(charge);
    }
    deliver(sums, v, outputs, {sources_.count(), apart_, options_.at_sources});
    if (v == 0) describe();
    if (outputs.virial) find_virial(charge, sums, outputs.virial + 6 * v);
  }
  report_.vectors = strengths.vectors;
}

}  // namespace farfield
