// `farfield simulate`: bodies move under their own gravity.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <farfield/error.hpp>
#include <optional>
#include <set>

#include "cli/commands.hpp"
#include "cli/progress.hpp"
#include "cli/report/numbers.hpp"
#include "cli/report/text.hpp"
#include "cli/simulate/film.hpp"
#include "cli/simulate/folder.hpp"
#include "cli/simulate/history.hpp"
#include "cli/simulate/interruption.hpp"
#include "cli/simulate/start.hpp"
#include "cli/simulate/table.hpp"
#include "motion/mover.hpp"

namespace farfield::cli {
namespace {

using Clock = std::chrono::steady_clock;

bool is_due(std::int64_t every, std::int64_t step) { return every > 0 && step % every == 0; }

/// A run: what moves, and all that is written and said of it.
class Run {
 public:
  Run(const SimulateArguments& a, Start& start, const Folder& folder, Progress& progress)
      : a_(a),
        start_(start),
        folder_(folder),
        progress_(progress),
        snapshots_(a, folder, start),
        film_(a, folder, start.record),
        terminal_(Terminal::of(stdout)),
        end_(start.record.step + a.steps) {}

  void go();

 private:
  void begin();
  void step();
  void look(bool shown);
  void keep();
  std::string write_snapshot();
  void finish();
  void say_interrupted(const std::string& snapshot);
  void say_progress();
  void say(const std::string& text) {
    progress_.clear();
    if (!a_.quiet) print(text);
  }
  void warn_once();
  std::int64_t now() const { return start_.record.step; }

  const SimulateArguments& a_;
  Start& start_;
  const Folder& folder_;
  Progress& progress_;
  std::unique_ptr<motion::Mover> mover_;
  std::optional<History> history_;  // none before the forces are known: what is refused leaves no file
  Snapshots snapshots_;
  Film film_;
  Terminal terminal_;
  Interruption interruption_;
  std::set<std::string> warned_;
  std::int64_t end_, told_ = 0;  // told_: the step of the last row
  double stepped_ = 0;           // seconds of the steps since then
  Clock::time_point line_time_, begun_;
};

/// From the arrays as they stand: diagnostics, a row of energy.csv, and where it is `shown` one of the table.
void Run::look(bool shown) {
  const motion::Diagnostics d = motion::diagnose(mover_->sums());
  Record& record = start_.record;
  if (!record.first) record.first = d;
  if (!std::isfinite(d.kinetic))
    throw Error(ErrorCode::input, fmt::format("in step {} bodies left the range of numbers; use a smaller --dt, or a "
                                              "larger --softening",
                                              record.step));
  const Row row{record.step, record.time(), d, motion::energy_change(d, *record.first)};
  history_->add(row);
  warn_once();
  if (!shown) return;
  const std::int64_t steps = record.step - told_;
  say(table_row(row, steps > 0 ? stepped_ / static_cast<double>(steps) : 0, terminal_));
  history_->flush();
  stepped_ = 0, told_ = record.step;
}

void Run::warn_once() {
  for (const std::string& warning : mover_->report().warnings)
    if (warned_.insert(warning).second) say(section("", terminal_.warn("warning: ") + printable(warning), terminal_));
}

/// Where a frame or a snapshot is due; the frame first, since the snapshot tells of its view.
void Run::keep() {
  if (is_due(a_.frames, now())) {
    mover_->fetch();
    film_.draw(start_);
  }
  if (is_due(a_.snapshots, now())) write_snapshot();
}

std::string Run::write_snapshot() {
  mover_->fetch();
  return snapshots_.write();
}

void Run::begin() {
  history_.emplace(folder_.file("energy.csv"), now());
  say(describe_start(a_, start_, mover_->report(), terminal_) + table_heading(terminal_));
  told_ = now(), begun_ = line_time_ = Clock::now();
  look(true);
  keep();
}

void Run::step() {
  const Clock::time_point start = Clock::now();
  try {
    mover_->step();
  } catch (const Error& error) {  // positions that are no numbers, as a rule
    throw Error(error.code(), fmt::format("in step {}: {}", now() + 1, error.what()));
  }
  stepped_ += std::chrono::duration<double>(Clock::now() - start).count();
  ++start_.record.step;
  const bool last = now() == end_ || interruption_.noted();
  look(last || is_due(a_.energies, now()));
  keep();
  say_progress();
}

void Run::say_progress() {
  if (Clock::now() - line_time_ < std::chrono::milliseconds(200) || now() == end_) return;
  line_time_ = Clock::now();
  const auto first = end_ - a_.steps;
  const double each = std::chrono::duration<double>(line_time_ - begun_).count() / static_cast<double>(now() - first);
  progress_(fmt::format("step {} of {}, {} left", now(), end_, duration(each * static_cast<double>(end_ - now()))));
}

void Run::finish() {
  progress_("drawing " + folder_.file("energy.png"));
  history_->draw(folder_.file("energy.png"), fmt::format("{} bodies, {} steps of {}", grouped(start_.arrays.count()),
                                                         grouped(now()), shortest(start_.record.course.dt)));
  progress_("making the movie");
  const std::string movie = film_.finish();
  std::string text = describe_end(history_->rows(), terminal_) +
                     section("Written", printable(folder_.path()) + ": energy.csv, energy.png, snapshots", terminal_);
  if (!movie.empty()) text += section("", printable(movie), terminal_);
  say(text);
}

void Run::say_interrupted(const std::string& snapshot) {
  std::string rest;
  for (const auto& [name, every] :
       {std::pair{"--energies", a_.energies}, {"--snapshots", a_.snapshots}, {"--frames", a_.frames}})
    if (every > 0) rest += fmt::format(" {} {}", name, every);
  if (a_.paraview) rest += " --paraview";
  say(fmt::format("\nInterrupted after step {} of {}. To go on:\n  farfield simulate {} --resume --steps {}{}\n", now(),
                  end_, printable(snapshot), end_ - now(), rest));
}

void Run::go() {
  progress_("planning");
  mover_ = motion::make_mover(start_.arrays, start_.record.options, start_.record.course);
  begin();
  while (now() < end_ && !interruption_.noted()) step();
  const std::string last = write_snapshot();
  if (now() < end_) {
    say_interrupted(last);
    interruption_.pass_on();
  }
  finish();
}

}  // namespace

void simulate(const SimulateArguments& a) {
  Progress progress(a.quiet);
  Start start = read_start(a, progress);
  const Folder folder(a);
  Run(a, start, folder, progress).go();
}

}  // namespace farfield::cli
