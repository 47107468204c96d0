// BlockField: what all far images of the points give, from expansions about the blocks of a cell.
//
//   multipoles of blocks --m2m--> of the cell --lattice operator--> its local --l2l--> locals of blocks --> points
//          |------------------- far images within the near cells, m2l --------------------^
//
// The lattice operator serves all images but those of the near cells. Of these, images of blocks that are near some
// block are not here: they are points of the sum beside it.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "expansions/periodic/lattice_operator.hpp"
#include "tree/cell/block_grid.hpp"

namespace farfield {

/// Points in the order of their blocks, in parts that threads take; coordinates are the caller's.
struct BlockedPoints {
  struct Part {
    int block;
    std::int64_t first, last;  ///< of `order`
  };
  std::vector<std::uint32_t> order;
  std::vector<Part> parts;
  const double* axis[3] = {};

  BlockedPoints() = default;
  BlockedPoints(const BlockGrid& grid, const double* x, const double* y, const double* z, std::int64_t count);
};

class BlockField {
 public:
  BlockField(const BlockGrid& grid, int degree, int threads);

  /// Expansions of the far images of these charges.
  void set(const BlockedPoints& sources, const double* charge);
  /// Adds to potential[i] and, unless it is null, gradient[3 i ...].
  void add(const BlockedPoints& targets, double* potential, double* gradient) const;
  /// The same of the two highest degrees alone: about what those lack that are left out.
  void add_highest(const BlockedPoints& targets, double* potential, double* gradient) const;
  int degree() const { return convolution_.degree(); }
  /// Of the tables, most of which stand for pairs of blocks.
  static std::int64_t table_bytes(const BlockGrid& grid, int degree);

 private:
  int place_code(int from, int to) const;
  void make_tables();
  void add_far(int from, int to, class HarmonicSum& harmonics) const;
  void take_off_near(int from, int to, class HarmonicSum& harmonics) const;
  void add_harmonics(int from, int to, const std::vector<CellIndex>& images, double weight,
                     class HarmonicSum& harmonics) const;
  void gather_multipoles(const BlockedPoints& sources, const double* charge);
  double apply_lattice();
  void translate();
  bool empty(std::size_t block) const;
  void add(const BlockedPoints& targets, const std::vector<double>& local, double quadratic, double* potential,
           double* gradient) const;

  BlockGrid grid_;
  SolidConvolution convolution_;
  std::vector<std::vector<CellIndex>> explicit_;  ///< per block: the images that are points
  std::vector<CellIndex> near_;                   ///< cells that the lattice operator leaves out
  std::unique_ptr<LatticeOperator> lattice_;
  std::vector<SolidShift> to_root_;  ///< per block
  std::vector<double> recurrence_;
  std::size_t count_;  ///< coefficients
  int threads_;
  double unit_, root_edge_;     ///< lengths in which expansions of blocks and of the cell are
  std::vector<double> tables_;  ///< [to * blocks + from][coefficient of a function of x - y, to twice the degree]
  std::vector<double> multipole_, local_;  ///< [block][coefficient]
  double second_ = 0, quadratic_ = 0;
};

}  // namespace farfield
