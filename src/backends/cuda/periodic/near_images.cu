#include <atomic>
#include <cub/device/device_scan.cuh>
#include <utility>

#include "backends/cuda/periodic/near_images.hpp"
#include "backends/cuda/transfer/point_rows.hpp"

namespace farfield::cuda {
namespace {

/// first[j]: how many images source j has, itself among them.
struct CountImages {
  const std::uint32_t *block, *begin;  ///< begin: [block], of the images
  std::uint32_t* first;
  __device__ void operator()(std::int64_t j) const { first[j] = begin[block[j] + 1] - begin[block[j]]; }
};

struct ListImages {
  const std::uint32_t *block, *begin, *first;
  std::uint32_t *source, *image;
  __device__ void operator()(std::int64_t j) const {
    std::uint32_t at = first[j];
    for (std::uint32_t i = begin[block[j]]; i < begin[block[j] + 1]; ++i, ++at)
      source[at] = static_cast<std::uint32_t>(j), image[at] = i;
  }
};

/// Every threads-th charge, so that several are on their way at a time: each waits for its number in `source`.
template <class T>
struct TakeCharges {
  static constexpr int several = 4;
  std::int64_t count, threads;
  const T* given;
  std::int64_t stride;
  const std::uint32_t* source;
  T* charge;
  double* home;
  int* flag;
  __device__ void operator()(std::int64_t thread) const {
    std::uint32_t j[several];
    T q[several];
#pragma unroll
    for (int k = 0; k < several; ++k) j[k] = source[min(thread + k * threads, count - 1)];
#pragma unroll
    for (int k = 0; k < several; ++k) q[k] = given[j[k] * stride];
#pragma unroll
    for (int k = 0; k < several; ++k)
      if (thread + k * threads < count) put(thread + k * threads, j[k], q[k]);
  }
  __device__ void put(std::int64_t i, std::uint32_t j, T q) const {
    charge[i] = q;
    if (i > 0 && source[i - 1] == j) return;
    home[j] = q;
    if (flag && !isfinite(q)) *flag = 1;
  }
};

struct PlaceImages {
  const double* home;
  const std::uint32_t *source, *image;
  const NearImage* images;
  __device__ void operator()(std::int64_t i, double x[3]) const {
    const double *const own = home + 3 * std::int64_t(source[i]), *const shift = images[image[i]].shift;
    for (int d = 0; d < 3; ++d) x[d] = own[d] + shift[d];
  }
};

struct WeighImages {
  const std::uint32_t* image;
  const NearImage* images;
  std::int64_t all;
  int vectors;
  AnyNumbers charge;
  double* weighted;
  __device__ void operator()(std::int64_t i) const {
    for (int k = 0; k < vectors; ++k) weighted[k * all + i] = charge[i] * (1 + images[image[i]].away[k]);
  }
};

}  // namespace

NearImages::NearImages(DeviceMemory& memory) : memory_(memory) { use_all(memory, at_, images_, source_, image_); }

void NearImages::find(const BlockGrid& grid, const BlockedCloud& cloud) {
  std::vector<NearImage> images;
  std::vector<std::uint32_t> begins{0};
  std::int64_t all = 0;
  for (int block = 0; block < grid.blocks(); ++block) {
    const std::vector<CellIndex> near = grid.near_images(block);
    for (const CellIndex& n : near) {
      const Vector3 shift = grid.cell().displacement(n);
      images.push_back({{shift[0], shift[1], shift[2]}, {n[0], n[1], n[2]}});
    }
    begins.push_back(static_cast<std::uint32_t>(images.size()));
    const auto b = static_cast<std::size_t>(block);
    all += std::ssize(near) * (cloud.begin()[b + 1] - cloud.begin()[b]);
  }
  DeviceArray<std::uint32_t> begin(memory_), first(memory_);
  upload(images_, images.data(), std::ssize(images), memory_.stream);
  upload(begin, begins.data(), std::ssize(begins), memory_.stream);
  first.resize(cloud.count());
  at_.resize(3 * all), source_.resize(all), image_.resize(all);
  static std::atomic<std::uint64_t> placements{0};
  placement_ = ++placements, placed_ = false;
  if (cloud.count() == 0) return;
  for_each_index(cloud.count(), CountImages{cloud.block(), begin.data(), first.data()}, memory_.stream, "near images");
  with_temporary(memory_, "near images", [&](void* temporary, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(temporary, bytes, first.data(), first.data(), cloud.count(), memory_.stream);
  });
  for_each_index(cloud.count(), ListImages{cloud.block(), begin.data(), first.data(), source_.data(), image_.data()},
                 memory_.stream, "near images");
}

const double* NearImages::place(const BlockedCloud& cloud) {
  if (!std::exchange(placed_, true))
    store_points(count(), PlaceImages{cloud.at(), source_.data(), image_.data(), images_.data()}, at_.data(),
                 memory_.stream, "near images");
  return at();
}

void NearImages::take(const AnyNumbers& given, void* charge, double* home, int* flag, cudaStream_t stream) const {
  const auto all = [&](auto* to) {
    using T = std::remove_pointer_t<decltype(to)>;
    const std::int64_t threads = (count() + TakeCharges<T>::several - 1) / TakeCharges<T>::several;
    const TakeCharges<T> take{count(), threads, static_cast<const T*>(given.data), given.stride, source_.data(), to,
                              home,    flag};
    for_each_index(threads, take, stream, "charges with images");
  };
  given.single ? all(static_cast<float*>(charge)) : all(static_cast<double*>(charge));
}

void NearImages::weigh(const AnyNumbers& charge, int vectors, double* weighted) const {
  for_each_index(count(), WeighImages{image_.data(), images_.data(), count(), vectors, charge, weighted},
                 memory_.stream, "weights of images");
}

}  // namespace farfield::cuda
