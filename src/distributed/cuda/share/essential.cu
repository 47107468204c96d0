#include <algorithm>
#include <cub/device/device_radix_sort.cuh>

#include "backends/cuda/runtime/parallel.hpp"
#include "distributed/cuda/share/essential.hpp"
#include "distributed/cuda/share/need.hpp"
#include "distributed/cuda/share/places.hpp"

namespace farfield::distributed {

using farfield::cuda::DeviceMemory;
using farfield::cuda::download;
using farfield::cuda::for_each_index;
using farfield::cuda::require;
using farfield::cuda::upload;

namespace {

/// Candidates, and those of them whose points go together.
struct CountCandidates {
  Need need;
  std::uint64_t* count;  // [boxes + 1]
  __device__ void operator()(std::int64_t i) const {
    const BoxId box = static_cast<BoxId>(i);
    const bool candidate = box < need.tree.boxes && need.is_candidate(box);
    count[i] = two_counts(candidate, candidate && need.is_unit(box));
  }
};

struct TakeCandidates {
  TreeView tree;
  const std::uint64_t* before;
  BoxId *candidate, *unit;
  std::uint32_t* first_source;  // of units
  __device__ void operator()(std::int64_t i) const {
    const std::uint64_t own = before[i], next = before[i + 1];
    if (first_of(next) > first_of(own)) candidate[first_of(own)] = static_cast<BoxId>(i);
    if (second_of(next) == second_of(own)) return;
    unit[second_of(own)] = static_cast<BoxId>(i);
    first_source[second_of(own)] = static_cast<std::uint32_t>(tree.source_begin[i]);
  }
};

/// Boxes that each rank needs, and those of them with multipoles.
struct CountBoxes {
  Need need;
  const BoxId* candidate;
  std::int64_t candidates;
  std::uint64_t* count;  // [ranks][candidates], and one more
  __device__ void operator()(std::int64_t i) const {
    count[i] = 0;
    if (i == need.ranks * candidates) return;
    const BoxId box = candidate[i % candidates];
    const bool needed = need.of_box(box, static_cast<int>(i / candidates));
    count[i] = two_counts(needed, needed && has_multipole(need.tree.source_count(box), need.tree.level[box]));
  }
};

/// Points that each rank needs: some of the first ones, then those of units. A gap is before those of a unit that do
/// not follow other points of the rank; so is one before the first point, unless that is the first of all.
struct CountPoints {
  Need need;
  const BoxId* unit;
  std::int64_t units;
  const std::int64_t* lead;  // [ranks]: so many of the first ones
  std::int64_t* count;       // [ranks][1 + units], and one more
  std::uint32_t* gaps;       // likewise
  __device__ void operator()(std::int64_t i) const {
    count[i] = 0, gaps[i] = 0;
    const std::int64_t r = i / (1 + units), k = i % (1 + units);
    if (r == need.ranks) return;
    count[i] = k == 0 ? lead[r] : of_unit(unit[k - 1], static_cast<int>(r));
    if (k > 0 && count[i] > 0) gaps[i] = !follows(k - 1, static_cast<int>(r));
  }

 private:
  __device__ std::int64_t begin_of(BoxId box, int r) const {
    const std::int64_t begin = need.tree.source_begin[box];
    return begin < lead[r] ? lead[r] : begin;
  }
  __device__ std::int64_t of_unit(BoxId box, int r) const {
    const std::int64_t from = begin_of(box, r), end = need.tree.source_end[box];
    return from < end && need.of_box(box, r) && need.with_points(box, r) ? end - from : 0;
  }
  __device__ bool follows(std::int64_t k, int r) const {
    const std::int64_t begin = begin_of(unit[k], r);
    return begin == lead[r] || (k > 0 && need.tree.source_end[unit[k - 1]] == begin && of_unit(unit[k - 1], r) > 0);
  }
};

/// Which of the own points are sent.
struct PointsSent {
  TreeView tree;
  const BoxId* unit;
  std::int64_t units, ranks;
  const std::int64_t *lead, *before;
  __device__ std::int64_t rows_before(std::int64_t rank) const { return before[rank * (1 + units)]; }
  __device__ std::int64_t operator()(std::int64_t row) const {
    const std::int64_t entry = count_below(before, ranks * (1 + units), row + 1) - 1;
    const std::int64_t r = entry / (1 + units), k = entry % (1 + units);
    std::int64_t from = 0;
    if (k > 0) from = tree.source_begin[unit[k - 1]] < lead[r] ? lead[r] : tree.source_begin[unit[k - 1]];
    return from + row - before[entry];
  }
};

/// What the host wants to know of the sums, of each rank: where its boxes of each level begin, its boxes with
/// multipoles, its points and the gaps between them; then its first point and its last one.
struct FindBegins {
  enum Word { multipoles = max_levels + 2, points, gaps, first, last, words };
  OwnLevels own;
  const std::uint64_t *candidates_before, *boxes_before;
  PointsSent sent;
  const std::uint32_t* gaps_before;
  std::int64_t candidates;
  std::int64_t* word;  // [ranks + 1][words]
  __device__ void operator()(std::int64_t i) const {
    const std::int64_t r = i / words;
    const int k = static_cast<int>(i % words);
    word[i] = k < multipoles ? boxes(r, k) : k < first ? sum(r, k) : point(r, k == last);
  }

 private:
  __device__ std::int64_t boxes(std::int64_t r, int level) const {
    const std::int64_t before = r < sent.ranks ? first_of(candidates_before[own.begin[level]]) : 0;
    return first_of(boxes_before[r * candidates + before]);
  }
  __device__ std::int64_t sum(std::int64_t r, int of) const {
    if (of == multipoles) return second_of(boxes_before[r * candidates]);
    return of == points ? sent.rows_before(r) : gaps_before[r * (1 + sent.units)];
  }
  __device__ std::int64_t point(std::int64_t r, bool last_one) const {
    if (r == sent.ranks || sent.rows_before(r) == sent.rows_before(r + 1)) return 0;
    return sent(last_one ? sent.rows_before(r + 1) - 1 : sent.rows_before(r));
  }
};

struct PackBoxes {
  Need need;
  std::int64_t first_source, first_target, candidates;
  const BoxId* candidate;
  const std::uint64_t *candidates_before, *before;
  BoxRow* rows;
  BoxId* with_multipole;
  __device__ void operator()(std::int64_t i) const {
    const std::uint32_t at = first_of(before[i]);
    if (first_of(before[i + 1]) == at) return;
    const BoxId box = candidate[i % candidates];
    const std::int64_t r = i / candidates;
    rows[at] = row_of(box, static_cast<int>(r));
    if (second_of(before[i + 1]) > second_of(before[i])) with_multipole[second_of(before[i])] = box;
  }

 private:
  __device__ BoxRow row_of(BoxId box, int r) const {
    const TreeView& tree = need.tree;
    return {{tree.coordinate(box, 0), tree.coordinate(box, 1), tree.coordinate(box, 2)},
            {first_source + tree.source_begin[box], tree.source_count(box)},
            {first_target + tree.target_begin[box], tree.target_count(box)},
            parent_of(box, r * candidates),
            tree.level[box],
            tree.octant[box],
            need.with_points(box, r)};
  }
  __device__ std::int32_t parent_of(BoxId box, std::int64_t first) const {
    const BoxId parent = need.tree.parent[box];
    const int level = need.tree.level[parent];
    if (need.levels.is_front(parent, level)) return BoxRow::front;
    if (need.levels.is_back(parent, level)) return BoxRow::back;
    return static_cast<std::int32_t>(first_of(before[first + first_of(candidates_before[parent])]) -
                                     first_of(before[first]));
  }
};

struct PackPoints {
  PointsSent sent;
  std::int64_t first_source;
  AnyReader read;
  const Item* items;  // of the own sources
  KeyLayout layout;
  std::uint32_t* point;
  PointRow* rows;
  __device__ void operator()(std::int64_t i) const {
    const std::int64_t from = sent(i);
    point[i] = static_cast<std::uint32_t>(from);
    rows[i].number = first_source + from;
    read.read(index_of(items[from], layout), rows[i].x);
  }
};

/// Finds, counts and packs; what it keeps in between lives as long as it does.
class Packer {
 public:
  Packer(DeviceShare& share, const farfield::cuda::Cloud& sources, int rank, std::int64_t few, DeviceMemory& memory)
      : share_(share),
        sources_(sources),
        rank_(rank),
        ranks_(std::ssize(share.partition.ranges)),
        memory_(memory),
        own_of_top_(share.top, rank, memory) {
    upload(ranges_, share.partition.ranges.data(), ranks_, memory.stream);
    need_ = {share.own.tree.view(), own_levels(share, rank), ranges_.data(), rank, static_cast<int>(ranks_), few};
  }
  Halos run(const Begins& firsts);

 private:
  void find_candidates();
  void sort_units();
  void count(const Begins& firsts);
  void read_begins(Halos& halos);
  void pack(Halos& halos);
  std::int64_t begins() const { return (ranks_ + 1) * FindBegins::words; }
  PointsSent sent() const {
    return {need_.tree, unit_.data(), unit_.size(), ranks_, lead_.data(), points_before_.data()};
  }

  DeviceShare& share_;
  const farfield::cuda::Cloud& sources_;
  int rank_;
  std::int64_t ranks_;
  DeviceMemory& memory_;
  OnDevice<Range> ranges_{memory_};
  Need need_;
  OwnOfTop own_of_top_;
  OnDevice<std::int64_t> words_{memory_};  ///< FindBegins', and behind them Top::own
  OnDevice<std::uint64_t> candidates_before_{memory_}, boxes_before_{memory_};
  OnDevice<BoxId> candidate_{memory_}, unit_{memory_};
  OnDevice<std::uint32_t> first_source_{memory_}, gaps_before_{memory_};
  OnDevice<std::int64_t> lead_{memory_}, points_before_{memory_};
};

void Packer::find_candidates() {
  const std::int64_t boxes = need_.tree.boxes;
  candidates_before_.resize(boxes + 1);
  for_each_index(boxes + 1, CountCandidates{need_, candidates_before_.data()}, memory_.stream, "boxes near others");
  sum_before(candidates_before_, memory_);
  words_.resize(begins() + own_of_top_.count());
  own_of_top_.find(need_.tree, words_.data() + begins());
  std::uint64_t counts = 0;
  download(&counts, candidates_before_.data() + boxes, 1, memory_.stream);
  require(cudaStreamSynchronize(memory_.stream), "boxes near others");
  candidate_.resize(first_of(counts)), unit_.resize(second_of(counts)), first_source_.resize(second_of(counts));
  for_each_index(
      boxes,
      TakeCandidates{need_.tree, candidates_before_.data(), candidate_.data(), unit_.data(), first_source_.data()},
      memory_.stream, "boxes near others");
}

/// In the order of their points.
void Packer::sort_units() {
  const std::int64_t count = unit_.size();
  if (count < 2) return;
  OnDevice<BoxId> sorted(memory_);
  OnDevice<std::uint32_t> keys(memory_);
  sorted.resize(count), keys.resize(count);
  farfield::cuda::with_temporary(memory_, "sort of leaves", [&](void* temporary, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(temporary, bytes, first_source_.data(), keys.data(), unit_.data(),
                                           sorted.data(), count, 0, 32, memory_.stream);
  });
  unit_.swap(sorted);
}

/// Vectors of targets reach beyond the last target of a box, so that a rank also holds the first points behind its own;
/// see add_points_behind in share/share.cpp.
void Packer::count(const Begins& firsts) {
  std::vector<std::int64_t> lead(static_cast<std::size_t>(ranks_), 0);
  const auto own = static_cast<std::size_t>(rank_);
  for (std::size_t r = 0; !firsts.empty() && r < own; ++r)
    if (firsts[r + 1] > firsts[r])
      lead[r] = std::max<std::int64_t>(0, std::min(firsts[own + 1], firsts[r + 1] + padding) - firsts[own]);
  upload(lead_, lead.data(), ranks_, memory_.stream);
  boxes_before_.resize(ranks_ * candidate_.size() + 1);
  for_each_index(boxes_before_.size(), CountBoxes{need_, candidate_.data(), candidate_.size(), boxes_before_.data()},
                 memory_.stream, "boxes for others");
  sum_before(boxes_before_, memory_);
  points_before_.resize(ranks_ * (1 + unit_.size()) + 1), gaps_before_.resize(points_before_.size());
  for_each_index(
      points_before_.size(),
      CountPoints{need_, unit_.data(), unit_.size(), lead_.data(), points_before_.data(), gaps_before_.data()},
      memory_.stream, "points for others");
  sum_before(points_before_, memory_);
  sum_before(gaps_before_, memory_);
}

void Packer::read_begins(Halos& halos) {
  constexpr int words = FindBegins::words;
  for_each_index(begins(),
                 FindBegins{need_.levels, candidates_before_.data(), boxes_before_.data(), sent(), gaps_before_.data(),
                            candidate_.size(), words_.data()},
                 memory_.stream, "begins of halos");
  std::vector<std::int64_t> word(static_cast<std::size_t>(words_.size()));
  download(word.data(), words_.data(), words_.size(), memory_.stream);
  require(cudaStreamSynchronize(memory_.stream), "begins of halos");
  own_of_top_.store(share_.top, word.data() + begins());
  word.resize(static_cast<std::size_t>(begins()));
  for (auto row = word.begin(); row != word.end(); row += words) {
    halos.box_begin.push_back(row[0]), halos.point_begin.push_back(row[FindBegins::points]);
    share_.sends.box_begin.push_back(row[FindBegins::multipoles]);
    if (row + words == word.end()) break;
    std::vector<std::int64_t> levels;
    for (int level = 0; level <= max_levels; ++level) levels.push_back(row[level + 1] - row[level]);
    halos.levels.push_back(std::move(levels));
    const std::int64_t first = row[FindBegins::first], gaps = row[words + FindBegins::gaps] - row[FindBegins::gaps];
    halos.runs.push_back(
        {share_.first_source + first, share_.first_source + row[FindBegins::last], gaps - (first > 0)});
  }
  share_.sends.point_begin = halos.point_begin;
}

void Packer::pack(Halos& halos) {
  halos.boxes.resize(halos.box_begin.back()), halos.points.resize(halos.point_begin.back());
  share_.sends.boxes.resize(share_.sends.box_begin.back()), share_.sends.points.resize(halos.point_begin.back());
  for_each_index(
      ranks_ * candidate_.size(),
      PackBoxes{need_, share_.first_source, share_.first_target, candidate_.size(), candidate_.data(),
                candidates_before_.data(), boxes_before_.data(), halos.boxes.data(), share_.sends.boxes.data()},
      memory_.stream, "boxes for others");
  for_each_index(halos.points.size(),
                 PackPoints{sent(), share_.first_source, sources_.reader(), sources_.items.data(), sources_.layout,
                            share_.sends.points.data(), halos.points.data()},
                 memory_.stream, "points for others");
}

Halos Packer::run(const Begins& firsts) {
  Halos halos{OnDevice<BoxRow>(memory_), OnDevice<PointRow>(memory_), {}, {}, {}, {}};
  find_candidates();
  sort_units();
  count(firsts);
  read_begins(halos);
  pack(halos);
  return halos;
}

}  // namespace

Halos needed_by_others(DeviceShare& share, int rank, std::int64_t few, const Begins& firsts,
                       const farfield::cuda::Cloud& sources, DeviceMemory& memory) {
  return Packer(share, sources, rank, few, memory).run(firsts);
}

}  // namespace farfield::distributed
