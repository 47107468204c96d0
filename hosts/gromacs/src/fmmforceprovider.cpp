// coulombtype = FMM by Farfield: charges and positions of GROMACS in, forces, energy and virial out.
// clang-format off: in GROMACS this one comes first
#include "gmxpre.h"
// clang-format on

#include <array>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fmmforceprovider.h"
#include "gromacs/domdec/domdec_struct.h"
#include "gromacs/fmm/farfield/farfieldoptions.h"
#include "gromacs/fmm/farfield/farfieldsum.h"
#include "gromacs/fmm/farfield/farfieldtopology.h"
#include "gromacs/math/units.h"
#include "gromacs/mdlib/gmx_omp_nthreads.h"
#include "gromacs/mdtypes/enerdata.h"
#include "gromacs/mdtypes/forceoutput.h"
#include "gromacs/pbcutil/pbc.h"
#include "gromacs/topology/topology.h"
#include "gromacs/utility/exceptions.h"
#include "gromacs/utility/logger.h"
#include "gromacs/utility/mpicomm.h"

namespace gmx {

class FarfieldForces {
 public:
  FarfieldForces(const IFmmOptions& options, const gmx_mtop_t& topology, PbcType pbc, const MDLogger& logger);
  void calculate(const ForceProviderInput& input, ForceProviderOutput* output);

 private:
  void gather(const ForceProviderInput& input);
  FarfieldResult evaluate(const ForceProviderInput& input, bool virial);
  void describe() const;

  const MDLogger& logger_;
  FarfieldSystem system_;
  std::unique_ptr<FarfieldSum> sum_;
  std::vector<real> positions_;  // of all atoms, by global number
  bool described_ = false;
};

namespace {

FarfieldSystem systemOf(const IFmmOptions& options, const gmx_mtop_t& topology, PbcType pbc) {
  const auto* ours = dynamic_cast<const FarfieldOptions*>(&options);
  if (!ours) GMX_THROW(InconsistentInputError("This GROMACS has no FMM but Farfield's: set fmm-backend = farfield."));
  if (pbc != PbcType::Xyz && pbc != PbcType::XY)
    GMX_THROW(InconsistentInputError("coulombtype = FMM by Farfield needs pbc = xyz or xy."));
  FarfieldSystem system;
  system.charges = chargesOf(topology);
  system.excludedPairs = excludedPairsOf(topology);
  system.periodicAlongZ = pbc == PbcType::Xyz;
  system.tolerance = ours->tolerance;
  system.coulombConstant = c_one4PiEps0;
  return system;
}

/// Domain decomposition, which GROMACS also uses on one rank, reorders atoms.
int globalNumber(const ForceProviderInput& input, int atom) {
  return input.dd_ ? input.dd_->globalAtomIndices[atom] : atom;
}

/// The vectors along which atoms repeat, zeros for the third of a slab.
std::array<double, 9> cellOf(const matrix box, int periodicAxes) {
  std::array<double, 9> cell{};
  for (int row = 0; row < periodicAxes; ++row)
    for (int axis = 0; axis < DIM; ++axis) cell[3 * row + axis] = box[row][axis];
  return cell;
}

/// GROMACS' virial is -1/2 sum of d F.
void addVirial(const std::array<double, 6>& w, ForceWithVirial* forces) {
  const auto half = [&](int k) { return static_cast<real>(-0.5 * w[k]); };
  const matrix virial = {{half(0), half(3), half(4)}, {half(3), half(1), half(5)}, {half(4), half(5), half(2)}};
  forces->addVirialContribution(virial);
}

}  // namespace

FarfieldForces::FarfieldForces(const IFmmOptions& options, const gmx_mtop_t& topology, PbcType pbc,
                               const MDLogger& logger)
    : logger_(logger), system_(systemOf(options, topology, pbc)) {}

void FarfieldForces::gather(const ForceProviderInput& input) {
  positions_.assign(3 * system_.charges.size(), 0);
  for (int i = 0; i < input.homenr_; ++i)
    for (int axis = 0; axis < DIM; ++axis) positions_[3 * globalNumber(input, i) + axis] = input.x_[i][axis];
}

/// Errors of Farfield are sentences for the user.
FarfieldResult FarfieldForces::evaluate(const ForceProviderInput& input, bool virial) {
  const std::array<double, 9> cell = cellOf(input.box_, system_.periodicAlongZ ? 3 : 2);
  try {
    return virial ? sum_->evaluateVirial(positions_.data(), cell) : sum_->evaluateForces(positions_.data(), cell);
  } catch (const std::exception& error) {
    GMX_THROW(InvalidInputError(std::string("Farfield: ") + error.what()));
  }
}

void FarfieldForces::describe() const {
  GMX_LOG(logger_.info).asParagraph().appendText(sum_->description());
  for (const std::string& warning : sum_->warnings())
    GMX_LOG(logger_.warning).asParagraph().appendText("WARNING: Farfield: " + warning);
}

void FarfieldForces::calculate(const ForceProviderInput& input, ForceProviderOutput* output) {
  if (input.mpiComm_.isParallel())
    GMX_THROW(InconsistentInputError("coulombtype = FMM by Farfield runs on one rank: gmx mdrun -ntmpi 1."));
  if (!sum_) {  // the number of threads is not known earlier
    system_.threads = gmx_omp_nthreads_get(ModuleMultiThread::Default);
    sum_ = std::make_unique<FarfieldSum>(system_);
  }
  gather(input);
  ForceWithVirial& forces = output->forceWithVirial_;
  const FarfieldResult result = evaluate(input, forces.computeVirial_);
  for (int i = 0; i < input.homenr_; ++i) {
    const double* force = result.forces + 3 * globalNumber(input, i);
    forces.force_[i] += RVec(force[0], force[1], force[2]);
  }
  addVirial(result.virial, &forces);
  output->enerd_.term[InteractionFunction::CoulombReciprocalSpace] += result.energy;
  if (!std::exchange(described_, true)) describe();
}

FmmForceProvider::FmmForceProvider(const IFmmOptions& options, const gmx_mtop_t& topology, const PbcType& pbc,
                                   const MDLogger& logger)
    : farfield_(std::make_shared<FarfieldForces>(options, topology, pbc, logger)) {}

void FmmForceProvider::calculateForces(const ForceProviderInput& input, ForceProviderOutput* output) {
  farfield_->calculate(input, output);
}

FmmForceProvider::~FmmForceProvider() = default;

}  // namespace gmx
