// Boxes of images and the boxes at home whose multipoles are theirs: found where the boxes' sources are images of one
// another, and of use to plans in cells whose points keep their tree. Images that nothing reads then may stay where
// they were.
#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "backends/cuda/boxes/follow.hpp"
#include "cuda/graphs.hpp"
#include "cuda/ion_arrays.hpp"
#include "support/gpu.hpp"
#include "support/random.hpp"
#include "tree/cell/vector3.hpp"

namespace farfield::testing {
namespace {

/// Random points of a cell with their 26 nearest images, and a tree of them whose targets are the points. `power`:
/// above 1 they crowd in a corner; boxes of up to `few` sources are in near lists then, leaves or not.
class Crystal {
 public:
  Crystal(const Vector3& edges, std::int64_t count, bool divided, Stream& random, double power = 1,
          std::int64_t few = 2)
      : edges_(edges), few_(few) {
    tree_.use(memory_);
    for (std::int64_t i = 0; i < 3 * count; ++i)
      home_.push_back(edges[static_cast<std::size_t>(i % 3)] * std::pow(random.unit(), power));
    for (int n = 0; n < 27; ++n) add_shift((n + 13) % 27);  // home first
    for (std::size_t i = 0; i < static_cast<std::size_t>(27 * count); ++i)
      for (std::size_t d = 0; d < 3; ++d) images_.push_back(home_[i / 27 * 3 + d] + shifts_[i % 27].shift[d]);
    build(count, divided);
  }

  /// ImageBoxesView on the host, of boxes in the order of the tree.
  struct Lists {
    std::vector<BoxId> home, first_source, apart, own, parent, begin;  ///< begin: of parents, by level
  };
  Lists lists() {
    const Followed followed(*this);
    const cuda::ImageBoxesView& view = followed.in_tree.boxes().view();
    const std::vector<BoxId> begin(view.parent_begin, view.parent_begin + levels() + 1);
    return {downloaded(view.home, boxes()),        downloaded(view.first_source, boxes()),
            downloaded(view.apart, view.aparts),   downloaded(view.own, view.owns),
            downloaded(view.parent, begin.back()), begin};
  }
  int levels() const { return tree_.tree.levels; }
  int level(BoxId b) const { return level_[at(b)]; }
  BoxId first_child(BoxId b) const { return first_child_[at(b)]; }
  BoxId parent(BoxId b) const { return parent_[at(b)]; }

  /// Of sources in the order of the tree, and of what pads it: is something read of it?
  std::vector<bool> in_reach() {
    const Followed followed(*this);
    const cuda::SourcesInReach& found = followed.in_tree.in_reach();
    std::vector<bool> in_reach(order_.size());
    for (const std::uint32_t s : downloaded(found.source(), found.count())) in_reach.at(s) = true;
    return in_reach;
  }

  /// Moves all points a little, those in reach first; then all others. After each, [source]: does it stand where the
  /// image of its moved point is?
  std::array<std::vector<bool>, 2> follow(Stream& random) {
    for (double& x : home_) x += 1e-3 * random.between(-1, 1);
    Followed followed(*this);
    const Points sources = points(images_.data(), std::ssize(images_) / 3),
                 targets = points(home_.data(), std::ssize(home_) / 3);
    OnDevice<int> beyond(std::vector<int>{0});
    cuda::keep_origins(tree_);
    cuda::FollowPoints(tree_, sources, &targets, Scaling(geometry_.exponent), Drift{1}, followed.images)
        .launch(beyond.data(), &followed.in_tree.in_reach());
    std::array<std::vector<bool>, 2> moved{moved_sources(), {}};
    followed.in_tree.move_all(tree_);
    moved[1] = moved_sources();
    return moved;
  }

  /// Where a source of a box is, and which point.
  struct Place {
    std::uint32_t point;
    Vector3 at;
  };
  using Places = std::vector<Place>;
  /// Of all boxes, after moves of all points: the sources as SourcesAtHome has them; empty of boxes that are neither
  /// leaves nor in near lists. Places of targets are about their leaves. Then moves all that stayed.
  std::vector<Places> at_home(Stream& random) {
    for (double& x : home_) x += 1e-3 * random.between(-1, 1);
    Followed followed(*this);
    const Points sources = points(images_.data(), std::ssize(images_) / 3);
    Points targets = points(followed.home.data(), std::ssize(home_) / 3);
    targets.space = MemorySpace::device;
    OnDevice<int> beyond(std::vector<int>{0});
    cuda::keep_origins(tree_);
    const cuda::FollowPoints follow(tree_, sources, &targets, scale(), Drift{1}, followed.images);
    followed.in_tree.follow(follow, true, true, beyond.data());
    EXPECT_TRUE(followed.in_tree.all_stay());
    std::vector<Places> found = places(followed.in_tree.at_home());
    const std::vector<bool> stay = moved_sources();
    EXPECT_EQ(std::count(stay.begin(), stay.end(), true), 0);
    followed.in_tree.move_all(tree_);
    EXPECT_EQ(std::ssize(home_) / 3, moved_targets());
    return found;
  }
  /// The same as they are.
  Places places_of(BoxId b) const {
    Places places;
    for (std::int64_t s = begin(b); s < end(b); ++s) {
      const std::uint32_t i = order_[static_cast<std::size_t>(s)];
      Place own{i / 27, {}};
      for (std::size_t d = 0; d < 3; ++d) own.at[d] = scale()(home_[i / 27 * 3 + d] + shifts_[i % 27].shift[d]);
      places.push_back(own);
    }
    return places;
  }

  /// Does a leaf touch one that holds points, which are all targets?
  bool touches_points(BoxId b) const {
    return std::any_of(with_points_.begin(), with_points_.end(), [&](BoxId other) {
      bool touch = true;
      for (std::size_t d = 0; d < 3; ++d) {
        const double apart = std::fabs(centre_[d * at(boxes()) + at(b)] - centre_[d * at(boxes()) + at(other)]),
                     reach = 0.5 * (edge(b) + edge(other));
        touch &= apart < 1.000001 * reach;
      }
      return touch;
    });
  }
  std::int64_t begin(BoxId b) const { return begin_[at(b)]; }
  std::int64_t end(BoxId b) const { return end_[at(b)]; }
  std::int64_t sources() const { return std::ssize(images_) / 3; }

  /// By the points of boxes and what they are displaced by: leaves with the same points, all displaced alike.
  std::vector<BoxId> expected_of_leaves() {
    using Points = std::set<std::uint32_t>;
    std::map<Points, BoxId> at_home;
    for (BoxId b = 0; b < boxes(); ++b)
      if (is_leaf(b) && shift_of(b) == 0) at_home[points_of(b)] = b;
    std::vector<BoxId> expected(static_cast<std::size_t>(boxes()), no_box);
    for (BoxId b = 0; b < boxes(); ++b)
      if (is_leaf(b) && shift_of(b).value_or(0) > 0)
        if (const auto same = at_home.find(points_of(b)); same != at_home.end()) expected[at(b)] = same->second;
    return expected;
  }

  BoxId boxes() const { return tree_.tree.boxes; }
  bool is_leaf(BoxId b) const { return mask_[at(b)] == 0; }
  std::set<std::uint32_t> points_of(BoxId b) const {
    std::set<std::uint32_t> points;
    for (std::int64_t s = begin_[at(b)]; s < end_[at(b)]; ++s) points.insert(order_[static_cast<std::size_t>(s)] / 27);
    return points;
  }
  /// Which image all sources of a box are, 0 at home; nothing: several, or it has none.
  std::optional<std::uint32_t> shift_of(BoxId b) const {
    std::set<std::uint32_t> shifts;
    for (std::int64_t s = begin_[at(b)]; s < end_[at(b)]; ++s) shifts.insert(order_[static_cast<std::size_t>(s)] % 27);
    if (shifts.size() != 1) return {};
    return *shifts.begin();
  }
  static std::size_t at(BoxId b) { return static_cast<std::size_t>(b); }

  double edge(BoxId b) const { return tree_.tree.lattice.edge(level_[at(b)]); }

 private:
  /// The tree with its images on the device.
  struct Followed {
    OnDevice<std::uint32_t> point, image;
    OnDevice<NearImage> shifts;
    OnDevice<double> home;
    cuda::ImagesInTree in_tree;
    std::optional<cuda::FollowedImages> images;
    explicit Followed(Crystal& c)
        : point(numbers(c, [](std::uint32_t i) { return i / 27; })),
          image(numbers(c, [](std::uint32_t i) { return i % 27; })),
          shifts(c.shifts_),
          home(c.home_),
          in_tree(c.memory_) {
      const Images all{{}, home.data(), point.data(), image.data(), shifts.data(), 1};
      images = in_tree.find(&all, c.tree_, c.scale(), true);
    }
    template <class Number>
    static std::vector<std::uint32_t> numbers(const Crystal& c, const Number& number) {
      std::vector<std::uint32_t> all;
      for (std::uint32_t i = 0; i < c.sources(); ++i) all.push_back(number(i));
      return all;
    }
  };

  Scaling scale() const { return Scaling(geometry_.exponent); }
  std::vector<bool> moved_sources() const {
    return moved_points(tree_.sources, sources(), [&](std::size_t s, std::size_t d) {
      return home_[order_[s] / 27 * 3 + d] + shifts_[order_[s] % 27].shift[d];
    });
  }
  /// Of each point in the order of the tree: is it at place(point, axis)?
  template <class PlaceOf>
  std::vector<bool> moved_points(const cuda::SortedPoints& sorted, std::int64_t count, const PlaceOf& place) const {
    std::vector<bool> moved(static_cast<std::size_t>(count), true);
    for (std::size_t d = 0; d < 3; ++d) {
      const std::vector<double> now = downloaded(sorted.axis[d].data(), count);
      for (std::size_t i = 0; i < moved.size(); ++i)
        if (now[i] != scale()(place(i, d))) moved[i] = false;
    }
    return moved;
  }
  std::int64_t moved_targets() const {
    const std::int64_t count = std::ssize(home_) / 3;
    const std::vector<std::uint32_t> order = downloaded(tree_.targets.order.data(), count);
    const std::vector<bool> moved =
        moved_points(tree_.targets, count, [&](std::size_t t, std::size_t d) { return home_[3 * order[t] + d]; });
    return std::count(moved.begin(), moved.end(), true);
  }
  std::vector<Places> places(cuda::SourcesAtHome& all) {
    cuda::Work<float> work;
    work.tree = tree_.tree.view();
    all.bind(work);
    const auto first = downloaded(work.tree.source_begin, boxes()), last = downloaded(work.tree.source_end, boxes()),
               target = downloaded(work.tree.target_begin, boxes()), end = downloaded(work.tree.target_end, boxes());
    const std::vector<BoxId> about = downloaded(work.about, work.places);
    const std::vector<std::uint32_t> point = downloaded(all.order(), work.places);
    std::vector<double> axis[3];
    for (int d = 0; d < 3; ++d) axis[d] = downloaded(work.source[d], work.places);
    std::vector<Places> found(static_cast<std::size_t>(boxes()));
    for (BoxId b = 0; b < boxes(); ++b) {
      for (std::int64_t t = target[at(b)]; is_leaf(b) && t < end[at(b)]; ++t)
        EXPECT_EQ(about[static_cast<std::size_t>(t)], b);
      EXPECT_EQ(last[at(b)] - first[at(b)], this->end(b) - begin(b)) << b;
      for (std::int64_t s = first[at(b)]; (is_leaf(b) || is_listed(b)) && s < last[at(b)]; ++s) {
        const auto i = static_cast<std::size_t>(s);
        Place own{point[i], {}};
        for (std::size_t d = 0; d < 3; ++d)
          own.at[d] = axis[d][i] + centre_[d * at(boxes()) + at(b)] - centre_[d * at(boxes()) + at(about[i])];
        found[at(b)].push_back(own);
      }
    }
    return found;
  }
  bool is_listed(BoxId b) {
    if (listed_.empty()) {
      const std::int64_t items = downloaded(tree_.lists.near.begin.data() + boxes(), 1).front();
      for (const BoxId box : downloaded(tree_.lists.near.items.data(), items)) listed_.insert(box);
    }
    return listed_.contains(b);
  }
  void add_shift(int n) {
    const std::int32_t away[3] = {n / 9 - 1, n / 3 % 3 - 1, n % 3 - 1};
    shifts_.push_back({{away[0] * edges_[0], away[1] * edges_[1], away[2] * edges_[2]}, {away[0], away[1], away[2]}});
  }
  void build(std::int64_t count, bool divided) {
    const Points sources = points(images_.data(), 27 * count), targets = points(home_.data(), count);
    geometry_ = cuda::survey(sources, &targets, memory_);
    geometry_.of_cell = divided;
    for (std::size_t d = 0; d < 3 && divided; ++d)
      geometry_.of_targets.low[d] = 0, geometry_.of_targets.high[d] = edges_[d];
    cuda::build(tree_, sources, &targets, geometry_, {{12, 4, true}, 6, -1, {few_, few_}, {}});
    begin_ = downloaded(tree_.tree.source_begin.data(), boxes());
    end_ = downloaded(tree_.tree.source_end.data(), boxes());
    mask_ = downloaded(tree_.tree.child_mask.data(), boxes());
    first_child_ = downloaded(tree_.tree.first_child.data(), boxes());
    parent_ = downloaded(tree_.tree.parent.data(), boxes());
    level_ = downloaded(tree_.tree.level.data(), boxes());
    centre_ = downloaded(tree_.tree.centre.data(), 3 * std::int64_t(boxes()));
    order_ = downloaded(tree_.sources.order.data(), 27 * count + padding);
    for (BoxId b = 0; b < boxes(); ++b)
      if (is_leaf(b) && shift_of(b) == 0) with_points_.push_back(b);
  }
  template <class T>
  static std::vector<T> downloaded(const T* from, std::int64_t count) {
    std::vector<T> to(static_cast<std::size_t>(count));
    cuda::download(to.data(), from, count, nullptr);
    cuda::require(cudaDeviceSynchronize(), "download");
    return to;
  }

  Vector3 edges_;
  std::int64_t few_;
  std::vector<double> home_, images_;
  std::vector<NearImage> shifts_;
  cuda::DeviceMemory memory_;
  cuda::CudaTree tree_;
  Geometry geometry_;
  std::vector<std::int64_t> begin_, end_;
  std::vector<std::uint8_t> mask_;
  std::vector<std::int8_t> level_;
  std::vector<double> centre_;
  std::vector<std::uint32_t> order_;
  std::vector<BoxId> first_child_, parent_, with_points_;  ///< with_points_: leaves
  std::set<BoxId> listed_;                                 ///< in near lists
};

class CudaImageBoxes : public GpuTest {};

TEST_F(CudaImageBoxes, AreThoseWithThePointsOfABoxAtHome) {
  Stream random = fresh_stream();
  for (const Vector3& edges : {Vector3{1.1, 1.1, 1.1}, Vector3{0.7, 2.1, 0.7}, Vector3{3, 1.5, 4.5}}) {
    Crystal crystal(edges, few_points(5000), true, random);
    const std::vector<BoxId> found = crystal.lists().home, expected = crystal.expected_of_leaves();
    std::int64_t leaves = 0, parents = 0;
    for (BoxId b = 0; b < crystal.boxes(); ++b) {
      const BoxId home = found[crystal.at(b)];
      if (crystal.is_leaf(b)) EXPECT_EQ(home, expected[crystal.at(b)]) << b;
      if (home == no_box) continue;
      (crystal.is_leaf(b) ? leaves : parents) += 1;
      EXPECT_EQ(crystal.points_of(home), crystal.points_of(b)) << b;
      EXPECT_EQ(crystal.shift_of(home), 0u) << b;
    }
    std::printf("%d boxes, homes of %lld leaves and %lld parents\n", static_cast<int>(crystal.boxes()),
                static_cast<long long>(leaves), static_cast<long long>(parents));
    EXPECT_GT(8 * (leaves + parents), 7 * crystal.boxes());  // 26 of 27 are images, the largest hold several
    EXPECT_GT(parents, 0);
  }
}

TEST_F(CudaImageBoxes, AreLookedForAtHomeByTheirParents) {
  Stream random = fresh_stream();
  for (const Vector3& edges : {Vector3{1.1, 1.1, 1.1}, Vector3{3, 1.5, 4.5}}) {
    Crystal crystal(edges, few_points(5000), true, random);
    const Crystal::Lists found = crystal.lists();
    std::vector<BoxId> apart, own, parents, begin(static_cast<std::size_t>(crystal.levels()) + 1, 0);
    for (BoxId b = 0; b < crystal.boxes(); ++b) {
      const BoxId home = found.home[crystal.at(b)];
      EXPECT_EQ(found.first_source[crystal.at(b)], crystal.first_child(home == no_box ? b : home)) << b;
      if (crystal.level(b) > 1 && home != no_box && found.home[crystal.at(crystal.parent(b))] == no_box)
        apart.push_back(b);
      if (crystal.level(b) < 2 || (crystal.is_leaf(b) && home == no_box)) own.push_back(b);
      if (crystal.is_leaf(b) || home != no_box) continue;
      parents.push_back(b);
      for (int above = crystal.level(b) + 1; above <= crystal.levels(); ++above)
        ++begin[static_cast<std::size_t>(above)];
    }
    EXPECT_EQ(found.apart, apart);
    EXPECT_EQ(found.own, own);
    EXPECT_EQ(found.parent, parents);
    EXPECT_EQ(found.begin, begin);
    EXPECT_FALSE(apart.empty());
  }
}

TEST_F(CudaImageBoxes, AreNoneWhereBoxesDoNotDivideTheCell) {
  Stream random(5);
  Crystal crystal({1.1, 1.1, 1.1}, few_points(5000), false, random);
  for (const BoxId home : crystal.lists().home) EXPECT_EQ(home, no_box);
}

/// Pairs need what touches the cell, p2m what is at home.
TEST_F(CudaImageBoxes, LetTheOthersStayThatNothingReads) {
  Stream random = fresh_stream();
  for (const Vector3& edges : {Vector3{1.1, 1.1, 1.1}, Vector3{0.7, 2.1, 0.7}}) {
    Crystal crystal(edges, few_points(5000), true, random);
    const std::vector<bool> in_reach = crystal.in_reach();
    const std::vector<BoxId> home = crystal.lists().home;
    for (BoxId b = 0; b < crystal.boxes(); ++b)
      for (std::int64_t s = crystal.begin(b); crystal.is_leaf(b) && s < crystal.end(b); ++s)
        if (home[crystal.at(b)] == no_box || crystal.touches_points(b))
          EXPECT_TRUE(in_reach[static_cast<std::size_t>(s)]) << s;
    for (std::size_t i = static_cast<std::size_t>(crystal.sources()) - 1; i < in_reach.size(); ++i)
      EXPECT_TRUE(in_reach[i]) << i;  // what pads the sources repeats the last one
    const auto kept = std::count(in_reach.begin(), in_reach.end(), true);
    std::printf("%lld of %lld sources in reach\n", static_cast<long long>(kept),
                static_cast<long long>(crystal.sources()));
    EXPECT_LT(2 * kept, crystal.sources());
    const auto moved = crystal.follow(random);
    for (std::size_t s = 0; s < moved[0].size(); ++s) {
      EXPECT_EQ(moved[0][s], in_reach[s]) << s;
      EXPECT_TRUE(moved[1][s]) << s;
    }
  }
}

/// Where boxes divide the cell most leaves' sources are targets; where they do not, those of leaves with images are
/// apart.
TEST_F(CudaImageBoxes, HaveTheirSourcesAtHome) {
  Stream random = fresh_stream();
  for (const bool divided : {true, false}) {
    Crystal crystal({0.7, 2.1, 0.7}, few_points(3000), divided, random, 2, 40);
    const std::vector<Crystal::Places> found = crystal.at_home(random);
    std::int64_t leaves = 0, listed = 0;
    for (BoxId b = 0; b < crystal.boxes(); ++b) {
      const Crystal::Places &own = found[crystal.at(b)], expected = crystal.places_of(b);
      if (own.empty()) continue;
      (crystal.is_leaf(b) ? leaves : listed) += 1;
      for (const Crystal::Place& place : expected)
        EXPECT_EQ(std::count_if(own.begin(), own.end(),
                                [&](const Crystal::Place& other) {
                                  return other.point == place.point &&
                                         length(difference(other.at, place.at)) < 1e-6 * crystal.edge(b);
                                }),
                  1)
            << b;
    }
    std::printf("%lld leaves, %lld other boxes in near lists\n", static_cast<long long>(leaves),
                static_cast<long long>(listed));
    EXPECT_GT(leaves, 0);
    EXPECT_GT(listed, 0);
  }
}

/// Nothing changes beyond rounding when a plan comes to know its images, with the first move, nor when replays read
/// targets in place of sources. Returns its report then.
Report serve(const Ions& all, const Rows& cell) {
  const OwnStream stream;
  const Arrays<double> arrays(all, stream);
  Options o = on_gpu(cell, Axes{true, true, true}, 1e-5);
  o.method = Method::fmm, o.gradient = true, o.precision = Precision::single_, o.skin = 1e-3;
  Plan plan(arrays.points(), o);
  for (int k = 0; k < 3; ++k) arrays.evaluate(plan), plan.move(arrays.points());
  const Result<double> followed = arrays.evaluate(plan);
  const Graph step(stream, [&] {
    plan.move(arrays.points());
    plan.evaluate(arrays.strengths(), arrays.outputs());
  });
  step.replay();
  plan.check_replays();
  const Result<double> replayed = arrays.read();
  EXPECT_NE(replayed.potential, followed.potential);
  EXPECT_LE(relative_difference(replayed.potential, followed.potential), 1e-6);
  EXPECT_LE(relative_difference(replayed.gradient, followed.gradient), 1e-6);
  Options fine = o;
  fine.tolerance = 1e-9, fine.precision = Precision::double_, fine.skin = 0;
  Plan exact(arrays.points(), fine);
  const Result<double> expected = arrays.evaluate(exact);
  Plan fresh(arrays.points(), o);
  const Result<double> unknown = arrays.evaluate(fresh);
  EXPECT_NE(followed.potential, unknown.potential);
  EXPECT_LE(relative_difference(followed.potential, expected.potential), o.tolerance);
  EXPECT_LE(relative_difference(followed.gradient, expected.gradient), o.tolerance);
  if (plan.report().degree == fresh.report().degree)
    EXPECT_LE(relative_difference(followed.potential, unknown.potential), 1e-6);
  return plan.report();
}

TEST_F(CudaImageBoxes, ServePlansThatKeepTheirTree) {
  Stream random = fresh_stream();
  const Rows cell{{{1, 0, 0}, {0, 1, 0}, {0, 0, 2}}};
  serve(ions(50000, cell, 0.005, random), cell);
}

/// Leaves at the surface of a drop hear of finer boxes by m2p, some of which are images.
TEST_F(CudaImageBoxes, ServeDrops) {
  Stream random = fresh_stream();
  const Rows cell{{{1, 0, 0}, {0, 1, 0}, {0, 0, 2}}};
  Ions all = ions(50000, cell, 0.005, random);
  for (double& x : all.x) {  // 16 drops, cubes of 0.2
    const double middle = 0.5 * std::floor(2 * x) + 0.25;
    x = middle + 0.4 * (x - middle);
  }
  EXPECT_GT(serve(all, cell).m2p_boxes, 0);
}

/// For a virial images have other charges than their points.
TEST_F(CudaImageBoxes, ServeNoVirial) {
  Stream random(6);
  const OwnStream stream;
  const Rows cell{{{1, 0, 0}, {0, 1, 0}, {0, 0, 2}}};
  const Arrays<double> arrays(ions(50000, cell, 0.005, random), stream);
  Options o = on_gpu(cell, Axes{true, true, true}, 1e-5);
  o.method = Method::fmm, o.gradient = o.virial = true, o.precision = Precision::single_, o.skin = 1e-3;
  Plan plan(arrays.points(), o);
  for (int k = 0; k < 2; ++k) arrays.evaluate(plan), plan.move(arrays.points());
  const Result<double> followed = arrays.evaluate(plan);
  o.skin = 0;
  Plan fresh(arrays.points(), o);
  const Result<double> expected = arrays.evaluate(fresh);
  double size = 0;
  for (const double w : expected.virial) size = std::max(size, std::fabs(w));
  ASSERT_EQ(followed.virial.size(), expected.virial.size());
  for (std::size_t i = 0; i < expected.virial.size(); ++i)
    EXPECT_LE(std::fabs(followed.virial[i] - expected.virial[i]), 1e-4 * size) << i;
}

}  // namespace
}  // namespace farfield::testing
