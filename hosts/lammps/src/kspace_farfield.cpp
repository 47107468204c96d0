#include "kspace_farfield.hpp"

#include <cmath>

#include "atom.h"
#include "comm.h"
#include "domain.h"
#include "error.h"
#include "force.h"
#include "pair.h"

namespace farfield::lammps {

namespace {

constexpr double vanishing_erfc = 1000;   // g_ewald in 1/Angstrom: erfc(g r) is 0 for any two atoms
constexpr double charge_rounding = 1e-5;  // LAMMPS itself takes a smaller net charge for none

/// Sets an option that is a word; false if it has no such value.
template <class Enum>
bool set_word_of(Enum& option, const std::string& value) {
  for (const auto& [number, word] : words_of(Enum{}))
    if (value == word) return option = number, true;
  return false;
}

}  // namespace

KSpaceFarfield::KSpaceFarfield(LAMMPS_NS::LAMMPS* host) : KSpace(host), atoms_(host), special_pairs_(host) {}

void KSpaceFarfield::settings(int count, char** words) {
  if (count < 1 || count % 2 == 0)
    error->all(FLERR,
               "Farfield: write kspace_style farfield ACCURACY, then pairs of keyword and value: "
               "backend, precision, threads");
  accuracy_relative = std::fabs(LAMMPS_NS::utils::numeric(FLERR, words[0], false, lmp));
  for (int i = 1; i < count; i += 2) set_word(words[i], words[i + 1]);
}

int KSpaceFarfield::modify_param(int count, char** words) {
  if (std::string(words[0]) != "farfield") return 0;
  if (count < 3) error->all(FLERR, "Farfield: write kspace_modify farfield KEYWORD VALUE");
  set_word(words[1], words[2]);
  return 3;
}

void KSpaceFarfield::set_word(const std::string& name, const std::string& value) {
  bool known = false;
  if (name == "backend") known = set_word_of(options_.backend, value);
  if (name == "precision") known = set_word_of(options_.precision, value);
  if (name == "threads") known = true, options_.threads = LAMMPS_NS::utils::inumeric(FLERR, value, false, lmp);
  if (!known)
    error->all(FLERR, "Farfield: unknown keyword or value '" + name + " " + value +
                          "'; there are backend auto|cpu|cuda, precision auto|single|double, threads N");
  solver_.reset();
}

void KSpaceFarfield::init() {
  refuse_what_is_not_summed();
  excluded_ = who_excludes();
  g_ewald = vanishing_erfc / force->angstrom;
  qqrd2e = force->qqrd2e, scale = 1;
  qsum_qsq();
  natoms_original = atom->natoms;
  two_charge();
  accuracy = accuracy_absolute >= 0 ? accuracy_absolute : accuracy_relative * two_charge_force;
  if (!solver_) {
    if (options_.threads == 0) options_.threads = comm->nthreads * ranks_of_host(world);
    solver_.emplace(options_);
  }
  solver_->set_accuracy(accuracy / qqrd2e, accuracy / qqrd2e * force->angstrom);
}

void KSpaceFarfield::refuse_what_is_not_summed() {
  if (!atom->q_flag) error->all(FLERR, "Farfield: kspace_style farfield needs an atom_style with charges");
  if (domain->dimension == 2) error->all(FLERR, "Farfield: kspace_style farfield needs three dimensions");
  if (slabflag && comm->me == 0)
    error->warning(FLERR, "Farfield: kspace_modify slab is ignored: two periodic axes are summed as they are");
}

/// A pair style for Ewald sums leaves exactly -(1 - special_coul) q q / r where erfc(g r) is 0, so it needs no change.
/// To one without charges nothing is left but that farfield subtracts these pairs itself.
KSpaceFarfield::Excluded KSpaceFarfield::who_excludes() const {
  LAMMPS_NS::Pair* pair = force->pair;
  if (pair && (pair->dispersionflag || pair->tip4pflag || pair->dipoleflag || pair->msmflag > pair->ewaldflag))
    error->all(FLERR, std::string("Farfield: pair_style ") + force->pair_style +
                          " is made for another long-range sum than that of point charges; use its form coul/long, or "
                          "one without charges");
  if (pair && (pair->ewaldflag || pair->pppmflag)) return Excluded::by_pair_style;
  if (pair && force->pair_match("coul/exclude", 1)) return Excluded::by_pair_style;
  int dimension = 0;
  if (pair && pair->extract("cut_coul", dimension))
    error->all(FLERR,
               std::string("Farfield: pair_style ") + force->pair_style +
                   " sums charges, which kspace_style farfield does for all pairs; use its form coul/long, or one "
                   "without charges");
  if (!special_pairs_.any()) return Excluded::nowhere;
  if (atom->molecular == LAMMPS_NS::Atom::TEMPLATE)
    error->all(FLERR, "Farfield: atom_style template needs a pair style coul/long or coul/exclude");
  return Excluded::here;
}

/// Called where the box has changed; compute looks at the box itself, where what is wrong with it can be told.
void KSpaceFarfield::setup() {}

Box KSpaceFarfield::box() const {
  Box box;
  box.length = {domain->prd[0], domain->prd[1], domain->prd[2]};
  box.periodic = {domain->xperiodic != 0, domain->yperiodic != 0, domain->zperiodic != 0};
  if (domain->triclinic) box.xy = domain->xy, box.xz = domain->xz, box.yz = domain->yz;
  return box;
}

void KSpaceFarfield::compute(int eflag, int vflag) {
  ev_init(eflag, vflag);
  if (vflag_atom)
    error->all(FLERR,
               "Farfield: kspace_style farfield has no virial of each atom; leave out compute stress/atom, or use "
               "pppm for it");
  atoms_.gather();
  News news = sum_on_first_rank();
  broadcast(news, world);
  if (!news.failure.empty()) error->all(FLERR, "Farfield: " + news.failure);
  const double constant = qqrd2e * scale;
  if (eflag_global) energy = constant * news.numbers[6];
  if (vflag_global)
    for (std::size_t s = 0; s < 6; ++s) virial[s] = constant * news.numbers[s];
  add_forces(constant);
  if (eflag_atom) add_energies(constant);
  if (excluded_ == Excluded::here) subtract_special_pairs(constant);
}

News KSpaceFarfield::sum_on_first_rank() {
  News news;
  if (comm->me != 0) return news;
  try {
    solver_->set_box(box());
    require_no_net_charge_of_few_axes();
    sums_ = &solver_->evaluate(atoms_.xyz, atoms_.charges, vflag_global != 0);
    for (std::size_t s = 0; s < 6; ++s) news.numbers[s] = sums_->virial[s];
    for (std::size_t i = 0; i < atoms_.charges.size(); ++i)
      news.numbers[6] += 0.5 * atoms_.charges[i] * sums_->potential[i];
    say_what_was_chosen();
  } catch (const std::exception& failure) {
    news.failure = failure.what();
  }
  return news;
}

/// With one or two axes a net charge has no sum. What charges of so many digits add up to is taken off all of them.
void KSpaceFarfield::require_no_net_charge_of_few_axes() {
  const int axes = domain->xperiodic + domain->yperiodic + domain->zperiodic;
  if (axes == 0 || axes == 3) return;
  double sum = 0;
  for (const double q : atoms_.charges) sum += q;
  if (std::fabs(sum) > charge_rounding)
    throw Error(ErrorCode::input, "the net charge is " + std::to_string(sum) +
                                      ", and with one or two periodic axes the sum over all images has no limit; make "
                                      "it 0, or all three axes periodic");
  for (double& q : atoms_.charges) q -= sum / static_cast<double>(atoms_.charges.size());
}

void KSpaceFarfield::say_what_was_chosen() {
  const Report* report = solver_->report();
  if (!report || solver_->tolerance() == told_tolerance_) return;
  told_tolerance_ = solver_->tolerance();
  char line[200];
  std::snprintf(
      line, sizeof line,
      "Farfield %s: rms error of forces at most %.3g, so of field and potential %.3g; %s %d, %s, %s, %d threads\n",
      report->version.c_str(), accuracy, told_tolerance_, report->method.c_str(), report->degree,
      report->precision.c_str(), report->device.c_str(), report->threads);
  LAMMPS_NS::utils::logmesg(lmp, std::string(line));
}

void KSpaceFarfield::add_forces(double constant) {
  const std::vector<double> gradient = atoms_.scatter(sums_ ? sums_->gradient.data() : nullptr, 3);
  for (int i = 0; i < atom->nlocal; ++i)
    for (int a = 0; a < 3; ++a) atom->f[i][a] -= constant * atom->q[i] * gradient[static_cast<std::size_t>(3 * i + a)];
}

void KSpaceFarfield::add_energies(double constant) {
  const std::vector<double> potential = atoms_.scatter(sums_ ? sums_->potential.data() : nullptr, 1);
  for (int i = 0; i < atom->nlocal; ++i)
    eatom[i] += 0.5 * constant * atom->q[i] * potential[static_cast<std::size_t>(i)];
}

void KSpaceFarfield::subtract_special_pairs(double constant) {
  SpecialPairs::Tally tally = special_pairs_.subtract(constant, eflag_atom ? eatom : nullptr);
  std::array<double, 7> all{tally.energy};
  std::copy(tally.virial.begin(), tally.virial.end(), all.begin() + 1);
  MPI_Allreduce(MPI_IN_PLACE, all.data(), 7, MPI_DOUBLE, MPI_SUM, world);
  if (eflag_global) energy += all[0];
  if (vflag_global)
    for (std::size_t s = 0; s < 6; ++s) virial[s] += all[s + 1];
}

double KSpaceFarfield::memory_usage() { return atoms_.memory() + (solver_ ? solver_->memory() : 0); }

}  // namespace farfield::lammps
