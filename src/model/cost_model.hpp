// The cost model: the time that a plan and one evaluation take on one core or on a device, and the leaf size at which
// this time is least.
#pragma once
#include <farfield/options.hpp>

#include "core/exponential_fit.hpp"
#include "tree/geometry.hpp"

namespace farfield {

/// Nanoseconds of one core, measured once per instruction set, or of a whole GPU (cost_model.cpp says how).
struct CostConstants {
  double pair;                             ///< one source-target pair
  double pack;                             ///< per coefficient and translation: packing and unpacking
  double multiply;                         ///< one multiply-add of a translation
  double coefficient;                      ///< p2m and l2p together, per coefficient and point of well filled leaves
  double turn = 1.6;                       ///< cost of a rotation's multiply-add over that of a dense product
  double dense = 1;                        ///< share of coefficients^2 multiply-adds that a dense product takes
  double meet = 0;                         ///< cost per target and near leaf on top of the pairs: why small leaves lose
  double box = 0;                          ///< one box: tree, lists, and the fixed part of m2m and l2l
  double fixed = 0;                        ///< a plan and an evaluation, however small, above those of a direct sum
  double fixed_by_coefficient = 0;         ///< the same for each coefficient of an expansion
  double direct = 1;                       ///< a pair of a direct sum over one of p2p
  double close = 0;                        ///< increase of direct sums where most tiles have a close pair
  const double* tensor = nullptr;          ///< [degree] one dense translation on tensor cores
  double fitted = 1;                       ///< the same by fitted operators over that (price_fitted)
  int least_tensor = 0, most_tensor = -1;  ///< range of degrees for which `tensor` is used

  // Of the CPU alone; 0 where a cost does not show.
  double start = 0;   ///< per translation, beside its coefficients
  double shift = 0;   ///< one multiply-add of m2m and l2l together, count^2 per box
  double entry = 0;   ///< one leaf in the near list of another
  double point = 0;   ///< one point, above its cost in a direct sum: keys, sort, gather, degree, scatter
  int lanes = 0;      ///< of a vector; per leaf p2p loses half a vector, p2m and l2p three
  bool open = false;  ///< small trees: boxes at the rim have fewer neighbours

  // A kernel whose exponential is fitted where leaves are narrow: null and 0 for others.
  const ExponentialFits* fits = nullptr;
  double screening = 0;             ///< scaled
  double by_root = 0, by_term = 0;  ///< a fitted pair, and each operation of its polynomial

  // Of several densities (price_densities): how many, and a near pair and a translation of all of them over those of
  // one.
  double densities = 1, shared = 1, translations = 1;

  int (*coefficients)(int degree) = nullptr;  ///< see KernelTraits
};
inline constexpr int most_tensor_degree = 15;  ///< in single: the columns of one child fill the widest tile
inline constexpr int least_mirror_degree = 7;  ///< in double: FMA is faster below
inline constexpr int most_mirror_degree = 33;  ///< its operators and the data they are made from are below 1 GB

/// `terms_left_out`: by how many terms p2p's arithmetic is shorter than the full one (model/pair_terms.hpp).
CostConstants cost_constants(Kernel kernel, Simd simd, Precision precision, bool gradient, int terms_left_out = 0);
/// The same of a whole GPU, of the class of one H200.
CostConstants device_cost_constants(Kernel kernel, Precision precision, bool gradient);

/// Of machines whose cores and device are compared or divide the work: nominal, not this machine's, so that the same
/// input leads to the same decision on machines of one class.
inline constexpr double nominal_cores = 16;
/// Makes constants of one core price near pairs as a device that sums them beside so many cores.
void take_near_pairs(CostConstants& c, const CostConstants& device);

/// Makes it price near pairs with fitted exponentials; `fits` must outlive it.
void price_fits(CostConstants& c, Kernel kernel, double screening, const ExponentialFits& fits);
/// Nanoseconds of a pair of the near field, with `mean` points per leaf.
double near_pair_cost(const CostConstants& c, const Geometry& geometry, double mean);

/// Time of a pair with softening, core or stream function over one without.
double softened_pair_cost(const Options& options, Backend backend, Precision precision);

/// Makes it price Hessians and dipoles: pairs, and coefficients of p2m and l2p.
void price_moments(CostConstants& c, const Options& options);

/// Makes it price translations by fitted operators, for the gradient alone or for all results: multipoles of farther
/// boxes count up to lower degrees.
void price_fitted(CostConstants& c, int degree, bool for_gradient);

/// Makes it price all densities of an evaluation together: translations for each, near pairs with common roots where
/// the backend sums three at a time. A tree for several of them has wider leaves.
void price_densities(CostConstants& c, const Options& options, Backend backend, Precision precision, bool lengths);
/// The same with pairs for each density, as in direct sums.
CostConstants one_by_one(CostConstants c);

/// Nanoseconds of one translation of `degree`.
double translation_cost(const CostConstants& c, int degree, bool rotation);

/// How boxes multiply when the resolution doubles: 8 in a volume, 4 on a surface, 2 on a curve.
double dimension_of(const Geometry& geometry);

/// Mean points per leaf at which p2p and m2l together cost least.
double best_leaf_mean(const CostConstants& c, const Geometry& geometry, int degree, bool rotation, bool reduced);

/// Least mean of points per leaf with which plan and caller's arrays fit into devices of `memory` bytes in all; 0: no
/// limit. `shared`: the plan is that of several ranks.
double least_leaf_mean(std::int64_t memory, bool shared, const Geometry& geometry, Precision precision,
                       int coefficients);

/// Nanoseconds of a plan, without its tables, and one evaluation with `mean` points per leaf.
double fmm_cost(const CostConstants& c, const Geometry& geometry, int degree, bool rotation, bool reduced, double mean);

/// Sources in the cube of that edge (scaled) around a target, in the mean over targets.
double sources_within(const Geometry& geometry, double edge);

/// fmm_cost where no leaf is narrower than `least_edge`: with larger leaves where these fill space evenly, and the
/// pairs of those leaves that are too full elsewhere.
double wide_fmm_cost(const CostConstants& c, const Geometry& geometry, int degree, bool rotation, bool reduced,
                     double mean, double least_edge);

/// The same of a direct sum.
double direct_cost(const CostConstants& c, const Geometry& geometry);

/// Nanoseconds of generating the translation tables of a degree, which only the first plan of a process pays.
double table_cost(int degree, bool rotation);

}  // namespace farfield
