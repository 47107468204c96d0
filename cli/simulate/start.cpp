#include "cli/simulate/start.hpp"

#include <farfield/error.hpp>

namespace farfield::cli {
namespace {

void require_arguments(const SimulateArguments& a) {
  if (a.resume) return;
  if (!a.timed) throw Error(ErrorCode::usage, "--dt is required: the length of a step; or --resume, to go on");
  motion::require_course({a.dt, a.gravity});
}

Record first_record(const SimulateArguments& a) {
  Record record;
  record.course = {a.dt, a.gravity};
  record.options = a.options;
  return record;
}

}  // namespace

Start read_start(const SimulateArguments& a, Progress& progress) {
  require_arguments(a);
  progress("reading " + a.input);
  io::Bodies bodies = io::read(a.input, a.reading);
  const Record record = a.resume ? record_of(a.input, bodies.numbers, a.options) : first_record(a);
  std::vector<double> velocities = io::velocities_of(bodies);
  const bool at_rest = velocities.empty() && bodies.count() > 0;
  if (a.resume && at_rest)
    throw Error(ErrorCode::input, a.input + ": it has no velocities, and so is no snapshot; leave out --resume");
  velocities.resize(bodies.positions.size());
  motion::HostArrays arrays(bodies.positions, std::move(velocities), bodies.strengths);
  progress.clear();
  return {std::move(bodies), std::move(arrays), record, at_rest};
}

}  // namespace farfield::cli
