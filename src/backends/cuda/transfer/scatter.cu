// Results into the caller's order, which is unrelated to that of the tree. With every number written directly to its
// place, the 16 bytes of a result touch five sectors of memory, and 2^24 results took 3.5 ms. Instead potential and
// gradient are moved as one record. Few records are spread in one step, into an array that fits the L2 cache; many are
// first sorted into groups of 2^18 neighbouring places, so that the second step writes within the cache. A last pass
// copies to the caller's arrays in order. At 2^24: 0.8 ms (0.23, 0.42 and 0.15); the bytes alone would take 0.4. The
// place of a record within its group depends on timing, its place in the result does not.
#include <algorithm>
#include <vector>

#include "backends/cuda/runtime/parallel.hpp"
#include "backends/cuda/transfer/points.hpp"
#include "backends/cuda/transfer/records.hpp"
#include "backends/cuda/transfer/scatter.hpp"
#include "backends/cuda/tuning.hpp"

namespace farfield::cuda {
namespace {

/// Places whose records are grouped at a time. A slab may be an eighth larger than slab_bytes: every slab reads all
/// results, and of two ranks with 2^26 points one owns a few more, for which another slab took 0.4 ms.
std::int64_t slab_of(std::int64_t count, std::size_t record) {
  const std::int64_t most = tuning::slab_bytes / static_cast<std::int64_t>(record);
  const std::int64_t slabs = std::clamp<std::int64_t>((8 * count + 9 * most - 1) / (9 * most), 1, tuning::most_slabs);
  return (count + slabs - 1) / slabs;
}

/// Part k + 1 of `results` is component k of the vector but for its sign.
template <class T, int parts, class Real>
struct Source {
  SortedResults<Real> results;
  T sign[3];
  __device__ Record<T, numbers_of<parts>> operator()(std::int64_t i) const {
    Record<T, numbers_of<parts>> record;
#pragma unroll
    for (int k = 0; k < numbers_of<parts>; ++k) {
      const int part = first_part(parts) + k;
      const T value = static_cast<T>(results.factor[part](static_cast<double>(results.result[part][i])));
      record.value[k] = part > 0 ? sign[part - 1] * value : value;
    }
    return record;
  }
};
/// Parts 4 to 9.
template <class T, class Real>
struct HessianSource {
  SortedResults<Real> results;
  __device__ Record<T, hessian_numbers> operator()(std::int64_t i) const {
    Record<T, hessian_numbers> record;
#pragma unroll
    for (int k = 0; k < hessian_numbers; ++k) {
      const double value = static_cast<double>(results.result.part[with_gradient + k][i]);
      record.value[k] = static_cast<T>(results.factor[with_gradient + k](value));
    }
    return record;
  }
};

template <class T, int parts, class Real>
Source<T, parts, Real> source_of(SortedResults<Real> results, const VectorResult& made) {
  const ResultArrays<Real> gradient = results.result;
  for (int k = 0; k < 3; ++k) results.result.part[1 + k] = gradient[made.part[k]];
  return {results, {static_cast<T>(made.sign[0]), static_cast<T>(made.sign[1]), static_cast<T>(made.sign[2])}};
}

template <class T, int parts>
struct ToRecords {
  Record<T, parts>* placed;
  __device__ void operator()(std::int64_t place, const Record<T, parts>& record) const { placed[place] = record; }
};
template <class T>
struct ToCaller {
  Destination<T> to;
  std::int64_t first;
  __device__ void operator()(std::int64_t place, const Record<T, 1>& record) const {
    to.put_potential(first + place, record.value[0]);
  }
};

template <class From, class To>
__global__ void __launch_bounds__(block_threads)
    spread_kernel(From from, const std::uint32_t* order, std::int64_t count, To to) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * block_threads + threadIdx.x;
  if (i < count) to(order ? order[i] : i, from(i));
}

template <class T, int parts>
struct Grouped {
  const Record<T, parts>* record;
  __device__ Record<T, parts> operator()(std::int64_t i) const { return record[i]; }
};

/// Places [first, first + count) of the caller's order, in groups of 2^shift.
struct Slab {
  std::int64_t first, count;
  int shift;
  int groups() const { return static_cast<int>((count + (std::int64_t(1) << shift) - 1) >> shift); }
  /// The first place of a group, or the end of the last one, counted from the first of the slab.
  std::int64_t begin(int group) const { return std::min(std::int64_t(group) << shift, count); }
};

template <class T, int parts>
struct Tile {
  static constexpr int size = sizeof(Record<T, parts>) > 16 ? 1024 : 2048;
  Record<T, parts> record[size];
  std::uint32_t place[size];
  int count[tuning::most_record_groups], first[tuning::most_record_groups + 1];
  std::uint32_t base[tuning::most_record_groups];

  /// first[g] = sum of count before g; by the first warp.
  __device__ void scan() {
    int before = 0;
    for (int g = 0; g < tuning::most_record_groups; g += 32) {
      const int own = count[g + threadIdx.x];
      const int sum = sum_up_to(static_cast<int>(threadIdx.x), own);
      first[g + threadIdx.x] = before + sum - own;
      before += __shfl_sync(0xffffffffu, sum, 31);
    }
    if (threadIdx.x == 0) first[tuning::most_record_groups] = before;
  }
};

/// Sorts the slab's records into its groups: group g has entries [g << shift, (g + 1) << shift) of `record` and
/// `place`, the last group as many as there are. A block sorts a tile by group in shared memory and writes runs.
template <class T, int parts, class From>
__global__ void __launch_bounds__(block_threads)
    group_kernel(From from, const std::uint32_t* order, std::int64_t count, Slab slab, std::uint32_t* cursor,
                 Record<T, parts>* record, std::uint32_t* place) {
  using Tile = farfield::cuda::Tile<T, parts>;
  constexpr int per_thread = Tile::size / block_threads;
  extern __shared__ __align__(32) unsigned char shared[];
  Tile& tile = *reinterpret_cast<Tile*>(shared);
  const int thread = static_cast<int>(threadIdx.x);
  const std::int64_t begin = static_cast<std::int64_t>(blockIdx.x) * Tile::size;
  if (thread < tuning::most_record_groups) tile.count[thread] = 0;
  __syncthreads();
  std::int64_t own[per_thread];
  int rank[per_thread];
#pragma unroll
  for (int k = 0; k < per_thread; ++k) {
    const std::int64_t i = begin + k * block_threads + thread;
    own[k] = i < count ? order[i] - slab.first : -1;
    if (own[k] >= slab.count) own[k] = -1;
    if (own[k] >= 0) rank[k] = atomicAdd(&tile.count[own[k] >> slab.shift], 1);
  }
  __syncthreads();
  if (thread < 32) tile.scan();
  if (thread < tuning::most_record_groups && tile.count[thread] > 0)
    tile.base[thread] = (static_cast<std::uint32_t>(thread) << slab.shift) +
                        atomicAdd(cursor + thread, static_cast<std::uint32_t>(tile.count[thread]));
  __syncthreads();
#pragma unroll
  for (int k = 0; k < per_thread; ++k) {
    if (own[k] < 0) continue;
    const int at = tile.first[own[k] >> slab.shift] + rank[k];
    tile.place[at] = static_cast<std::uint32_t>(own[k]);
    tile.record[at] = from(begin + k * block_threads + thread);
  }
  __syncthreads();
  for (int i = thread; i < tile.first[tuning::most_record_groups]; i += block_threads) {
    const std::uint32_t to = tile.place[i] >> slab.shift,
                        at = tile.base[to] + static_cast<std::uint32_t>(i - tile.first[to]);
    record[at] = tile.record[i];
    place[at] = tile.place[i];
  }
}

/// Records to the caller's arrays from `first` on; the three numbers of a gradient go through shared memory.
template <class T, int numbers, class Placed>
__global__ void __launch_bounds__(block_threads)
    deliver_kernel(Placed placed, std::int64_t first, std::int64_t count, Destination<T> to) {
  __shared__ T gradient[3 * block_threads];
  const int thread = static_cast<int>(threadIdx.x);
  const std::int64_t begin = static_cast<std::int64_t>(blockIdx.x) * block_threads, i = begin + thread;
  if (i < count) {
    const Record<T, numbers> record = placed(i);
    if constexpr (numbers == 4) to.put_potential(first + i, record.value[0]);
    for (int axis = 0; axis < 3; ++axis)
      gradient[3 * thread + axis] = numbers == 4 ? record.value[1 + axis] : axis < 2 ? record.value[axis] : T(0);
  }
  __syncthreads();
  for (int k = thread; k < 3 * block_threads; k += block_threads)
    if (begin + k / 3 < count) to.put_gradient(first + begin + k / 3, k % 3, gradient[k]);
}

/// The same for the six numbers of a Hessian.
template <class T, class Placed>
__global__ void __launch_bounds__(block_threads)
    deliver_hessians_kernel(Placed placed, std::int64_t first, std::int64_t count, Destination<T> to) {
  __shared__ T number[hessian_numbers * block_threads];
  const int thread = static_cast<int>(threadIdx.x);
  const std::int64_t begin = static_cast<std::int64_t>(blockIdx.x) * block_threads, i = begin + thread;
  if (i < count) {
    const Record<T, hessian_numbers> record = placed(i);
#pragma unroll
    for (int k = 0; k < hessian_numbers; ++k) number[hessian_numbers * thread + k] = record.value[k];
  }
  __syncthreads();
  for (int k = thread; k < hessian_numbers * block_threads; k += block_threads)
    if (begin + k / hessian_numbers < count)
      to.put_hessian(first + begin + k / hessian_numbers, k % hessian_numbers, number[k]);
}

std::vector<Slab> slabs_of(std::int64_t count, std::size_t record) {
  const std::int64_t most = slab_of(count, record);
  std::vector<Slab> slabs;
  for (std::int64_t first = 0; first < count; first += most) {
    Slab slab{first, std::min(most, count - first), tuning::least_group_shift};
    while (slab.groups() > tuning::most_record_groups) ++slab.shift;
    slabs.push_back(slab);
  }
  return slabs;
}

/// Groups whose places are all to be filled later, and the others, which have the first turn.
struct Turns {
  const std::vector<Scatter::Range>& later;
  const std::function<void()>& first_is_over;

  bool waits(const Slab& slab, int group) const {
    const std::int64_t begin = slab.begin(group), end = slab.begin(group + 1);
    return std::any_of(later.begin(), later.end(), [&](const Scatter::Range& range) {
      return range.first <= slab.first + begin && slab.first + end <= range.end;
    });
  }
  bool first(const Slab& slab) const {
    for (int group = 0; group < slab.groups(); ++group)
      if (!waits(slab, group)) return true;
    return false;
  }
  /// f(begin, end) for entries of groups of one turn that follow one another.
  template <class F>
  void each_run(const Slab& slab, bool waiting, const F& f) const {
    for (int group = 0, end = 0; group < slab.groups(); group = end) {
      const bool waits = this->waits(slab, group);
      for (end = group + 1; end < slab.groups() && this->waits(slab, end) == waits;) ++end;
      if (waits == waiting) f(slab.begin(group), slab.begin(end));
    }
  }
};

/// The passes that results of one vector go through; their arrays grow as needed and are kept.
template <class T, int numbers>
struct Passes {
  DeviceArray<unsigned char>&grouped, &placed;
  DeviceArray<std::uint32_t>&place, &cursor;
  const Destination<T>& to;
  cudaStream_t stream;
  using Numbers = Record<T, numbers>;
  Numbers* records = nullptr;  ///< where they end as records; null: they are delivered

  /// `from(i)` belongs to place first + order[i].
  template <class From>
  void spread(const From& from, const std::uint32_t* order, std::int64_t first, std::int64_t count) {
    const unsigned blocks = blocks_for(count);
    if constexpr (numbers == 1) {
      if (!records) return deliver(from, first, count, order);
    }
    if (!records) placed.resize(count * static_cast<std::int64_t>(sizeof(Numbers)));
    Numbers* const into = records ? records + first : reinterpret_cast<Numbers*>(placed.data());
    spread_kernel<<<blocks, block_threads, 0, stream>>>(from, order, count, ToRecords<T, numbers>{into});
    require_launch("spread_kernel");
    if (!records) deliver(Grouped<T, numbers>{into}, first, count);
  }

  /// In their order; single numbers also in another.
  template <class Placed>
  void deliver(const Placed& placed, std::int64_t first, std::int64_t count, const std::uint32_t* order = nullptr) {
    const unsigned blocks = blocks_for(count);
    if constexpr (numbers == 1)
      spread_kernel<<<blocks, block_threads, 0, stream>>>(placed, order, count, ToCaller<T>{to, first});
    else if constexpr (numbers == hessian_numbers)
      deliver_hessians_kernel<T><<<blocks, block_threads, 0, stream>>>(placed, first, count, to);
    else
      deliver_kernel<T, numbers><<<blocks, block_threads, 0, stream>>>(placed, first, count, to);
    require_launch("deliver_kernel");
  }

  template <class From>
  void group(const From& from, const std::uint32_t* order, std::int64_t count, const Slab& slab) {
    grouped.resize(slab.count * static_cast<std::int64_t>(sizeof(Numbers)));
    place.resize(slab.count);
    cursor.resize(tuning::most_record_groups);
    require(cudaMemsetAsync(cursor.data(), 0, tuning::most_record_groups * sizeof(std::uint32_t), stream),
            "cudaMemsetAsync");
    constexpr int size = Tile<T, numbers>::size;
    launch_kernel("group_kernel", group_kernel<T, numbers, From>,
                  {static_cast<unsigned>((count + size - 1) / size), block_threads, sizeof(Tile<T, numbers>)}, stream,
                  from, order, count, slab, cursor.data(), reinterpret_cast<Numbers*>(grouped.data()), place.data());
  }

  /// Entries [begin, end) of a slab that was grouped.
  void spread_grouped(const Slab& slab, std::int64_t begin, std::int64_t end) {
    const auto* const record = reinterpret_cast<const Numbers*>(grouped.data());
    spread(Grouped<T, numbers>{record + begin}, place.data() + begin, slab.first, end - begin);
  }

  bool needs_groups(const std::uint32_t* order, std::int64_t count) const {
    return order && count * static_cast<std::int64_t>(sizeof(Numbers)) > tuning::spread_at_once;
  }

  template <class From>
  void run(const From& from, const std::uint32_t* order, std::int64_t count) {
    if (!order) return deliver(from, 0, count);
    if (!needs_groups(order, count)) return spread(from, order, 0, count);
    for (const Slab& slab : slabs_of(count, sizeof(Numbers))) {
      group(from, order, count, slab);
      spread_grouped(slab, 0, slab.count);
    }
  }

  /// To `records`, in two turns.
  template <class From>
  void run_in_turns(const From& from, const std::uint32_t* order, std::int64_t count, const Turns& turns) {
    if (!needs_groups(order, count)) {
      spread(from, order, 0, count);
      return turns.first_is_over();
    }
    std::vector<Slab> slabs = slabs_of(count, sizeof(Numbers));
    const auto first_turn =
        std::stable_partition(slabs.begin(), slabs.end(), [&](const Slab& s) { return turns.first(s); });
    if (first_turn == slabs.begin()) turns.first_is_over();
    for (auto slab = slabs.begin(); slab != slabs.end(); ++slab) {
      group(from, order, count, *slab);
      turns.each_run(*slab, false, [&](std::int64_t begin, std::int64_t end) { spread_grouped(*slab, begin, end); });
      if (slab + 1 == first_turn) turns.first_is_over();
      turns.each_run(*slab, true, [&](std::int64_t begin, std::int64_t end) { spread_grouped(*slab, begin, end); });
    }
  }
};

/// One of up to six result arrays of the caller, and where the kernels write it.
struct CallersArray {
  void* caller;
  std::int64_t numbers;
  unsigned char* device = nullptr;
};

}  // namespace

template <class Real>
void Scatter::operator()(const SortedResults<Real>& results, std::int64_t vector, const std::uint32_t* order,
                         std::int64_t count, const Delivery& delivery, cudaStream_t stream, const VectorResult& made) {
  if (count == 0) return;
  const Outputs& o = delivery.outputs;
  const std::int64_t size = size_of(o.scalar), at_targets = delivery.split, at_sources = count - delivery.split;
  CallersArray targets[6] = {{o.potential, at_targets},           {o.gradient, 3 * at_targets},
                             {o.hessian, 6 * at_targets},         {o.source_potential, at_sources},
                             {o.source_gradient, 3 * at_sources}, {o.source_hessian, 6 * at_sources}};
  std::int64_t bytes = 0;
  for (const CallersArray& t : targets)
    if (t.caller && o.space == MemorySpace::host) bytes += t.numbers * size;
  if (bytes > 0) copy_.resize(bytes);
  bytes = 0;
  for (CallersArray& t : targets) {
    if (!t.caller) continue;
    t.caller = static_cast<unsigned char*>(t.caller) + vector * t.numbers * size;
    t.device = o.space == MemorySpace::host ? copy_.data() + bytes : static_cast<unsigned char*>(t.caller);
    bytes += t.numbers * size;
  }
  const auto launch = [&](auto scalar) {
    using T = decltype(scalar);
    const auto at = [&](int k) { return reinterpret_cast<T*>(targets[k].device); };
    Destination<T> to{{at(0), at(1), at(2)}, {at(3), at(4), at(5)}, delivery.split};
    if (const Addend* const more = delivery.addend; more && more->ready) {
      require(cudaStreamWaitEvent(stream, static_cast<cudaEvent_t>(more->ready)), "cudaStreamWaitEvent");
      to.potential = static_cast<const T*>(more->potential), to.gradient = static_cast<const T*>(more->gradient);
    }
    with_all_parts(results.result.parts(), [&](auto parts) {
      Passes<T, numbers_of<parts()>> passes{grouped_, placed_, place_, cursor_, to, stream};
      passes.run(source_of<T, parts()>(results, made), order, count);
    });
    if (results.result.parts() != with_hessian) return;
    Passes<T, hessian_numbers> passes{grouped_, placed_, place_, cursor_, to, stream};
    passes.run(HessianSource<T, Real>{results}, order, count);
  };
  if (o.scalar == Scalar::float32)
    launch(float{});
  else
    launch(double{});
  if (o.space == MemorySpace::device) return;
  for (const CallersArray& t : targets)
    if (t.caller) download(static_cast<unsigned char*>(t.caller), t.device, t.numbers * size, stream);
  require(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
}

template <class Real>
void Scatter::place(const SortedResults<Real>& results, const std::uint32_t* order, std::int64_t count,
                    const Placing& placing, cudaStream_t stream, const VectorResult& made) {
  const Turns turns{placing.later, placing.others_are_placed};
  if (count == 0) return turns.first_is_over();
  with_scalar(placing.scalar, [&](auto number) {
    using T = decltype(number);
    const Destination<T> nowhere{};
    const auto run = [&](const auto& from, auto numbers) {
      Passes<T, numbers()> passes{grouped_, placed_, place_, cursor_, nowhere, stream};
      passes.records = static_cast<Record<T, numbers()>*>(placing.records);
      passes.run_in_turns(from, order, count, turns);
    };
    if (placing.hessians) return run(HessianSource<T, Real>{results}, std::integral_constant<int, hessian_numbers>{});
    with_all_parts(results.result.parts(), [&](auto parts) {
      run(source_of<T, parts()>(results, made), std::integral_constant<int, numbers_of<parts()>>{});
    });
  });
}

int Scatter::numbers_of_record(int parts) {
  return parts == with_hessian ? with_gradient : parts == gradient_alone ? numbers_of<gradient_alone> : parts;
}

void Scatter::release() { copy_.release(), grouped_.release(), placed_.release(), place_.release(), cursor_.release(); }

std::int64_t Scatter::bytes(std::int64_t count, std::int64_t parts, std::int64_t size) {
  const std::int64_t slab = std::min(count, slab_of(count, static_cast<std::size_t>(parts * size)));
  return slab * (2 * parts * size + 4);
}

std::int64_t Scatter::bytes_of_groups(std::int64_t count, std::int64_t parts, std::int64_t size) {
  return std::min(count, slab_of(count, static_cast<std::size_t>(parts * size))) * (parts * size + 4);
}

template void Scatter::place<float>(const SortedResults<float>&, const std::uint32_t*, std::int64_t, const Placing&,
                                    cudaStream_t, const VectorResult&);
template void Scatter::place<double>(const SortedResults<double>&, const std::uint32_t*, std::int64_t, const Placing&,
                                     cudaStream_t, const VectorResult&);
template void Scatter::operator()<float>(const SortedResults<float>&, std::int64_t, const std::uint32_t*, std::int64_t,
                                         const Delivery&, cudaStream_t, const VectorResult&);
template void Scatter::operator()<double>(const SortedResults<double>&, std::int64_t, const std::uint32_t*,
                                          std::int64_t, const Delivery&, cudaStream_t, const VectorResult&);

}  // namespace farfield::cuda
