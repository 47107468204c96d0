#include "plan/repeating/box.hpp"

#include <algorithm>
#include <cmath>
#include <farfield/error.hpp>
#include <utility>

#include "backends/cpu/periodic/block_stages.hpp"
#include "core/number.hpp"
#include "core/stage_clock.hpp"
#include "kernels/traits.hpp"
#include "model/error_model.hpp"
#include "plan/backends.hpp"
#include "plan/report/replays.hpp"
#include "plan/threads.hpp"

namespace farfield {
namespace {

[[noreturn]] void refuse(const std::string& sentence) { throw Error(ErrorCode::usage, sentence); }

// What the near plan and the expansions may err, of the tolerance: together less than all of it, as squares add.
constexpr double near_part = 0.7, far_part = 0.5;
constexpr double omitted_over_highest = 3;  // of the two highest degrees, which are summed, over all that are not
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

Box::Box(const Options& options, const Points& sources, const Points* targets, const PointParts& parts)
    : parts_(parts),
      options_(options),
      with_gradient_(options.gradient),
      cell_(cell_of(options)),
      threads_(settle_team(options.threads).threads) {
  options_.gradient = options.gradient || options.virial;
  const Machine machine = resolve_machine(options, any_on_device(sources, targets));
  simd_ = machine.simd;
  use(machine.backend == Backend::cuda);
  build(sources, targets);
  if (machine.backend != Backend::automatic) return;
  if (near_->report().backend != word_of(Backend::cuda)) return;
  use(true);  // where the near plan has gone, the points go, too
  build(sources, targets);
}

/// Of all.
bool Box::any_on_device(const Points& sources, const Points* targets) const {
  const bool own = sources.space == MemorySpace::device || (targets && targets->space == MemorySpace::device);
  return parts_.sum(own) > 0;
}

void Box::use(bool device) {
  for (std::unique_ptr<BoxPoints>* points : {&points_, &next_})
    *points = device ? make_device_box_points(parts_) : std::make_unique<HostBoxPoints>(parts_, threads_);
  on_device_ = device;
}

void Box::build(const Points& sources, const Points* targets) {
  own_ = {};
  StageClock(own_, true)("cell", [&] {
    points_->read(cell_, sources, targets, options_.at_sources);
    grid_.emplace(grid_for(*points_, cell_, 0));
    points_->place(*grid_);
  });
  evaluated_ = false;
  make_plan();
  if (std::optional<BlockGrid> other = grid_of_boxes()) {
    grid_.emplace(std::move(*other));
    points_->place(*grid_);
    make_plan();
  }
  make_field(grid_->degree(box_degree(options_)));
  describe();
}

void Box::move_near(BoxPoints& points, const BlockGrid& grid) {
  images_followed_ = false;
  const Points at = points.at();
  near_->move({points.with_images(), &at, points.behind(), divided_cell(grid)});
}

/// A cell along the axes whose boxes of images are to have the multipoles of boxes at home: on one device, where points
/// are followed. A virial gives images other charges than their points have (BoxPoints::pulls_of_images). The sums of
/// several ranks, which follow none, have the bits of one plan without.
std::optional<DividedCell> Box::divided_cell(const BlockGrid& grid) const {
  const std::optional<PointBox> cell = grid.cell().along_axes();
  if (!on_device_ || !(options_.skin > 0) || options_.virial || !cell) return {};
  return DividedCell{*cell, grid.of_boxes() ? grid.count(0) : 0};
}

/// Are steps shorter by boxes? Where these are to divide blocks, leaves must be fine enough everywhere: those at the
/// surface of a drop are not. With images the tree follows the cell anyway, and steps by boxes are the shorter ones
/// (one H200, 1e-5: 64 drops 2.16 ms for 2.28, 1,728 drops 2.61 for 2.67); a drop that has none near takes 1.63 ms at
/// 5e-4 in place of 1.18. Steps of few points end with the chain of small kernels from boxes to blocks and back: 81,000
/// atoms of water 0.42 ms in place of 0.32.
bool Box::gains_by_boxes() const {
  constexpr std::int64_t enough_points = 1 << 19;
  return points_->sources() >= enough_points && points_->images() > 0;
}

/// Blocks that the tree's boxes divide, so that far images go its way in replays (HomeBoxes). As many boxes as the near
/// plan has, or one more or less of those along the root.
std::optional<BlockGrid> Box::grid_of_boxes() const {
  const int across = near_->boxes_across();
  const bool single = near_->report().precision == word_of(Precision::single_);
  if (!single || across == 0 || !divided_cell(*grid_) || !parts_.alone() || !gains_by_boxes()) return {};
  for (const int boxes : {across, across + 1, across - 1})
    if (const auto grid = choose_blocks_of_boxes(*grid_, static_cast<double>(points_->sources()), box_degree(options_),
                                                 length(cell_.vector(0)) / boxes))
      return grid;
  return {};
}

/// Images that a device finds from their points are not written down.
void Box::follow_near() {
  const std::optional<Images> images = points_->as_images();
  images_followed_ = images && near_->follow(*images, points_->at());
  if (!images_followed_) move_near(*points_, *grid_);
}

/// Points that have moved a little stay in their blocks; whether also in the boxes of the tree, the near plan decides.
bool Box::follow(const Points& sources, const Points* targets) {
  if (!(options_.skin > 0) || forgets_ || points_->met_by_replays() != Met::nothing) return false;
  own_ = {};
  bool followed = false;
  StageClock(own_, true)("cell", [&] { followed = points_->follow(sources, targets, options_.skin); });
  if (!followed) return false;
  follow_near();
  describe();
  return true;
}

/// Images and near plan follow; whether points went too far only replays know.
bool Box::capture_move(const Points& sources, const Points* targets) {
  if (!near_ || !on_device_ || !(options_.skin > 0) || !evaluated_) return false;
  if (!points_->follow(sources, targets, options_.skin)) return false;
  follow_near();
  points_->followed();
  return true;
}

/// As the last evaluation was summed: whether that is accurate enough for these strengths is not asked.
bool Box::capture_evaluation(const Strengths& strengths, const Outputs& outputs) {
  if (!near_ || !on_device_ || options_.virial || !evaluated_) return false;
  for (std::int64_t v = 0; v < strengths.vectors; ++v) {
    if (capture_in_place(strengths, v, outputs)) continue;
    sum_once(points_->take(strengths, v), outputs.scalar);
    points_->deliver(v, outputs);
  }
  return true;
}

/// Norms, for which the near sums stand by themselves first, are not asked for: those of far images are added to them
/// on their way to the caller, and the near plan finds strengths as it finds points. An H200, 1.1e6 atoms: 19 us for 31
/// and 22 us for 38.
bool Box::capture_in_place(const Strengths& strengths, std::int64_t vector, const Outputs& outputs) {
  if (!images_followed_ || !near_->takes_addends() || near_scalar(outputs.scalar) != outputs.scalar) return false;
  const std::optional<BoxPoints::InPlace> taken = points_->take_in_place(strengths, vector, outputs, options_.gradient);
  if (!taken) return false;
  points_->expand(*far_, options_.scale);
  near_->evaluate_onto(taken->strengths, taken->sums, points_->far_sums());
  return true;
}

void Box::check_replays() const {
  require_nothing_met(points_->met_by_replays());
  if (near_) near_->check_replays();
}

/// Blocks and their expansions are kept where they suit. The points in use stay until the near plan has taken the new
/// ones.
bool Box::move(const Options& options, const Points& sources, const Points* targets) {
  if (!near_ || (!on_device_ && any_on_device(sources, targets))) return false;
  const bool other_cell = rows_of(options) != rows_of(options_);
  if (!other_cell && follow(sources, targets)) return true;
  const UnitCell cell = other_cell ? cell_of(options) : cell_;
  bool suits = !(forgets_ && other_cell);
  std::optional<BlockGrid> other;
  own_ = {};
  StageClock(own_, true)("cell", [&] {
    next_->read(cell, sources, targets, options_.at_sources);
    suits = suits && !(forgets_ && !is_as_planned(*next_));
    if (!suits) return;
    other = other_grid(*next_, cell, other_cell);
    next_->place(other ? *other : *grid_);
  });
  if (!suits) return false;
  if (forgets_) near_->forget();
  move_near(*next_, other ? *other : *grid_);
  forgets_ = evaluated_ = false;
  std::swap(points_, next_);
  cell_ = cell;
  take_cell(options);
  if (other) {
    const int degree = other_cell ? far_->degree() : 0;  // what strengths needed in about the same cell
    grid_.emplace(std::move(*other));
    make_field(std::max(degree, grid_->degree(box_degree(options_))));
  }
  describe();
  return true;
}

void Box::take_cell(const Options& o) {
  options_.cell_x = o.cell_x, options_.cell_ay = o.cell_ay, options_.cell_az = o.cell_az;
  options_.cell_bx = o.cell_bx, options_.cell_y = o.cell_y, options_.cell_bz = o.cell_bz;
  options_.cell_cx = o.cell_cx, options_.cell_cy = o.cell_cy, options_.cell_z = o.cell_z;
}

RepeatedBound Box::bound(const Options& options, std::int64_t sources, std::int64_t targets) {
  const UnitCell cell = cell_of(options);
  const int count = cell.periodic_count(), degree = box_degree(options);
  FractionRange range[3];
  for (int i = count; i < 3; ++i) range[i].high = length(cell.vector(count - 1));
  require_moderate(cell, range);
  std::size_t most = 1;
  std::int64_t tables = 0;
  for (const BlockSums sums : {BlockSums::pairs, BlockSums::waves}) {  // which backend it will be is not known
    const BlockGrid grid = choose_blocks(cell, range, static_cast<double>(sources), degree, sums);
    for (int block = 0; block < grid.blocks(); ++block) most = std::max(most, grid.near_images(block).size());
    const int of_blocks = grid.degree(degree);
    tables =
        std::max(tables, sums == BlockSums::pairs ? BlockField::table_bytes(grid, of_blocks, options.virial)
                                                  : convolution_bytes(grid, of_blocks, options.virial ? 1 + count : 1));
  }
  if (options.skin > 0) tables *= 2;  // blocks of boxes are up to twice as many
  const auto points = sources * static_cast<std::int64_t>(most);
  const std::int64_t virial = options.virial ? 8 * (3 * sources + (2 + count) * points + 4 * count * targets) : 0;
  // where points were; of each image its point, and what finds boxes of images (ImageBoxes)
  const std::int64_t skin = options.skin > 0 ? 48 * (sources + targets) + 20 * points : 0;
  return {points, 8 * (7 * sources + 5 * points + 12 * targets) + virial + skin + tables};
}

/// Of the expansions of boxes: the first guess, see raise_degree.
int Box::box_degree(const Options& o) { return first_degree(o, o.tolerance / 4, false); }

/// Along open axes over the points' extent, and so much more of it on either side.
BlockGrid Box::grid_for(BoxPoints& points, const UnitCell& cell, double margin) const {
  FractionRange range[3];
  for (int i = cell.periodic_count(); i < 3; ++i) {
    range[i] = points.range(i);
    const double more = margin * (range[i].high - range[i].low);
    range[i].low -= more, range[i].high += more;
  }
  require_moderate(cell, range);
  // Costs of waves were measured with many points. Those of few are nearly all a launch's, and would choose by chance.
  constexpr std::int64_t many = 1 << 15;
  const bool waves = on_device_ && points.sources() >= many;
  return choose_blocks(cell, range, static_cast<double>(points.sources()), box_degree(options_),
                       waves ? BlockSums::waves : BlockSums::pairs);
}

/// What the points to be moved need in place of the grid there is. In a cell that differs little it is cut alike.
std::optional<BlockGrid> Box::other_grid(BoxPoints& points, const UnitCell& cell, bool other_cell) const {
  if (!suits(points)) return grid_for(points, cell, 0.05);
  if (!other_cell) return {};
  constexpr double little = 0.1;
  FractionRange range[3];
  for (int i = 0; i < 3; ++i) {
    range[i] = grid_->range(i);
    if (std::fabs(length(cell.vector(i)) - length(cell_.vector(i))) > little * length(cell_.vector(i)))
      return grid_for(points, cell, 0.05);
  }
  require_moderate(cell, range);
  return grid_->in_cell(cell);
}

/// Are the blocks neither too small nor much too large for these points, of which there are about as many?
bool Box::suits(BoxPoints& points) const {
  if (points.sources() > 2 * points_->sources() || 2 * points.sources() < points_->sources()) return false;
  for (int i = cell_.periodic_count(); i < 3; ++i) {
    const FractionRange range = points.range(i), blocks = grid_->range(i);
    if (range.low < blocks.low || range.high > blocks.high) return false;
    if (range.high - range.low < 0.8 * (blocks.high - blocks.low)) return false;
  }
  return true;
}

/// Are blocks and tolerances those that a new plan of these points would have?
bool Box::is_as_planned(BoxPoints& points) const {
  return cell_.periodic_count() == 3 && points.sources() == points_->sources() && share_ == first_share &&
         !grid_->of_boxes() && far_->degree() == std::min(grid_->degree(box_degree(options_)), max_degree);
}

void Box::make_plan() {
  Options inner = options_;
  inner.periodic = Axes::none;
  inner.cell_x = inner.cell_y = inner.cell_z = inner.cell_ay = inner.cell_az = inner.cell_bx = inner.cell_bz =
      inner.cell_cx = inner.cell_cy = 0;
  inner.at_sources = inner.virial = false;
  if (on_device_) inner.backend = Backend::cuda;
  inner.tolerance = std::max(near_part * share_ * options_.tolerance, reachable_tolerance(options_.precision));
  inner.tolerance = std::min(inner.tolerance, options_.tolerance);
  near_.reset();
  images_followed_ = false;
  const Points at = points_->at();
  near_ = parts_.near_plan({points_->with_images(), &at, points_->behind(), divided_cell(*grid_)}, inner);
}

void Box::make_field(int degree) {
  StageClock(own_, true)("images", [&] {
    const BlockStages stages = on_device_ ? BlockStages{} : cpu::block_stages(simd_);
    far_.emplace(*grid_, std::min(degree, max_degree), threads_, stages, options_.virial);
  });
  const int sets = options_.virial ? 1 + cell_.periodic_count() : 1;
  table_bytes_ = on_device_ ? convolution_bytes(*grid_, far_->degree(), sets)
                            : BlockField::table_bytes(*grid_, far_->degree(), options_.virial);
}

void Box::describe() {
  report_ = near_->report();
  report_.tolerance = options_.tolerance;
  report_.gradient = with_gradient_, report_.virial = options_.virial;
  report_.periodic = word_of(options_.periodic);
  const std::array<Vector3, 3> rows = rows_of(options_);
  for (std::size_t i = 0; i < 3; ++i) report_.cell[i] = length(rows[i]);
  report_.sources = points_->sources();
  for (StageReport stage : own_.stages) {
    stage.backend = word_of(backend());
    stage.device = on_device_ ? report_.device : stage.backend;
    stage.precision = word_of(Precision::double_);
    report_.stages.push_back(stage);
  }
  report_.choices.push_back(
      {"images", std::to_string(points_->images()),
       "near images that are summed as points beside the " + std::to_string(points_->sources()) + " given"});
  report_.choices.push_back(
      {"blocks",
       std::to_string(grid_->count(0)) + " x " + std::to_string(grid_->count(1)) + " x " +
           std::to_string(grid_->count(2)),
       "of the cell, with expansions of degree " + std::to_string(far_->degree()) + " for all other images"});
  report_.memory_bytes = bytes();
}

/// Held at most so far. Those of the virial's densities are counted by points in device memory.
std::int64_t Box::bytes() const {
  const std::int64_t all = near_->report().memory_bytes + points_->bytes() + table_bytes_;
  if (!options_.virial || on_device_) return all;
  return all + 8 * cell_.periodic_count() * (points_->images() + 4 * points_->sources());
}

void Box::require_neutral() const {
  if (cell_.periodic_count() == 3) return;
  const BoxPoints::Net net = points_->net();
  if (std::fabs(net.sum) > 1e-9 * net.size)
    throw Error(ErrorCode::input, "the strengths add up to " + number(net.sum) +
                                      ", and with one or two periodic axes their sum over all images "
                                      "has no limit; use strengths that add up to 0, or three axes");
}

/// In single where nothing is lost by it: not for the virial, in which sums of near images nearly cancel.
Scalar Box::near_scalar(Scalar wanted) const {
  const bool single = near_->report().precision == word_of(Precision::single_) && !options_.virial;
  return single ? wanted : Scalar::float64;
}

BoxPoints::Norms Box::sum_once(const Strengths& charges, Scalar wanted) {
  StageClock time(own_, false);
  const Outputs near = points_->near_sums(options_.gradient, near_scalar(wanted));
  time("images", [&] { points_->expand(*far_, options_.scale); });
  near_->evaluate(charges, near);
  if (options_.virial) near_pull_ = points_->pull();
  BoxPoints::Norms norms;
  time("images", [&] { norms = points_->add_far(*far_); });
  return norms;
}

/// Where all images give so much less than the near ones that these must be summed more accurately, makes the plan for
/// it; false if it did. Direct sums are as accurate as they can be.
bool Box::is_good_enough(const BoxPoints::Norms& norms) {
  double share = 1;
  for (int part = judged_from(options_); part < 2; ++part)
    if (norms.near[part] > 0) share = std::min(share, norms.all[part] / norms.near[part]);
  const bool at_limit = near_part * share_ * options_.tolerance <= reachable_tolerance(options_.precision);
  if (share >= share_ || at_limit || near_->report().method == word_of(Method::direct)) return true;
  share_ = 0.7 * share;
  make_plan();
  return false;
}

/// Are the expansions of the far images cut too early for these strengths? Then they are made longer.
bool Box::raise_degree(const BoxPoints::Norms& norms) {
  if (far_->degree() >= max_degree) return false;
  bool exceeds = false;
  for (int part = judged_from(options_); part < 2; ++part) {
    const double least = 1e-3 * norms.near[part];  // the promise holds to this condition
    exceeds = exceeds || omitted_over_highest * norms.highest[part] >
                             far_part * options_.tolerance * std::max(norms.all[part], least);
  }
  if (exceeds) make_field(far_->degree() + 4);
  return exceeds;
}

/// What a strain of positions alone gives, about the cell's centre; then of the lattice alone, far images and near
/// ones.
void Box::find_virial(double* virial) {
  std::fill_n(virial, 6, 0.0);
  if (points_->sources() == 0 || options_.scale == 0) return;
  const std::array<double, 6> own = points_->virial_of_points(grid_->root_centre());
  const std::array<double, 6> far = points_->virial_of_far(*far_);
  for (std::size_t s = 0; s < 6; ++s) virial[s] = own[s] + far[s] / options_.scale;  // of far_ both charges have it
  const std::vector<Vector3> pulls =
      points_->pulls_of_images([&](const Strengths& charges, const Outputs& sums) { near_->evaluate(charges, sums); });
  for (int i = 0; i < cell_.periodic_count(); ++i) {
    const Vector3 pull = difference(pulls[static_cast<std::size_t>(i)], near_pull_), &v = cell_.vector(i);
    for (std::size_t s = 0; s < 6; ++s) {
      const auto [a, b] = Strained::place[s];
      virial[s] += 0.25 * (pull[a] * v[b] + pull[b] * v[a]);
    }
  }
}

void Box::evaluate(const Strengths& strengths, const Outputs& outputs) {
  if (!near_) make_plan();  // an evaluation gave the last one up, and failed to make another
  std::erase_if(own_.stages, [](const StageReport& stage) { return !stage.building; });
  for (std::int64_t v = 0; v < strengths.vectors; ++v) {
    const Strengths charges = points_->take(strengths, v);
    require_neutral();
    BoxPoints::Norms norms = sum_once(charges, outputs.scalar);
    for (bool again = true; again;) {
      again = !is_good_enough(norms);
      again = raise_degree(norms) || again;
      if (again) norms = sum_once(charges, outputs.scalar);
    }
    points_->deliver(v, outputs);
    if (v == 0) describe();
    evaluated_ = true;
    if (outputs.virial) find_virial(outputs.virial + 6 * v);
  }
  report_.vectors = strengths.vectors;
  if (on_device_) report_.memory_bytes = std::max(report_.memory_bytes, bytes());  // with what the virial took
}

}  // namespace farfield
