#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "backends/cuda/runtime/device.hpp"
#include "backends/cuda/runtime/parallel.hpp"
#include "distributed/cuda/share/own_points.hpp"
#include "tree/reader.hpp"

namespace farfield::distributed {

using farfield::cuda::block_threads;
using farfield::cuda::DeviceMemory;
using farfield::cuda::download;
using farfield::cuda::for_each_index;
using farfield::cuda::require;
using farfield::cuda::upload;

namespace {

constexpr std::uint32_t no_point = 0xffffffffu;
/// Blocks of 256 threads that count on a multiprocessor at a time: 62 registers for each thread.
constexpr std::int64_t most_resident = 4;
constexpr int most_threads = 1024;  ///< of a block
/// Cells of a level along an axis. By a product and its distance from the next whole number nearly all are known; the
/// rest is asked of the lattice, whose division and integers of 64 bits take longer: 8.4 ms of a partition of
/// 2^28 points of a Plummer model on each of two H200, 7.2 so.
struct CellsAlong {
  Lattice lattice;
  int shift;                  // from lattice indices to cells
  double per_cell, begin[3];  // no number where cells have more than 30 bits: then nothing is sure

  CellsAlong(const Lattice& of, int levels_up)
      : lattice(of),
        shift(levels_up),
        per_cell(of.depth - levels_up <= 30 ? 1 / std::ldexp(of.unit, levels_up) : std::nan("")),
        begin{} {
    for (int axis = 0; axis < 3; ++axis) begin[axis] = std::ldexp(static_cast<double>(of.origin[axis]), -levels_up);
  }
  __device__ std::uint32_t at(double x, int axis) const {
    const double from_zero = x * per_cell, from_root = from_zero - begin[axis];
    const int cell = __double2int_rd(from_root);
    const double within = from_root - cell, doubt = 0x1p-50 * (fabs(from_zero) + fabs(begin[axis]));
    const bool sure = within > doubt && within < 1 - doubt && cell >= 0 && cell >> (lattice.depth - shift) == 0;
    return sure ? static_cast<std::uint32_t>(cell) : static_cast<std::uint32_t>(lattice.index(x, axis) >> shift);
  }
};

/// Counts points by the cells of their boxes, some levels below. Few counters are in the memory of a block, so that
/// points that follow one another in space do not wait for one another.
template <class Read>
struct CountCells {
  static constexpr int under_way = 4;
  Read read;
  CellsAlong cells;
  int below;  // so many levels are below the boxes
  std::int64_t points;
  const std::int32_t* first_cell;  // [codes]: code of the first cell of a box that is divided, else -1; null: `base`
  std::uint32_t base, counters;
  bool in_block;
  std::uint32_t *code, *count;

  __device__ void operator()(std::uint32_t* of_block) const {
    for (std::uint32_t c = threadIdx.x; in_block && c < counters; c += blockDim.x) of_block[c] = 0;
    __syncthreads();
    const std::int64_t threads = std::int64_t(gridDim.x) * blockDim.x;
    for (std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < points; i += under_way * threads)
      add(i, threads, of_block);
    __syncthreads();
    for (std::uint32_t c = threadIdx.x; in_block && c < counters; c += blockDim.x)
      if (of_block[c] > 0) atomicAdd(count + c, of_block[c]);
  }

 private:
  /// Code of the first cell of a point's box; negative: it is not divided.
  __device__ std::int32_t first_of(std::int64_t i) const {
    return first_cell ? first_cell[code[i]] : static_cast<std::int32_t>(base);
  }
  /// Some points, `apart` from each other. All are read before the first is counted, without a branch; in place of
  /// those beyond the last the thread's own first one, whose code nobody else changes.
  __device__ void add(std::int64_t i, std::int64_t apart, std::uint32_t* of_block) const {
    std::int32_t first[under_way];
    double x[under_way][3];
#pragma unroll
    for (int k = 0; k < under_way; ++k) {
      const bool is_point = i + k * apart < points;
      const std::int32_t found = first_of(is_point ? i + k * apart : i);
      first[k] = is_point ? found : -1;
    }
#pragma unroll
    for (int k = 0; k < under_way; ++k)
#pragma unroll
      for (int axis = 0; axis < 3; ++axis) x[k][axis] = read(first[k] < 0 ? 0 : i + k * apart, axis);
#pragma unroll
    for (int k = 0; k < under_way; ++k)
      if (first[k] >= 0) add(i + k * apart, first[k], x[k], of_block);
  }
  __device__ void add(std::int64_t i, std::int32_t first, const double* x, std::uint32_t* of_block) const {
    const std::uint32_t kept = (1u << below) - 1;
    std::uint32_t cell = static_cast<std::uint32_t>(first);
    for (int axis = 0; axis < 3; ++axis) cell += spread_bits(cells.at(x[axis], axis) & kept) << axis;
    code[i] = cell;
    if (in_block)
      atomicAdd(of_block + (cell - base), 1u);
    else
      atomicAdd(count + (cell - base), 1u);
  }
};

template <class Read>
__global__ void __launch_bounds__(most_threads) count_points_kernel(const __grid_constant__ CountCells<Read> count) {
  extern __shared__ std::uint32_t counts_of_block[];
  count(counts_of_block);
}

/// Each block adds its counts up once: no more blocks than count at a time, the larger the fewer their counters let in.
/// Too many counters for the memory of a block are none of it.
farfield::cuda::LaunchShape shape_of_count(std::int64_t points, std::size_t bytes) {
  const farfield::cuda::DeviceLimits& limits = farfield::cuda::device_limits();
  const std::int64_t fit = limits.shared_bytes / (static_cast<std::int64_t>(bytes) + 1024);
  const std::int64_t resident = fit > 0 ? std::min(most_resident, fit) : most_resident;
  const std::int64_t threads = std::min<std::int64_t>(most_threads, most_resident / resident * block_threads);
  const std::int64_t blocks = std::min((points + threads - 1) / threads, resident * limits.multiprocessors);
  return {static_cast<unsigned>(blocks), static_cast<int>(threads), fit > 0 ? bytes : 0};
}

/// The box of a point among those whose bounds are wanted, or -1.
struct PlaceOf {
  const std::uint32_t* code;
  const std::int32_t* place;  // [codes]
  __device__ std::int32_t operator()(std::int64_t i) const { return place[code[i]]; }
};

/// Some point of each box.
struct PickPoint {
  PlaceOf place_of;
  std::uint32_t* picked;
  __device__ void operator()(std::int64_t i) const {
    const std::int32_t place = place_of(i);
    if (place >= 0 && i < picked[place]) atomicMin(picked + place, static_cast<std::uint32_t>(i));
  }
};

struct ComparePoint {
  PlaceOf place_of;
  AnyReader read;
  const std::uint32_t* picked;
  std::uint32_t* apart;  // is a point elsewhere than the one that was picked?
  double* x;             // of that one
  __device__ void operator()(std::int64_t i) const {
    const std::int32_t place = place_of(i);
    if (place < 0 || (apart[place] && i != picked[place])) return;
    for (int axis = 0; axis < 3; ++axis) {
      if (read(i, axis) != read(picked[place], axis)) apart[place] = 1;
      if (i == picked[place]) x[3 * place + axis] = read(i, axis);
    }
  }
};

}  // namespace

DeviceOwnPoints::DeviceOwnPoints(const Points& sources, const Points* targets, int exponent, const Lattice& lattice,
                                 DeviceMemory& memory, std::function<void()> meanwhile)
    : lattice_(lattice), memory_(memory), meanwhile_(std::move(meanwhile)) {
  for (const Points* points : {&sources, targets}) {
    if (!points) continue;
    if (points->count > most_points)
      throw Error(ErrorCode::usage, std::to_string(points->count) +
                                        " points are more than the 4294967294 that one rank can pass; use more ranks");
    sets_.push_back({*points, Scaling(exponent), OnDevice<std::uint32_t>(memory)});
    sets_.back().code.resize(points->count);
  }
}

void DeviceOwnPoints::count(Set& set, int shift, int below, const std::int32_t* first_cell, std::int64_t counters,
                            std::uint32_t* counts) {
  if (set.points.count == 0) return;
  const farfield::cuda::LaunchShape shape =
      shape_of_count(set.points.count, static_cast<std::size_t>(counters) * sizeof(std::uint32_t));
  with_reader(set.points, set.scale, [&](const auto& read) {
    using Read = std::remove_cvref_t<decltype(read)>;
    const CountCells<Read> count{read,
                                 CellsAlong(lattice_, shift),
                                 below,
                                 set.points.count,
                                 first_cell,
                                 static_cast<std::uint32_t>(base_),
                                 static_cast<std::uint32_t>(counters),
                                 shape.bytes > 0,
                                 set.code.data(),
                                 counts};
    farfield::cuda::launch_kernel("points of coarse boxes", count_points_kernel<Read>, shape, memory_.stream, count);
  });
}

/// Some number for every code, from one for each of some runs of codes: later runs take the place of those they are in.
OnDevice<std::int32_t> DeviceOwnPoints::of_codes(const std::vector<CellRun>& runs,
                                                 const std::vector<std::int32_t>& of_runs) const {
  std::vector<std::int32_t> of_codes(static_cast<std::size_t>(all_codes_), -1);
  for (std::size_t k = 0; k < runs.size(); ++k)
    std::fill(of_codes.begin() + runs[k].begin, of_codes.begin() + runs[k].end, of_runs[k]);
  OnDevice<std::int32_t> on_device(memory_);
  upload(on_device, of_codes.data(), std::ssize(of_codes), memory_.stream);
  return on_device;
}

Numbers DeviceOwnPoints::count_cells(const std::vector<CoarseBox>& boxes, const Numbers& dividing, int below) {
  const std::int64_t of_box = std::int64_t(1) << 3 * below, counters = of_box * std::ssize(dividing);
  OnDevice<std::int32_t> first_cell(memory_);
  if (counted_) {
    std::vector<CellRun> runs;
    std::vector<std::int32_t> first;
    for (const std::int64_t box : dividing) {
      first.push_back(static_cast<std::int32_t>(all_codes_ + of_box * std::ssize(runs)));
      runs.push_back(codes_[static_cast<std::size_t>(box)]);
    }
    first_cell = of_codes(runs, first);
  }
  counted_ = true;
  base_ = all_codes_, all_codes_ += counters;
  for (std::int64_t k = 0; k < std::ssize(dividing); ++k)
    codes_[static_cast<std::size_t>(dividing[static_cast<std::size_t>(k)])] = {base_ + k * of_box,
                                                                               base_ + (k + 1) * of_box};
  const int level = boxes[static_cast<std::size_t>(dividing[0])].level + below;
  OnDevice<std::uint32_t> counts(memory_);
  counts.resize(counters * std::ssize(sets_));
  std::vector<std::uint32_t> found(static_cast<std::size_t>(counts.size()));
  require(cudaMemsetAsync(counts.data(), 0, found.size() * sizeof found[0], memory_.stream), "cudaMemsetAsync");
  for (std::size_t s = 0; s < sets_.size(); ++s)
    count(sets_[s], lattice_.depth - level, below, first_cell.data(), counters,
          counts.data() + counters * static_cast<std::int64_t>(s));
  if (const auto work = std::exchange(meanwhile_, nullptr)) work();
  download(found.data(), counts.data(), counts.size(), memory_.stream);
  require(cudaStreamSynchronize(memory_.stream), "points of coarse boxes");
  return {found.begin(), found.end()};
}

void DeviceOwnPoints::add_box(CellRun cells) { codes_.push_back({base_ + cells.begin, base_ + cells.end}); }

std::vector<double> DeviceOwnPoints::bounds(const std::vector<CellRun>& boxes) {
  std::vector<CellRun> runs;
  std::vector<std::int32_t> place;
  for (const CellRun& cells : boxes) {
    place.push_back(static_cast<std::int32_t>(std::ssize(runs)));
    runs.push_back({base_ + cells.begin, base_ + cells.end});
  }
  const OnDevice<std::int32_t> of_code = of_codes(runs, place);
  std::vector<double> bounds(6 * boxes.size(), std::numeric_limits<double>::infinity());
  for (const Set& set : sets_) add_bounds(set, of_code.data(), boxes.size(), bounds);
  return bounds;
}

/// The bounds of points that coincide are one of them; those of others do not count.
void DeviceOwnPoints::add_bounds(const Set& set, const std::int32_t* place, std::size_t places,
                                 std::vector<double>& bounds) {
  std::vector<std::uint32_t> pick(places, no_point), apart(places, 0);
  std::vector<double> x(3 * places, 0);
  OnDevice<std::uint32_t> picked(memory_), elsewhere(memory_);
  OnDevice<double> at(memory_);
  upload(picked, pick.data(), std::ssize(pick), memory_.stream);
  upload(elsewhere, apart.data(), std::ssize(apart), memory_.stream);
  upload(at, x.data(), std::ssize(x), memory_.stream);
  const PlaceOf place_of{set.code.data(), place};
  for_each_index(set.points.count, PickPoint{place_of, picked.data()}, memory_.stream, "a point of a box");
  for_each_index(set.points.count,
                 ComparePoint{place_of, AnyReader(set.points, set.scale), picked.data(), elsewhere.data(), at.data()},
                 memory_.stream, "points that coincide");
  download(pick.data(), picked.data(), std::ssize(pick), memory_.stream);
  download(apart.data(), elsewhere.data(), std::ssize(apart), memory_.stream);
  download(x.data(), at.data(), std::ssize(x), memory_.stream);
  require(cudaStreamSynchronize(memory_.stream), "points that coincide");
  for (std::size_t k = 0; k < places; ++k)
    for (std::size_t axis = 0; axis < 3 && pick[k] != no_point; ++axis) {
      double* bound = &bounds[6 * k + 2 * axis];
      const double low = x[3 * k + axis], infinity = std::numeric_limits<double>::infinity();
      bound[0] = std::min(bound[0], apart[k] ? -infinity : low);
      bound[1] = std::min(bound[1], apart[k] ? -infinity : -low);
    }
}

/// Where no box is divided the points have no codes yet: that of the root.
Owners DeviceOwnPoints::owners(std::size_t set, const std::vector<CoarseBox>& boxes) {
  OnDevice<std::uint32_t>& code = sets_[set].code;
  if (!counted_)
    require(
        cudaMemsetAsync(code.data(), 0, static_cast<std::size_t>(code.size()) * sizeof(std::uint32_t), memory_.stream),
        "cudaMemsetAsync");
  std::vector<std::int32_t> owner_of_box;
  for (const CoarseBox& box : boxes) owner_of_box.push_back(box.first_rank);
  return {code.data(), of_codes(codes_, owner_of_box)};
}

}  // namespace farfield::distributed
