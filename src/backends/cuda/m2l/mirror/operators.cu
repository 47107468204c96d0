// The operators of m2l by mirror images, made by the host and sorted for the tensor cores on the device.
#include <algorithm>

#include "backends/cuda/far/tables/table_cache.hpp"
#include "backends/cuda/m2l/mirror/operators.hpp"
#include "backends/cuda/runtime/parallel.hpp"
#include "expansions/laplace_basis.hpp"
#include "expansions/offsets.hpp"

namespace farfield::cuda {

MirrorStep::MirrorStep(int orbit, const int (&offset)[3], int parity, int chunk)
    : word(static_cast<std::uint32_t>(orbit | parity << 6 | chunk << 9)) {
  for (int axis = 0; axis < 3; ++axis) {
    const auto d = static_cast<std::uint32_t>(offset[axis]);
    word |= d << (16 + 2 * axis);
    if (d == 1 || d == 2) word |= 1u << (22 + axis);
    if (d == 0) word |= 1u << (25 + axis);
  }
}

namespace {

int chunks_of(int count) { return (count + mirror_chunk - 1) / mirror_chunk; }

/// Host tables of a degree.
struct MirrorLists {
  MirrorShape shape;
  std::vector<std::int16_t> source, column;
  std::vector<MirrorStep> step;
  std::vector<std::int32_t> begin;
  std::vector<FarOffset> offset;  ///< the operator of each orbit

  explicit MirrorLists(int degree) {
    sort_coefficients(degree);
    assign_warps();
    list_steps();
  }

 private:
  void sort_coefficients(int degree) {
    const int count = LaplaceBasis::coefficient_count(degree);
    std::vector<int> of_parity[8];
    const Symmetry x = LaplaceBasis::symmetry(degree, 1), y = LaplaceBasis::symmetry(degree, 2),
                   z = LaplaceBasis::symmetry(degree, 4);
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
      of_parity[(x.sign[i] < 0 ? 1 : 0) | (y.sign[i] < 0 ? 2 : 0) | (z.sign[i] < 0 ? 4 : 0)].push_back(
          static_cast<int>(i));
    for (const std::vector<int>& own : of_parity)
      shape.deep = std::max(shape.deep, static_cast<std::int16_t>(chunks_of(static_cast<int>(own.size()))));
    source.assign(static_cast<std::size_t>(8 * mirror_chunk * shape.deep), -1);
    for (std::size_t parity = 0; parity < 8; ++parity) {
      const std::vector<int>& own = of_parity[parity];
      shape.count[parity] = static_cast<std::int16_t>(own.size());
      shape.first[parity] = shape.chunks;
      shape.chunks = static_cast<std::int16_t>(shape.chunks + chunks_of(shape.count[parity]));
      column.resize(static_cast<std::size_t>(shape.chunks) * mirror_chunk, -1);
      for (std::size_t i = 0; i < own.size(); ++i) {
        column[static_cast<std::size_t>(shape.first[parity]) * mirror_chunk + i] = static_cast<std::int16_t>(own[i]);
        source[parity * mirror_chunk * static_cast<std::size_t>(shape.deep) + place(i, own.size())] =
            static_cast<std::int16_t>(own[i]);
      }
    }
  }

  /// Lane t of four multiplies by places 2 t and 2 t + 1 of a mirror_chunk, one instruction each. Up to four
  /// coefficients lie at even places and need one.
  static std::size_t place(std::size_t i, std::size_t count) {
    const std::size_t begin = i / mirror_chunk * mirror_chunk;
    return count - begin > 4 ? i : begin + 2 * (i - begin);
  }

  /// Warps w and w + 4 share a tensor core: the largest parity goes with the smallest.
  void assign_warps() {
    int order[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    std::stable_sort(order, order + 8, [&](int a, int b) { return shape.count[a] > shape.count[b]; });
    for (int w = 0; w < 8; ++w) shape.parity_of_warp[w] = static_cast<std::uint8_t>(order[w < 4 ? w : 11 - w]);
  }

  void list_steps() {
    for (int z = 0; z <= far_reach; ++z)
      for (int y = 0; y <= far_reach; ++y)
        for (int x = 0; x <= far_reach; ++x)
          if (std::max({x, y, z}) > 1) add_orbit({x, y, z});
    begin.push_back(static_cast<std::int32_t>(step.size()));
  }

  void add_orbit(const int (&distance)[3]) {
    const auto orbit = static_cast<int>(begin.size());
    begin.push_back(static_cast<std::int32_t>(step.size()));
    offset.push_back(far_offset(-distance[0], -distance[1], -distance[2]));
    const auto zero = static_cast<int>(MirrorStep(orbit, distance, 0, 0).zero());
    for (int parity = 0; parity < 8; ++parity) {
      if (parity & zero) continue;
      int chunks = 0;
      for (int other = 0; other < 8; ++other)
        if ((other & ~zero) == parity) chunks = std::max(chunks, chunks_of(shape.count[other]));
      for (int c = 0; c < chunks; ++c) {
        step.emplace_back(orbit, distance, parity, c);
        step.back().filled = filled(c);
      }
    }
  }

  std::uint32_t filled(int chunk_number) const {
    std::uint32_t bits = 0;
    for (int parity = 0; parity < 8; ++parity) {
      const int left = shape.count[parity] - chunk_number * mirror_chunk;
      bits |= (left > 4 ? 2u : left > 0 ? 1u : 0u) << 2 * parity;
    }
    return bits;
  }
};

/// Fills MirrorView::operators: a lane's pair of elements (in, out) for each step and group of outputs.
struct FillOperators {
  MirrorView view;
  const double *canonical, *sign;
  const std::int32_t* index;
  const FarOffset* offset;
  int count;
  double2* to;

  __device__ void operator()(std::int64_t i) const {
    const int lane = static_cast<int>(i % 32), group = static_cast<int>(i / 32 % view.shape.chunks);
    const MirrorStep step = view.step[i / 32 / view.shape.chunks];
    int out_parity = 7;
    while (group < view.shape.first[out_parity]) --out_parity;
    const unsigned in_parity = step.parity() | (static_cast<unsigned>(out_parity) & step.zero());
    double2 pair{0, 0};
    if (step.chunk() * mirror_chunk < view.shape.count[in_parity]) {
      const int from = (static_cast<int>(in_parity) * view.shape.deep + step.chunk()) * mirror_chunk + lane % 4 * 2;
      const int out = view.column[group * mirror_chunk + lane / 4];
      pair = {element(offset[step.orbit()], view.source[from], out),
              element(offset[step.orbit()], view.source[from + 1], out)};
    }
    to[i] = pair;
  }
  __device__ double element(const FarOffset& o, int in, int out) const {
    if (in < 0 || out < 0) return 0;
    const std::int32_t* at = index + o.symmetry * count;
    const double* signs = sign + o.symmetry * count;
    return signs[in] * signs[out] * canonical[(std::int64_t(o.op) * count + at[in]) * count + at[out]];
  }
};

}  // namespace

MirrorOperators::MirrorOperators(const TablesView<double>& tables, cudaStream_t stream, int threads) {
  const MirrorLists lists(tables.degree);
  const std::vector<double> canonical =
      canonical_matrices<LaplaceBasis::DenseM2l>(tables.degree, tables.coefficients, far_operator_count, threads);
  const auto keep = [&](auto& array, const auto& values) {
    upload(array, values.data(), static_cast<std::int64_t>(values.size()), stream);
    return array.data();
  };
  view_.shape = lists.shape;
  view_.steps = static_cast<int>(lists.step.size());
  view_.step = keep(step_, lists.step);
  view_.begin = keep(begin_, lists.begin);
  view_.source = keep(source_, lists.source);
  view_.column = keep(column_, lists.column);
  DeviceArray<double> small;
  DeviceArray<FarOffset> offset;
  const std::int64_t pairs = std::int64_t(32) * view_.steps * view_.shape.chunks;
  operators_.resize(2 * pairs);
  view_.operators = operators_.data();
  for_each_index(
      pairs,
      FillOperators{view_, keep(small, canonical), tables.rotation.sign, tables.rotation.index,
                    keep(offset, lists.offset), tables.coefficients, reinterpret_cast<double2*>(operators_.data())},
      stream, "FillOperators");
  require(cudaStreamSynchronize(stream), "cudaStreamSynchronize");  // the uploaded host arrays end here
}

std::shared_ptr<const MirrorOperators> shared_mirror_operators(const TablesView<double>& tables, cudaStream_t stream,
                                                               int threads) {
  struct Key {
    int device, degree;
    bool operator==(const Key&) const = default;
  };
  static SharedCache<Key, MirrorOperators> cache(most_kept_table_bytes());
  return cache.get({current_device(), tables.degree},
                   [&] { return std::make_shared<MirrorOperators>(tables, stream, threads); });
}

}  // namespace farfield::cuda
