// mpi_program [cuda TRANSPORT|bad|late]: run by mpirun. Without a word: distributed sums over all processes have the
// bits of one plan, in the order of the points that were passed and where these are owned; cuda: the same on devices,
// one for each process or, for TRANSPORT "host memory", one for all, with rows that travel so; bad: one process passes
// a NaN, and all refuse it alike. Exit status 0: as expected. late: one process does not arrive; the others print the
// sentence that they get and end without MPI_Finalize, which mpirun calls a failure.
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <farfield/device.hpp>
#include <farfield/mpi.hpp>
#include <farfield/plan.hpp>
#include <limits>
#include <string>
#include <thread>

#include "support/clouds.hpp"

namespace farfield::testing {
namespace {

constexpr std::size_t count = 10'000;
Backend backend = Backend::cpu;
std::string transport;  ///< how the rows of the last plan travelled, and why so; empty on the CPU

/// Of degree 5 in double, to a tolerance in single.
Options options_of(Precision precision) {
  Options o;
  o.method = Method::fmm, o.backend = backend, o.precision = precision;
  if (precision == Precision::double_) o.degree = 5;
  o.tolerance = 1e-4;
  o.gradient = true, o.threads = 1;
  return o;
}

struct Part {
  std::size_t begin, end;
};
Part part_of(int rank, int ranks) {
  const auto cut = [&](int r) {
    return count * static_cast<std::size_t>(r * r) / static_cast<std::size_t>(ranks * ranks);
  };
  return {cut(rank), cut(rank + 1)};
}

bool same_bits(distributed::Communicator& communicator, Kind kind, Precision precision) {
  const Cloud cloud = make_cloud(kind, count, Signs::mixed);
  const Result<double> one = Plan(points(cloud.sources), options_of(precision)).evaluate(cloud.strengths);
  const Part own = part_of(communicator.rank(), communicator.size());
  const auto n = static_cast<std::int64_t>(own.end - own.begin);
  distributed::Plan plan(communicator, points(cloud.sources.data() + 3 * own.begin, n), options_of(precision));
  std::vector<double> potential(own.end - own.begin), gradient(3 * potential.size());
  Outputs outputs;
  outputs.potential = potential.data(), outputs.gradient = gradient.data();
  plan.evaluate(strengths(cloud.strengths.data() + own.begin, n), outputs);
  for (const Choice& choice : plan.report().plan.choices)
    if (choice.name == "transport") transport = choice.value + ": " + choice.reason;
  const bool same =
      std::equal(potential.begin(), potential.end(), one.potential.begin() + static_cast<std::ptrdiff_t>(own.begin)) &&
      std::equal(gradient.begin(), gradient.end(), one.gradient.begin() + static_cast<std::ptrdiff_t>(3 * own.begin));
  if (!same) std::printf("rank %d of %d: other bits, %s\n", communicator.rank(), communicator.size(), name(kind));
  return same;
}

/// The ranks' numbers, one rank's behind the other's.
std::vector<double> gather_all(distributed::Communicator& communicator, const std::vector<double>& own) {
  std::vector<std::size_t> counts(static_cast<std::size_t>(communicator.size()));
  const std::size_t mine = own.size();
  communicator.all_gather(&mine, sizeof mine, counts.data());
  const std::size_t most = *std::max_element(counts.begin(), counts.end());
  std::vector<double> padded = own, rows(most * counts.size()), all;
  padded.resize(most);
  if (most > 0) communicator.all_gather(padded.data(), most * sizeof(double), rows.data());
  for (std::size_t r = 0; r < counts.size(); ++r)
    all.insert(all.end(), rows.begin() + static_cast<std::ptrdiff_t>(r * most),
               rows.begin() + static_cast<std::ptrdiff_t>(r * most + counts[r]));
  return all;
}

/// Three steps in keep-order, each compared with one plan over what the ranks passed.
bool same_bits_in_keep_order(distributed::Communicator& communicator, Kind kind) {
  const Cloud cloud = make_cloud(kind, count, Signs::mixed);
  const Part part = part_of(communicator.rank(), communicator.size());
  const auto of = [&](const std::vector<double>& all, std::size_t width) {
    return std::vector<double>(all.begin() + static_cast<std::ptrdiff_t>(width * part.begin),
                               all.begin() + static_cast<std::ptrdiff_t>(width * part.end));
  };
  std::vector<double> x = of(cloud.sources, 3), q = of(cloud.strengths, 1);
  const Options o = options_of(Precision::double_);
  distributed::Plan plan(communicator, points(x), o);
  bool same = true;
  for (int step = 0; step < 3; ++step) {
    const std::vector<double> all_x = gather_all(communicator, x), all_q = gather_all(communicator, q);
    x = plan.to_owned(x, 3), q = plan.to_owned(q);
    std::vector<double> potential(q.size()), gradient(3 * q.size());
    Outputs outputs;
    outputs.potential = potential.data(), outputs.gradient = gradient.data();
    plan.evaluate(strengths(q), outputs, distributed::Order::owned);
    const Result<double> one = Plan(points(all_x), o).evaluate(all_q);
    same = gather_all(communicator, plan.to_given(potential)) == one.potential && same;
    same = gather_all(communicator, plan.to_given(gradient, 3)) == one.gradient && same;
    for (double& coordinate : x) coordinate += 1e-3 * std::sin(30 * coordinate);
    plan.move(points(x), distributed::Order::owned);
  }
  if (!same) std::printf("rank %d of %d: other bits in keep-order\n", communicator.rank(), communicator.size());
  return same;
}

/// Does the call throw an Error whose sentence has this part?
template <class Call>
bool refuses(const char* part, const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    if (std::strstr(error.what(), part)) return true;
    std::printf("%s\n", error.what());
  }
  return false;
}

void make_bad_plan(distributed::Communicator& communicator) {
  std::vector<double> x{0.1, 0.2, 0.3, 0.4, 0.5, 0.6};
  if (communicator.rank() == communicator.size() - 1) x[4] = std::numeric_limits<double>::quiet_NaN();
  distributed::Plan plan(communicator, points(x), options_of(Precision::double_));
}

/// Does not return. The ranks that are not late end when all of them have printed.
void wait_for_late_rank(distributed::Communicator& communicator) {
  const bool late = communicator.rank() == communicator.size() - 1;
  MPI_Comm others = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, late, communicator.rank(), &others);
  try {
    if (late) std::this_thread::sleep_for(std::chrono::seconds(100));
    make_bad_plan(communicator);
  } catch (const Error& error) {
    std::printf("%s\n", error.what());
    std::fflush(stdout);
  }
  MPI_Barrier(others);
  std::this_thread::sleep_for(
      std::chrono::seconds(1));  // for mpirun, which ends all as soon as one ends so, to read it
  std::_Exit(1);
}

/// What plans of so few ranks do not ask of a communicator, or with few numbers alone.
bool reduces(distributed::Communicator& communicator) {
  using distributed::Reduction;
  const std::int64_t rank = communicator.rank(), size = communicator.size();
  bool right = true;
  for (const std::size_t numbers : {0, 1, 100'000}) {
    std::vector<std::int64_t> sum(numbers, 3 * rank - 5), least(numbers, 7 - rank),
        bits(numbers, std::int64_t(1) << rank);
    communicator.all_reduce(sum, Reduction::add), communicator.all_reduce(least, Reduction::least);
    communicator.all_reduce(bits, Reduction::any);
    right = right && sum == std::vector<std::int64_t>(numbers, 3 * (size * (size - 1) / 2) - 5 * size) &&
            least == std::vector<std::int64_t>(numbers, 8 - size) &&
            bits == std::vector<std::int64_t>(numbers, (std::int64_t(1) << size) - 1);
    std::vector<std::int64_t> sent, came(numbers * static_cast<std::size_t>(size)), expected;
    for (std::int64_t r = 0; r < size; ++r)
      sent.insert(sent.end(), numbers, 100 * rank + r), expected.insert(expected.end(), numbers, 100 * r + rank);
    communicator.all_to_all(sent.data(), numbers * sizeof(std::int64_t), came.data());
    right = right && came == expected;
  }
  if (!right) std::printf("rank %d of %d: other numbers\n", communicator.rank(), communicator.size());
  return right;
}

bool same_bits_of_all(distributed::Communicator& communicator) {
  bool same = reduces(communicator);
  for (const Kind kind : {Kind::uniform, Kind::plummer, Kind::line})
    for (const Precision precision : {Precision::double_, Precision::single_})
      same = same_bits(communicator, kind, precision) && same;
  for (const Kind kind : {Kind::uniform, Kind::plummer}) same = same_bits_in_keep_order(communicator, kind) && same;
  return same;
}

bool same_bits_on_devices(distributed::Communicator& communicator, const std::string& wanted) {
  const auto found = static_cast<int>(devices().size());
  const int needed = wanted == "NCCL" ? communicator.size() : 1;
  if (found < needed) {
    std::printf("skipped: %d devices are needed, and there are %d\n", needed, found);
    return true;
  }
  backend = Backend::cuda;
  distributed::use_device(needed == 1 ? 0 : communicator.rank());
  const bool same = same_bits_of_all(communicator);
  if (transport.rfind(wanted, 0) == 0) return same;
  std::printf("%srows travelled by %s\n", transport.ends_with("without NCCL") ? "skipped: " : "", transport.c_str());
  return same && transport.ends_with("without NCCL");
}

bool run(const std::string& word, const std::string& wanted, distributed::Communicator& communicator) {
  const int last = communicator.size() - 1;
  if (word == "bad") {
    const std::string sentence = "rank " + std::to_string(last) + ": source 1: coordinate y is nan";
    return refuses(sentence.c_str(), [&] { make_bad_plan(communicator); }) &&
           same_bits(communicator, Kind::uniform, Precision::double_);
  }
  return word == "cuda" ? same_bits_on_devices(communicator, wanted) : same_bits_of_all(communicator);
}

}  // namespace
}  // namespace farfield::testing

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const std::string word = argc > 1 ? argv[1] : "";
  bool good = false;
  {
    const auto communicator = farfield::distributed::over_mpi(MPI_Comm_c2f(MPI_COMM_WORLD), word == "late" ? 1 : 600);
    if (word == "late") farfield::testing::wait_for_late_rank(*communicator);
    good = farfield::testing::run(word, argc > 2 ? argv[2] : "", *communicator);
  }
  MPI_Finalize();
  return good ? 0 : 1;
}
