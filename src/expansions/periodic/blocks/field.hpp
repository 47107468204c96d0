// BlockField: what all far images of the points give, from expansions about the blocks of a cell.
//
//   multipoles of blocks --m2m--> of the cell --lattice operator--> its local --l2l--> locals of blocks --> points
//          |------------------- far images within the near cells, m2l --------------------^
//
// The lattice operator serves all images but those of the near cells. Of these, images of blocks that are near some
// block are not here: they are points of the sum beside it.
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "expansions/periodic/blocks/convolution.hpp"
#include "expansions/periodic/blocks/points.hpp"
#include "expansions/periodic/blocks/stages.hpp"
#include "expansions/periodic/harmonic_sum.hpp"
#include "expansions/periodic/lattice_operator.hpp"
#include "tree/cell/block_grid.hpp"

namespace farfield {

/// Calls add(sum) when it is the caller's turn: a sum to which others add, too, one after the other.
using Adding = std::function<void(std::vector<double>& sum)>;
using InTurn = std::function<void(std::vector<double>& sum, const Adding& add)>;
inline void without_others(std::vector<double>& sum, const Adding& add) { add(sum); }

/// What BlockField does, as tables for a backend that does it in its own memory. Those of SolidConvolution.
struct BlockMaps {
  int degree = 0, blocks = 0;
  double unit = 1, root_edge = 1;  ///< lengths in which expansions of blocks and of the cell are
  Vector3 root_centre{};
  std::vector<Vector3> centres;
  std::vector<double> recurrence, roots, power;  ///< power: of unit / root_edge
  BlockConvolution m2l;
  SolidConvolution::Numbers unit_charges;  ///< [block][coefficient]: of a unit charge at its centre, about the cell's
  SolidConvolution::Numbers lattice;
  bool even = false;     ///< odd degrees of `lattice` are 0
  double quadratic = 0;  ///< of the lattice, see LatticeOperator::apply
};

/// What the virial needs of the charges, where a backend has it in its own memory.
struct BlockMoments {
  SolidConvolution::Numbers scaled_root;  ///< the cell's multipole, SolidConvolution::scaled
  double second = 0;                      ///< sum of q |u|^2 about the cell's centre
  std::vector<Vector3> pulls;  ///< for each weighted table the sum of multipoles times the gradients it gives blocks
};

class BlockField {
 public:
  /// `virial`: with the tables that virial() needs. Without `stages` for maps() alone.
  BlockField(const BlockGrid& grid, int degree, int threads, const BlockStages& stages, bool virial = false);

  /// Expansions of the far images of these charges, and of those that others hold, who call it, too.
  void set(const BlockedPoints& sources, const double* charge, const InTurn& in_turn = without_others);
  /// Adds to potential[i] and, unless it is null, gradient[3 i ...].
  void add(const BlockedPoints& targets, double* potential, double* gradient) const;
  /// The same of the two highest degrees alone: about what those lack that are left out.
  void add_highest(const BlockedPoints& targets, double* potential, double* gradient) const;
  /// Minus the derivative of half the sum of q times what add() adds, by a strain of the lattice at fixed points: xx yy
  /// zz xy xz yz. Of the last charges.
  std::array<double, 6> virial() const;
  /// The same of the charges of these moments.
  std::array<double, 6> virial(const BlockMoments& moments) const;
  int degree() const { return convolution_.degree(); }
  BlockMaps maps() const;
  std::shared_ptr<void> kept;  ///< what a backend makes of maps()
  /// Of the tables, most of which stand for pairs of blocks.
  static std::int64_t table_bytes(const BlockGrid& grid, int degree, bool virial);

 private:
  /// By which each image is multiplied: 1, or how often it is one of the lattice's vectors away.
  static double weight_of(const CellIndex& image, int vector) { return vector < 0 ? 1 : image[vector]; }
  int place_code(int from, int to) const;
  BlockTables make_tables(int vector) const;
  void add_far(int from, int to, int vector, HarmonicSum& harmonics) const;
  void take_off_near(int from, int to, int vector, HarmonicSum& harmonics) const;
  void add_harmonics(int from, int to, const std::vector<CellIndex>& images, double sign, int vector,
                     HarmonicSum& harmonics) const;
  void gather_multipoles(const BlockedPoints& sources, const double* charge, const InTurn& in_turn);
  double apply_lattice();
  Vector3 pull_of_images(const BlockTables& tables) const;
  std::array<double, 6> virial_of(const double* root, double second, const std::vector<Vector3>& pulls) const;
  std::array<double, 6> virial_of_lattice(const double* root, double second) const;
  void add(const BlockedPoints& targets, const std::vector<double>& local, double quadratic, double* potential,
           double* gradient) const;

  BlockGrid grid_;
  SolidConvolution convolution_;
  BlockImages images_;
  std::unique_ptr<LatticeOperator> lattice_;
  std::vector<SolidShift> to_root_;  ///< per block
  std::vector<double> recurrence_;
  std::size_t count_;  ///< coefficients
  int threads_;
  double unit_, root_edge_;  ///< lengths in which expansions of blocks and of the cell are
  int sets_;                 ///< of tables
  BlockStages stages_;
  std::vector<BlockTables> tables_;         ///< of m2l and, of the virial, for each periodic vector
  std::vector<LatticeOperator> straining_;  ///< of the virial: for each strain
  std::vector<double> multipole_, local_;   ///< [block][coefficient]
  std::vector<double> root_;                ///< the cell's multipole
  double second_ = 0, quadratic_ = 0;
};

}  // namespace farfield
