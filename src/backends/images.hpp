// Images: sources of a plan that are the points of a periodic cell and images of them. Where such points move, nobody
// has to write down where each image is: the plan finds it from its point.
#pragma once
#include <cstdint>
#include <farfield/views.hpp>

namespace farfield {

namespace cuda {
class HomeBoxes;
}

/// An image of the points of a block; the first of each block is the block at home.
struct NearImage {
  double shift[3];
  std::int32_t away[3];  ///< how often each vector
};

/// In device memory.
struct Images {
  Points sources;                      ///< as many; these arrays are not read
  const double* home;                  ///< where the points are, interleaved
  const std::uint32_t *point, *image;  ///< of each source its point, and which of `shifts` it is
  const NearImage* shifts;
  std::uint64_t placement;           ///< changes with `point`, `image` and `shifts`; never 0
  cuda::HomeBoxes* boxes = nullptr;  ///< is shown the tree of a plan that finds them; null: nobody is
};

}  // namespace farfield
