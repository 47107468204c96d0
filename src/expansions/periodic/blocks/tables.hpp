// BlockTables: m2l between the blocks of a cell, by tables of a function for each two blocks. Tables and multipoles of
// eight blocks lie side by side, so that a backend translates them together to a block. Of the complex coefficients of
// SolidConvolution those of orders m >= 0 stand here, [n (n + 1) / 2 + m][real, imaginary][lane].
#pragma once
#include "core/array.hpp"
#include "expansions/periodic/solid_convolution.hpp"

namespace farfield {

inline constexpr int block_lanes = 8;  ///< whatever the instruction set

/// All blocks to one of them.
struct BlockM2l {
  int degree;
  std::int64_t groups;       ///< of block_lanes sources
  const double* multipoles;  ///< [group][...], of odd degrees with the other sign
  const double* tables;      ///< [group][...], to twice the degree
  double* local;             ///< [order][real, imaginary], overwritten
};
using BlockM2lStage = void (*)(const BlockM2l&);

class BlockTables {
 public:
  /// All zero. `convolution` outlives this.
  BlockTables(const SolidConvolution& convolution, int blocks);

  /// `sums`: as SolidConvolution::make_table takes them.
  void set(int from, int to, const double* sums);
  /// Adds to the locals of all blocks what these multipoles give; both [block][coefficient].
  void translate(BlockM2lStage m2l, const std::vector<double>& multipoles, std::vector<double>& locals,
                 int threads) const;
  static std::int64_t bytes(int blocks, int degree);

 private:
  std::int64_t table(int group, int to) const { return (std::int64_t{to} * groups_ + group) * table_size_; }
  Array<double> side_by_side(const std::vector<double>& multipoles) const;

  const SolidConvolution* convolution_;
  int blocks_, groups_;
  std::int64_t table_size_;  ///< of a group
  Array<double> tables_;     ///< [to][group][...]
};

}  // namespace farfield
