// DevicesPlan: each rank's part of the caller's arrays, and the ranks' errors in the caller's words.
#include <algorithm>
#include <array>
#include <cstdio>
#include <farfield/devices_plan.hpp>
#include <farfield/error.hpp>
#include <string>

#include "distributed/agree.hpp"
#include "distributed/backends.hpp"
#include "distributed/devices/rank_threads.hpp"
#include "distributed/devices/slices.hpp"
#include "plan/boundary.hpp"
#include "plan/threads.hpp"
#include "plan/validate.hpp"

namespace farfield::distributed {

struct DevicesPlan::State {
  std::vector<int> devices;
  farfield::Options options;  ///< of each rank
  RankThreads threads;
  std::int64_t sources = 0, apart = 0;  ///< apart: targets that are not the sources
  bool alike = true;
  const Report* report = nullptr;  ///< of rank 0

  State(const std::vector<int>& devices, const farfield::Options& options);
  void build(const Points& sources, const Points* targets);
  void evaluate(const Strengths& strengths, const Outputs& outputs);
  /// `counts`: of the caller's sources and targets.
  void run(const std::array<std::int64_t, 2>& counts, const RankThreads::Work& work);
  Slice slice(std::int64_t all, int rank) const { return slice_of(all, rank, threads.ranks()); }
  Error in_callers_words(const Error& error, const std::array<std::int64_t, 2>& counts) const;
};

/// A device for each rank, unless the CPU was asked for.
static std::vector<int> checked(const std::vector<int>& devices, const farfield::Options& options) {
  require_known(options);
  if (options.backend == Backend::hybrid) refuse("backend hybrid is not offered");
  if (devices.empty())
    throw Error(ErrorCode::usage, "no devices were named; pass the number of at least one, as 0 and 1");
  for (const int device : devices)
    if (device < 0)
      throw Error(ErrorCode::device, "there is no device " + std::to_string(device) + "; devices are numbered from 0");
  if (options.backend != Backend::cpu)
    for (const int device : devices) require_known_device(device);
  return devices;
}

static farfield::Options of_each_rank(farfield::Options o, std::size_t ranks) {
  if (o.backend == Backend::automatic) o.backend = Backend::cuda;
  if (o.threads == 0) o.threads = std::max(1, team_size(0) / static_cast<int>(ranks));
  return o;
}

DevicesPlan::State::State(const std::vector<int>& named, const farfield::Options& o)
    : devices(checked(named, o)), options(of_each_rank(o, named.size())), threads(static_cast<int>(named.size())) {
  if (options.backend == Backend::cuda) threads.use(devices);
}

/// "rank 1: source 3: ...": the caller knows no ranks, and has arrays of his own. Of a shortage he needs the device.
Error DevicesPlan::State::in_callers_words(const Error& error, const std::array<std::int64_t, 2>& counts) const {
  int rank = 0, begin = 0, end = 0;
  const char* const sentence = error.what();
  if (std::sscanf(sentence, "rank %d: %n", &rank, &begin) != 1 || begin == 0) return error;
  std::string rest = sentence + begin;
  char what[16];
  long long index = 0;
  if (std::sscanf(rest.c_str(), "%15[a-z] %lld%n", what, &index, &end) == 2) {
    const std::string word = what;
    if (word == "source" || word == "strength" || word == "target") {
      const std::int64_t at = slice(counts[word == "target"], rank).begin + index;
      rest = word + " " + std::to_string(at) + rest.substr(static_cast<std::size_t>(end));
    }
  }
  const bool of_device = error.code() == ErrorCode::memory || error.code() == ErrorCode::device;
  if (of_device && options.backend == Backend::cuda)
    rest = "device " + std::to_string(devices[static_cast<std::size_t>(rank)]) + ": " + rest;
  return {error.code(), rest};
}

void DevicesPlan::State::run(const std::array<std::int64_t, 2>& counts, const RankThreads::Work& work) {
  if (threads.lost_by_fork())
    throw Error(ErrorCode::device,
                "the plan was made before this process was forked, and its threads stayed in the other one; make the "
                "plan in the process that uses it");
  try {
    threads.run(work);
  } catch (const Error& error) {
    throw in_callers_words(error, counts);
  }
}

static void set_points(RankThreads::Rank& rank, const Points& sources, const Points* targets,
                       const farfield::Options& options) {
  if (rank.plan) return targets ? rank.plan->move(sources, *targets) : rank.plan->move(sources);
  if (targets)
    rank.plan.emplace(*rank.communicator, sources, *targets, options);
  else
    rank.plan.emplace(*rank.communicator, sources, options);
}

void DevicesPlan::State::build(const Points& given, const Points* targets) {
  require_whole(given, "source");
  if (targets) require_whole(*targets, "target");
  run({given.count, targets ? targets->count : given.count}, [&](RankThreads::Rank& rank) {
    const Points own = part_of(given, slice(given.count, rank.number));
    const Points at = targets ? part_of(*targets, slice(targets->count, rank.number)) : Points{};
    set_points(rank, own, targets ? &at : nullptr, options);
    if (rank.number == 0) report = &rank.plan->report();
  });
  alike = !targets;
  sources = given.count, apart = targets ? targets->count : 0;
}

void DevicesPlan::State::evaluate(const Strengths& strengths, const Outputs& outputs) {
  require_on_host(strengths.space, "strengths");
  require_on_host(outputs.space, "results");
  validate(strengths, sources, options.dipoles, false);
  const std::int64_t targets = alike ? sources : apart;
  run({sources, targets}, [&](RankThreads::Rank& rank) {
    const Slice from = slice(sources, rank.number), at = slice(targets, rank.number);
    Outputs part = part_of(outputs, at, from);
    std::vector<double> same_virial(part.virial && rank.number > 0 ? 6 * static_cast<std::size_t>(strengths.vectors)
                                                                   : 0);
    if (!same_virial.empty()) part.virial = same_virial.data();
    rank.plan->evaluate_part(part_of(strengths, from), part, targets, sources);
  });
}

DevicesPlan::DevicesPlan(const Points& points, const std::vector<int>& devices, const farfield::Options& options) {
  guarded([&] {
    state_ = std::make_unique<State>(devices, options);
    state_->build(points, nullptr);
  });
}
DevicesPlan::DevicesPlan(const Points& sources, const Points& targets, const std::vector<int>& devices,
                         const farfield::Options& options) {
  guarded([&] {
    state_ = std::make_unique<State>(devices, options);
    state_->build(sources, &targets);
  });
}
DevicesPlan::DevicesPlan(DevicesPlan&&) noexcept = default;
DevicesPlan& DevicesPlan::operator=(DevicesPlan&& other) noexcept {
  std::swap(state_, other.state_);
  return *this;
}
/// Of a plan that came with a fork the threads cannot be waited for: what it holds stays.
DevicesPlan::~DevicesPlan() {
  if (state_ && state_->threads.lost_by_fork()) static_cast<void>(state_.release());
}

void DevicesPlan::move(const Points& points) {
  guarded([&] { state_->build(points, nullptr); });
}
void DevicesPlan::move(const Points& sources, const Points& targets) {
  guarded([&] { state_->build(sources, &targets); });
}

const Report& DevicesPlan::evaluate(const Strengths& strengths, const Outputs& outputs) {
  guarded([&] { state_->evaluate(strengths, outputs); });
  return *state_->report;
}

void DevicesPlan::set_cell(const std::array<double, 9>& vectors) {
  guarded([&] { state_->run({}, [&](RankThreads::Rank& rank) { rank.plan->set_cell(vectors); }); });
}

void DevicesPlan::forget() {
  guarded([&] { state_->run({}, [](RankThreads::Rank& rank) { rank.plan->forget(); }); });
}

const Report& DevicesPlan::report() const { return *state_->report; }
std::int64_t DevicesPlan::source_count() const { return state_->sources; }
std::int64_t DevicesPlan::target_count() const { return state_->alike ? state_->sources : state_->apart; }

}  // namespace farfield::distributed
