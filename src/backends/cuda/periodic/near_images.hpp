// NearImages: the sources of a cell with their near images as points of a plan that is not periodic, on a device. Each
// source is followed by its images: in this order the points of several ranks are those of one.
#pragma once
#include "backends/cuda/periodic/blocked_cloud.hpp"
#include "backends/images.hpp"
#include "backends/untyped.hpp"

namespace farfield::cuda {

class NearImages {
 public:
  explicit NearImages(DeviceMemory& memory);
  /// Which images there are; after the cloud's place().
  void find(const BlockGrid& grid, const BlockedCloud& cloud);
  /// The cloud's points have moved.
  void move() { placed_ = false; }
  /// Where they are, interleaved: the near plan reads them in the order of its boxes, and a point alone costs whole
  /// sectors of memory.
  const double* place(const BlockedCloud& cloud);
  /// For who finds them from the cloud's points. `sources`: a view of them.
  Images found_from(const BlockedCloud& cloud, const Points& sources) const {
    return {sources, cloud.at(), source_.data(), image_.data(), images_.data(), placement_};
  }

  /// Sources and images.
  std::int64_t count() const { return source_.size(); }
  const double* at() const { return at_.data(); }

  /// charge[count()], of the type of those given, and, of the sources alone, home[]; *flag becomes 1 where one is no
  /// number (null: not asked).
  void take(const AnyNumbers& given, void* charge, double* home, int* flag, cudaStream_t stream) const;
  /// weighted[k][count()]: charges, of which those of an image so many vectors k away count so many times more.
  void weigh(const AnyNumbers& charge, int vectors, double* weighted) const;

 private:
  DeviceMemory& memory_;
  DeviceArray<double> at_;
  bool placed_ = false;                ///< is at_ where they are now?
  std::uint64_t placement_ = 0;        ///< see Images
  DeviceArray<NearImage> images_;      ///< those of a block behind those of the block before
  DeviceArray<std::uint32_t> source_;  ///< of each of the points
  DeviceArray<std::uint32_t> image_;   ///< which of images_ each is
};

}  // namespace farfield::cuda
