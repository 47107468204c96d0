// FarfieldSum: energy, forces and virial of the charges of molecules in a periodic box, by Farfield. Knows nothing of
// GROMACS, and its header nothing of Farfield, whose headers need C++20 where GROMACS is compiled as C++17.
#ifndef GMX_FMM_FARFIELD_FARFIELDSUM_H
#define GMX_FMM_FARFIELD_FARFIELDSUM_H

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace gmx {

/// What stays the same over a run. Atoms have their global numbers.
struct FarfieldSystem {
  std::vector<double> charges;
  std::vector<std::int64_t> excludedPairs;  ///< i j, i j, ...: each pair once
  bool periodicAlongZ = true;               ///< along x and y it always is
  double tolerance = 0;                     ///< relative L2 error of the forces
  double coulombConstant = 1;
  int threads = 1;
};

struct FarfieldResult {
  double energy = 0;
  const double* forces = nullptr;  ///< xyz of each atom
  std::array<double, 6> virial{};  ///< sum of d F over pairs and images, xx yy zz xy xz yz: -2 times GROMACS' virial
};

class FarfieldSum {
 public:
  explicit FarfieldSum(FarfieldSystem system);
  ~FarfieldSum();

  /// xyz of each atom in any image; `cell`: the vectors a, b, c one after another, zeros for one
  /// that is not periodic. Valid until the next call.
  template <class Real>
  FarfieldResult evaluateForces(const Real* xyz, const std::array<double, 9>& cell);
  /// The same and the virial, which takes about three times as long.
  template <class Real>
  FarfieldResult evaluateVirial(const Real* xyz, const std::array<double, 9>& cell);

  /// One sentence on the sum that was evaluated last, and what Farfield warns of.
  std::string description() const;
  const std::vector<std::string>& warnings() const;

 private:
  class Sums;
  template <class Real, class Options>
  FarfieldResult evaluate(std::unique_ptr<Sums>& sums, const Options& options, const Real* xyz,
                          const std::array<double, 9>& cell);

  const FarfieldSystem system_;
  std::unique_ptr<Sums> withoutVirial_, withVirial_;
  const Sums* last_ = nullptr;
};

}  // namespace gmx

#endif
