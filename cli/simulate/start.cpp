#include "cli/simulate/start.hpp"

#include <algorithm>
#include <farfield/error.hpp>

#include "cli/softening/lengths.hpp"

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

/// Of a run that goes on, those of its snapshot.
std::vector<double> lengths_for(const SimulateArguments& a, const io::Bodies& bodies, const Record& record) {
  if (!a.resume) return lengths_of(bodies, a.softening, a.input);
  if (!record.lengths) return {};
  if (const std::vector<double>* lengths = find_column(bodies, length_column)) return *lengths;
  throw Error(ErrorCode::input, a.input + ": it has no column '" + length_column +
                                    "', though its run had softening lengths; take another snapshot");
}

/// Where all bodies have the same length it becomes that of the options, which devices take, too; else the snapshots
/// get a column of them.
void keep_lengths(std::vector<double>& lengths, io::Bodies& bodies, Record& record) {
  const bool vary = std::adjacent_find(lengths.begin(), lengths.end(), std::not_equal_to<>()) != lengths.end();
  if (!lengths.empty() && !vary) record.options.softening = lengths.front();
  if (!vary) lengths.clear();
  record.lengths = vary;
  if (!vary) return;
  std::erase_if(bodies.extra, [](const io::Column& column) { return column.name == length_column; });
  bodies.extra.push_back({length_column, lengths});
}

}  // namespace

Start read_start(const SimulateArguments& a, Progress& progress) {
  require_arguments(a);
  progress("reading " + a.input);
  io::Bodies bodies = io::read(a.input, a.reading);
  Record record = a.resume ? record_of(a.input, bodies.numbers, a.options) : first_record(a);
  std::vector<double> velocities = io::velocities_of(bodies);
  const bool at_rest = velocities.empty() && bodies.count() > 0;
  if (a.resume && at_rest)
    throw Error(ErrorCode::input, a.input + ": it has no velocities, and so is no snapshot; leave out --resume");
  velocities.resize(bodies.positions.size());
  std::vector<double> lengths = lengths_for(a, bodies, record);
  keep_lengths(lengths, bodies, record);
  motion::HostArrays arrays(bodies.positions, std::move(velocities), bodies.strengths, std::move(lengths));
  progress.clear();
  return {std::move(bodies), std::move(arrays), record, at_rest};
}

}  // namespace farfield::cli
