// Every number that a test of results is judged by, with its reason. The norm is that of docs/accuracy.md.
#pragma once
#include <cmath>
#include <limits>
#include <vector>

namespace farfield::testing {

/// The promise is kept or it is not: error <= slack * tolerance.
inline constexpr double slack = 1;

/// Geometric mean of tolerance / error over a sweep: above it accuracy was paid for and not asked. Whole degrees alone
/// waste sqrt(2.2) (an expansion gains a factor of about 2.1 per degree), the margin between the worst cloud, which the
/// promise must cover, and the uniform one the rest.
inline constexpr double waste_limit = 5;
inline constexpr double waste_limit_of_all = 10;  ///< of eleven clouds, in some of which few close pairs carry the norm

/// Far field's share of all pairs below which a sweep would only test p2p.
inline constexpr double least_far_fraction = 0.5;
inline constexpr long far_from = 10'000;  ///< bodies; smaller sets may be summed mostly as pairs

/// Where the sweeps in double begin and end; reachable in double for every cloud.
inline constexpr int first_decade = 2, last_decade = 12;
/// The sweep that judges waste: above it a degree is a large step, below it rounding shows.
inline constexpr int first_waste_decade = 3, last_waste_decade = 11;

/// A tolerance below any precision's floor: asking for it must be refused.
inline constexpr double unreachable = 1e-30;

/// 10^-first ... 10^-last with `per_decade` steps.
inline std::vector<double> decades(int first, int last, int per_decade = 1) {
  std::vector<double> all;
  for (int k = first * per_decade; k <= last * per_decade; ++k) all.push_back(std::pow(10.0, -double(k) / per_decade));
  return all;
}

/// Rounding of a direct sum of `terms` pairs in T, relative to the norm of the sum of their absolute values: a pair
/// carries about 8 roundings (differences, square, inverse root, products); those of n additions are independent and
/// grow as sqrt(n), times 4 standard deviations.
template <class T>
double direct_rounding(double terms) {
  return (8 + 4 * std::sqrt(terms)) * std::numeric_limits<T>::epsilon();
}

/// A result that differs by a power of two, a product or a conversion: two roundings of T.
template <class T>
inline constexpr double few_roundings = 2 * std::numeric_limits<T>::epsilon();

/// Potentials and fields in the ScaFaCoS files are direct sums printed with 15 or more digits, by programs whose own
/// sums of 1e4 terms in double are good to about sqrt(1e4) roundings; their headers promise no more for the field.
inline constexpr double printed_reference = 1e-13;

/// An ill-conditioned sum, for the warning: the promise ends at a condition of 1e3 (docs/accuracy.md).
inline constexpr double promised_condition = 1e3;

}  // namespace farfield::testing
