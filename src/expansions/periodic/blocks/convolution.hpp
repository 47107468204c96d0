// BlockConvolution: m2l between the blocks of a cell, for backends that do it by transforms over the grid of blocks.
//
// What block t gets is the sum over all images s of blocks that are no points. These depend on s, not on s - t alone:
// points are the images that are near some block. So it is the difference of two convolutions, over all images and over
// those that are points,
//
//   sum over blocks s of images(s - t) M(s)  -  sum over images s that are points, but not at home, of S(s - t) M(s),
//
// where images(d) adds up S(d + n) over the near cells' n, but n = 0, and S(d) is 0 for what is near.
#pragma once
#include "expansions/periodic/blocks/grid_transform.hpp"
#include "expansions/periodic/blocks/images.hpp"
#include "expansions/periodic/solid_convolution.hpp"

namespace farfield {

/// Coefficients of orders m >= 0 of SolidConvolution's tables, [place][n (n + 1) / 2 + m]; places with the last axis'
/// one after the other.
struct BlockConvolution {
  int count[3] = {};  ///< blocks along each axis
  int reach[3] = {};  ///< images that are points stand so far from them
  /// For m2l and, of the virial, for each periodic vector: images(d), |d| < count. There image n counts n times.
  std::vector<SolidConvolution::Numbers> images;
  /// -S(d), |d| < count + reach.
  SolidConvolution::Numbers alone;
  /// Likewise: how often what stands there counts, -reach <= s < count + reach. 0 at home and where no points are.
  std::vector<std::vector<double>> weights;

  /// On a circle of this length no two displacements from a block to an image meet.
  int length(int axis) const { return 2 * (count[axis] + reach[axis]) - 1; }
  std::vector<convolution::Complex> waves() const;  ///< GridTransform::waves, to be set in the following
  convolution::GridTransform of_blocks() const;
  convolution::GridTransform of_points() const;  ///< where weights are
  convolution::GridTransform of_images() const;  ///< of images(d)
  convolution::GridTransform of_alone() const;   ///< of S(d)
};

/// `unit`: length in which the expansions are; `sets`: 1, or 1 more for each periodic vector.
BlockConvolution make_convolution(const BlockGrid& grid, const BlockImages& images, const SolidConvolution& convolution,
                                  double unit, int sets, int threads);
/// Of its tables, on the host and, transformed, where they are used.
std::int64_t convolution_bytes(const BlockGrid& grid, int degree, int sets);

}  // namespace farfield
