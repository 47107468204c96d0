// The share of a rank made on its device equals the one made on the CPU from the same points, array by array and bit by
// bit. The ranks are threads that share a device. Skips without one, or fails where FARFIELD_REQUIRE_GPU=1.
#include <chrono>
#include <limits>
#include <mutex>
#include <numeric>

#include "backends/cpu/transfer/survey.hpp"
#include "backends/cuda/transfer/points.hpp"
#include "distributed/clouds.hpp"
#include "distributed/cuda/share.hpp"
#include "distributed/cuda/transport.hpp"
#include "distributed/shares.hpp"
#include "support/gpu.hpp"

namespace farfield::testing {
namespace {

using distributed::Begins;
using distributed::DeviceShare;
using distributed::OnDevice;
using distributed::Order;
using distributed::Share;

template <class T>
std::vector<T> on_host(const OnDevice<T>& array) {
  std::vector<T> copy(static_cast<std::size_t>(array.size()));
  cuda::download(copy.data(), array.data(), array.size(), nullptr);
  cuda::require(cudaStreamSynchronize(nullptr), "cudaStreamSynchronize");  // others end plans on the device meanwhile
  return copy;
}

/// Reports the first element that differs.
template <class T>
void compare(const std::string& name, const std::vector<T>& expected, const std::vector<T>& found) {
  if (found.size() != expected.size())
    ADD_FAILURE() << name << " has " << found.size() << " elements instead of " << expected.size();
  for (std::size_t i = 0; i < std::min(expected.size(), found.size()); ++i)
    if (found[i] != expected[i]) {
      ADD_FAILURE() << name << "[" << i << "] of " << expected.size() << " is " << +found[i] << " instead of "
                    << +expected[i];
      return;
    }
}
template <class T>
void compare(const std::string& name, const std::vector<T>& expected, const OnDevice<T>& found) {
  compare(name, expected, on_host(found));
}
template <class T>
void compare(const std::string& name, const Array<T>& expected, const OnDevice<T>& found) {
  compare(name, std::vector<T>(expected.begin(), expected.end()), found);
}

void compare(const std::string& name, const cpu::SortedPoints& expected, const cuda::SortedPoints& found) {
  EXPECT_EQ(found.count, expected.count) << name;
  if (found.count == 0 && expected.count == 0) return;
  for (int d = 0; d < 3; ++d) {
    std::vector<double> x = on_host(found.axis[d]);
    x.resize(found.order.size());  // there may be more
    compare(
        name + "xyz" [d], { expected.axis[d].begin(), expected.axis[d].end() }, x);
  }
  compare(name + "order", expected.order, found.order);
}

void compare(const std::string& name, const Tree<Array>& e, const Tree<OnDevice>& f) {
  EXPECT_EQ(f.boxes, e.boxes) << name;
  EXPECT_EQ(f.levels, e.levels) << name;
  for (int level = 0; level <= e.levels; ++level)
    EXPECT_EQ(f.level_begin[level], e.level_begin[level]) << name << level;
  compare(name + "level", e.level, f.level);
  compare(name + "centre", e.centre, f.centre);
  compare(name + "parent", e.parent, f.parent);
  compare(name + "first_child", e.first_child, f.first_child);
  compare(name + "child_mask", e.child_mask, f.child_mask);
  compare(name + "octant", e.octant, f.octant);
  compare(name + "source_begin", e.source_begin, f.source_begin);
  compare(name + "source_end", e.source_end, f.source_end);
  compare(name + "target_begin", e.target_begin, f.target_begin);
  compare(name + "target_end", e.target_end, f.target_end);
}

void compare(const Lists<Array>& expected, const Lists<OnDevice>& found) {
  compare("near.begin", expected.near.begin, found.near.begin);
  compare("near.items", expected.near.items, found.near.items);
  compare("m2p.begin", expected.m2p.begin, found.m2p.begin);
  compare("m2p.items", expected.m2p.items, found.m2p.items);
  compare("p2l.begin", expected.p2l.begin, found.p2l.begin);
  compare("p2l.items", expected.p2l.items, found.p2l.items);
}

void compare(const std::string& name, const std::vector<distributed::Halo>& expected,
             const distributed::DeviceHalo& found) {
  std::vector<std::int64_t> boxes, points;
  std::vector<BoxId> box;
  std::vector<std::uint32_t> point;
  for (const distributed::Halo& halo : expected) {
    boxes.push_back(std::ssize(halo.boxes)), points.push_back(halo.points());
    box.insert(box.end(), halo.boxes.begin(), halo.boxes.end());
    for (const distributed::Interval& one : halo.intervals)
      for (std::int64_t i = one.begin; i < one.end; ++i) point.push_back(static_cast<std::uint32_t>(i));
  }
  compare(name + "box_begin", distributed::begins_of(boxes), found.box_begin);
  compare(name + "point_begin", distributed::begins_of(points), found.point_begin);
  compare(name + "boxes", box, found.boxes);
  compare(name + "points", point, found.points);
}

/// `owner`: of the points in the caller's order.
void compare(const std::string& name, const std::vector<std::int32_t>& owner, const distributed::Route& expected,
             const distributed::DeviceRoute& found) {
  std::vector<std::uint32_t> row(owner.size());
  std::iota(row.begin(), row.end(), 0u);
  std::stable_sort(row.begin(), row.end(), [&](std::uint32_t a, std::uint32_t b) { return owner[a] < owner[b]; });
  if (found.given.empty())
    EXPECT_TRUE(std::is_sorted(row.begin(), row.end())) << name << "given";
  else
    compare(name + "given", row, found.given);
  EXPECT_EQ(found.received.back(), expected.owned()) << name;
  EXPECT_EQ(found.migrants, expected.migrants()) << name;
}

void compare(const Share& expected, const DeviceShare& found) {
  compare("source_route.", expected.partition.source_owner, expected.source_route, found.source_route);
  if (!expected.own.alike)
    compare("target_route.", expected.partition.target_owner, expected.target_route_apart, found.target_route_apart);
  EXPECT_EQ(found.own.alike, expected.own.alike);
  EXPECT_EQ(found.essential.alike, expected.essential.alike);
  EXPECT_EQ(found.first, expected.essential.first);
  EXPECT_EQ(found.first_source, expected.own.first_source);
  EXPECT_EQ(found.first_target, expected.own.first_target);
  EXPECT_EQ(found.ghosts, expected.essential.ghosts);
  EXPECT_EQ(found.own.sources.count, expected.own.sources.count);
  EXPECT_EQ(found.own.targets.count, expected.own.targets.count);
  compare("own.", expected.own.tree, found.own.tree);
  compare("top.", expected.top.tree, found.top_tree.tree);
  compare("top.own", expected.top.own, found.top.own);
  compare("sources.", expected.essential.sources, found.essential.sources);
  compare("targets.", expected.essential.targets, found.essential.targets);
  compare("essential.", expected.essential.tree, found.essential.tree);
  compare("colleague", expected.essential.tree.colleague, found.essential.tree.colleague);
  compare("from_own", expected.essential.from_own, found.from_own);
  compare("from_top", expected.essential.from_top, found.from_top);
  compare("mine", expected.essential.mine, found.mine);
  compare("summed", expected.essential.summed, found.summed);
  const auto held = on_host(found.held);
  ASSERT_EQ(held.size(), expected.essential.held.size());
  for (std::size_t b = 0; b < held.size(); ++b) {
    EXPECT_EQ(held[b].count, expected.essential.held[b].count) << b;
    EXPECT_EQ(held[b].begin, expected.essential.held[b].begin) << b;
  }
  compare("sends.", expected.sends, found.sends);
  compare("receives.", expected.receives, found.receives);
  if (expected.essential.tree.boxes > 0) compare(expected.essential.lists, found.essential.lists);
}

struct Problem {
  std::string name;
  std::vector<double> sources, targets;
  bool alike = true, at_sources = false;  ///< at_sources: `targets` do not hold the sources yet
  Decision decision;
  Order order = Order::given;
};

Decision adaptive(std::int64_t leaf_size, ListThresholds thresholds = {}) {
  Decision d;
  d.leaf_size = leaf_size, d.thresholds = thresholds;
  return d;
}

Points part_of(const std::vector<double>& x, const Cuts& cuts, std::size_t rank) {
  return points(x.data() + 3 * cuts[rank], static_cast<std::int64_t>(cuts[rank + 1] - cuts[rank]));
}

/// What one rank passes. Where results are wanted at the sources, they are behind the targets.
struct Passed {
  std::vector<double> targets;
  Points target_view;
  distributed::Given given;

  Passed(const Problem& p, const Cuts& sources, const Cuts& of_targets, std::size_t r) {
    given = {part_of(p.sources, sources, r), nullptr, p.order, p.at_sources};
    if (p.alike) return;
    const auto begin = p.targets.begin(), first = p.sources.begin();
    targets.assign(begin + 3 * std::ptrdiff_t(of_targets[r]), begin + 3 * std::ptrdiff_t(of_targets[r + 1]));
    if (p.at_sources)
      targets.insert(targets.end(), first + 3 * std::ptrdiff_t(sources[r]), first + 3 * std::ptrdiff_t(sources[r + 1]));
    target_view = points(targets);
    given.targets = &target_view;
  }
};

Geometry geometry_of(const Problem& p) {
  std::vector<double> targets = p.targets;
  if (p.at_sources) targets.insert(targets.end(), p.sources.begin(), p.sources.end());
  const Points view = points(targets);
  return cpu::survey(points(p.sources), p.alike ? nullptr : &view, 1);
}

class CudaShareTest : public GpuTest {
 protected:
  void compare_shares(const Problem& p, int ranks, Sharing sharing) {
    const std::uint64_t seed = fresh_seed();
    const Cuts sources = make_cuts(p.sources.size() / 3, ranks, sharing, seed),
               targets = make_cuts(p.targets.size() / 3, ranks, sharing, seed + 1);
    const Geometry geometry = geometry_of(p);
    std::mutex one_at_a_time;
    rethrow_any(run_ranks(ranks, [&](distributed::Communicator& communicator) {
      distributed::Ranks own(communicator);
      own.together([&] {
        const Passed passed(p, sources, targets, static_cast<std::size_t>(own.rank()));
        cuda::DeviceMemory memory;
        distributed::Transport transport(own, memory);
        const Share expected = make_share(own, passed.given, geometry, p.decision, 1);
        const DeviceShare found = make_device_share(own, transport, passed.given, geometry, p.decision, memory);
        const std::lock_guard lock(one_at_a_time);
        SCOPED_TRACE(p.name + ", rank " + std::to_string(own.rank()) + " of " + std::to_string(ranks) + ", sharing " +
                     std::to_string(static_cast<int>(sharing)));
        compare(expected, found);
      });
    }));
  }
  void compare_clouds(std::size_t count, const std::vector<int>& all_ranks, const Decision& decision) {
    for (const Named& cloud : clouds)
      for (const int ranks : all_ranks)
        for (const Sharing sharing : {Sharing::random, Sharing::first_alone, Sharing::some_empty}) {
          compare_shares({cloud.name, cloud.make(count), {}, true, false, decision}, ranks, sharing);
          if (ranks == 1) break;
        }
  }
};

TEST_F(CudaShareTest, EqualsTheCpusForAllClouds) {
  const auto count = static_cast<std::size_t>(few_points(20000));
  compare_clouds(count, {1, 2, 3, 5}, adaptive(32, {16, 16}));
  compare_clouds(count / 4, {2, 5, 9}, adaptive(4));
  compare_clouds(count / 10, {3}, adaptive(1, {4, 2}));
}

TEST_F(CudaShareTest, EqualsTheCpusForFewPoints) {
  for (const std::size_t count : {0, 1, 2, 3, 7, 8, 9, 65}) {
    for (const int ranks : {2, 4, 9})
      for (const Sharing sharing : {Sharing::random, Sharing::last_alone})
        compare_shares({std::to_string(count) + " points", uniform(count), {}, true, false, adaptive(1)}, ranks,
                       sharing);
  }
}

TEST_F(CudaShareTest, EqualsTheCpusForUniformDepthAndOtherLattices) {
  Decision deep = adaptive(64), wide = adaptive(20, {8, 8});
  deep.depth = 5;
  wide.root = {3, 2};
  for (const Decision& decision : {deep, wide}) compare_clouds(4000, {3}, decision);
}

TEST_F(CudaShareTest, EqualsTheCpusForTargetsApart) {
  const auto count = static_cast<std::size_t>(few_points(6000));
  std::vector<double> outside = uniform(count);
  for (double& x : outside) x += 1.25;
  for (const std::vector<double>& targets : {plummer(count / 2), outside, std::vector<double>{}, uniform(1)})
    for (const bool at_sources : {false, true})
      for (const int ranks : {2, 3, 5}) {
        const std::string name =
            std::to_string(targets.size() / 3) + (at_sources ? " targets and sources" : " targets");
        compare_shares({name, uniform(count), targets, false, at_sources, adaptive(20, {8, 8})}, ranks,
                       Sharing::random);
        compare_shares({name + " of a line", line(count), targets, false, at_sources, adaptive(8)}, ranks,
                       Sharing::first_alone);
      }
  compare_shares({"no sources", {}, uniform(count), false, false, adaptive(20)}, 3, Sharing::random);
}

TEST_F(CudaShareTest, EqualsTheCpusWherePointsStayWithTheirRanks) {
  for (const Named& cloud : clouds)
    for (const int ranks : {2, 5}) {
      compare_shares({cloud.name, cloud.make(8000), {}, true, false, adaptive(16, {8, 8}), Order::owned}, ranks,
                     Sharing::random);
    }
}

/// Two clouds far from one another, which two ranks pass: all points rest, or a few have changed places.
TEST_F(CudaShareTest, EqualsTheCpusWhereMostPointsRest) {
  const std::size_t half = 3000;
  std::vector<double> x = uniform(2 * half);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 0.4 * x[i] + (i < 3 * half ? 0 : 0.6);
  for (const std::size_t moved : {0, 1, 40}) {
    for (std::size_t i = 0; i < 3 * moved; ++i) std::swap(x[30 + i], x[3 * half + 60 + i]);
    const std::string name = std::to_string(moved) + " points change places";
    for (const int ranks : {2, 3, 4}) {
      compare_shares({name, x, {}, true, false, adaptive(16, {8, 8}), Order::owned}, ranks, Sharing::even);
      for (const bool at_sources : {false, true})
        compare_shares({name, x, x, false, at_sources, adaptive(16, {8, 8}), Order::owned}, ranks, Sharing::even);
    }
  }
}

/// Floats of a stride in device memory, of which no rank makes a copy.
TEST_F(CudaShareTest, ReadsDeviceMemory) {
  const Decision decision = adaptive(20, {8, 8});
  const std::vector<double> x = plummer(4000);
  std::vector<float> strided(4 * x.size() / 3, 0.0f);
  for (std::size_t i = 0; i < x.size(); ++i) strided[4 * (i / 3) + i % 3] = static_cast<float>(x[i]);
  const Geometry geometry = cpu::survey(points(strided.data(), 4000, 4), nullptr, 1);
  rethrow_any(run_ranks(2, [&](distributed::Communicator& communicator) {
    distributed::Ranks own(communicator);
    own.together([&] {
      cuda::DeviceMemory memory;
      distributed::Transport transport(own, memory);
      const Points on_host = points(strided.data() + 8000 * own.rank(), 2000, 4);
      const cuda::DevicePoints on_device(on_host, memory);
      const Share expected = make_share(own, {on_host, nullptr}, geometry, decision, 1);
      compare(expected, make_device_share(own, transport, {on_device.view(), nullptr}, geometry, decision, memory));
    });
  }));
}

/// All points at one place, and all but one.
TEST_F(CudaShareTest, EqualsTheCpusForHeaps) {
  std::vector<double> x(3 * 3000, 0.3);
  compare_shares({"heap", x, {}, true, false, adaptive(8)}, 3, Sharing::random);
  x[3 * 1234] = std::nextafter(0.3, 1.0);
  compare_shares({"heap", x, {}, true, false, adaptive(8)}, 3, Sharing::random);
}

/// Prints the time of each part of a share of 2^22 points per rank, and that of a tree of one rank's points alone.
TEST_F(CudaShareTest, PrintsTheTimeOfEachPart) {
  const char* wanted = std::getenv("FARFIELD_SHARE_POINTS");
  const auto count = static_cast<std::size_t>(wanted ? std::atoll(wanted) : few_points(1 << 22));
  constexpr int ranks = 2;
  const Decision decision = adaptive(64, {16, 16});
  std::vector<double> corners(6, 0.0);
  std::fill(corners.begin() + 3, corners.end(), 1.0);
  Geometry geometry = cpu::survey(points(corners), nullptr, 1);
  geometry.sources = geometry.targets = static_cast<std::int64_t>(ranks * count);
  rethrow_any(run_ranks(ranks, [&](distributed::Communicator& communicator) {
    distributed::Ranks own(communicator);
    own.together([&] {
      cuda::DeviceMemory memory;
      distributed::Transport transport(own, memory);
      Stream random(fresh_seed() + static_cast<std::uint64_t>(own.rank()));
      std::vector<double> x(3 * count);
      for (double& one : x) one = random.unit();
      const cuda::DevicePoints on_device(points(x), memory);
      using Clock = std::chrono::steady_clock;
      Clock::time_point last;
      std::string times;
      const auto mark = [&](const char* part) {
        cuda::require(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
        const Clock::time_point now = Clock::now();
        if (*part)
          times += std::string(times.empty() ? "" : ", ") + part + " " +
                   std::to_string(std::chrono::duration<double>(now - last).count() * 1e3).substr(0, 6);
        last = now;
      };
      for (int repeat = 0; repeat < 3; ++repeat) {  // memory is there from the second time on
        times.clear();
        make_device_share(own, transport, {on_device.view(), nullptr}, geometry, decision, memory, {mark, {}});
      }
      if (own.rank() == 0) std::printf("milliseconds of %zu points a rank: %s\n", count, times.c_str());
      own.all_gather(0);
      if (own.rank() > 0) return;
      cuda::CudaTree tree;
      tree.use(memory);
      TreeOptions options;
      options.leaf_size = decision.leaf_size, options.thresholds = decision.thresholds, options.mark = mark;
      for (int repeat = 0; repeat < 2; ++repeat) {
        times.clear();
        build(tree, on_device.view(), nullptr, geometry, options);
      }
      std::printf("milliseconds of a tree of one rank's points: %s\n", times.c_str());
    });
  }));
}

}  // namespace
}  // namespace farfield::testing
