// Survey: one look at the caller's points before anything is chosen or allocated.
#pragma once
#include "backends/cuda/runtime/array.hpp"
#include "tree/geometry.hpp"

namespace farfield::cuda {

/// Bounding box, power-of-two scale and how the points fill space, the same as cpu::survey finds. `targets` null: they
/// are the sources. Points in host memory are copied for the call; a caller who builds afterwards passes views of
/// DevicePoints instead. In the order of memory.stream, for which it waits once.
/// Throws Error(input) for negative counts, null pointers and for the first coordinate that is not Kept.
Geometry survey(const Points& sources, const Points* targets, DeviceMemory& memory);

/// Of points that several ranks share: joins what was found on this one, in host memory, with what the others found.
class SurveyOfOthers {
 public:
  struct Box {
    std::int64_t sources, targets;
    PointBox all, of_targets;  ///< infinities where there are no points
    double least;
  };
  virtual ~SurveyOfOthers() = default;
  virtual void join(Box& own) = 0;
  /// Device memory for the bits of cells that hold a point. Others may read it until the next survey's join.
  virtual unsigned* bits(std::int64_t words) = 0;
  /// In the order of `stream`: adds the others' bits to these, of which there are `words`.
  virtual void join_bits(unsigned* own, std::int64_t words, cudaStream_t stream) = 0;
};
/// As survey. Waits for the stream some times.
Geometry survey_with(SurveyOfOthers& others, const Points& sources, const Points* targets, DeviceMemory& memory);

}  // namespace farfield::cuda
