#include "cli/progress.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>

#include "cli/report/numbers.hpp"
#include "cli/terminal.hpp"
#include "io/share.hpp"

namespace farfield::cli {
namespace {

constexpr double patience = 1;  // seconds during which nobody wants to know how long it takes

/// Whole seconds, and no more digits than a person reads while they change.
std::string rough(double seconds) {
  return seconds < 120 ? fmt::format("{:.0f} s", seconds) : fmt::format("{:.0f} min", seconds / 60);
}

}  // namespace

std::string progress_text(const std::string& what, double elapsed, const Outlook& outlook) {
  if (elapsed < patience) return what + " ...";
  if (outlook.share >= 1) return fmt::format("{}: 100 %, {}", what, rough(elapsed));
  if (outlook.share > 0)
    return fmt::format("{}: {:.0f} %, {} left", what, 100 * outlook.share,
                       rough(std::ceil(elapsed * (1 - outlook.share) / outlook.share)));
  if (outlook.predicted <= patience) return fmt::format("{}: {}", what, rough(elapsed));
  if (elapsed <= outlook.predicted)
    return fmt::format("{}: {} of about {}", what, rough(elapsed), rough(outlook.predicted));
  return fmt::format("{}: {}; about {} were expected", what, rough(elapsed), rough(outlook.predicted));
}

Progress::Progress(bool quiet) : shown_(!quiet && is_terminal(stderr)) {
  if (shown_) drawer_ = std::thread(&Progress::keep_up, this);
}

Progress::~Progress() {
  clear();
  if (!shown_) return;
  {
    const std::scoped_lock lock(mutex_);
    ended_ = true;
  }
  changed_.notify_one();
  drawer_.join();
}

void Progress::operator()(const std::string& what, double predicted) {
  if (!shown_) return;
  const std::scoped_lock lock(mutex_);
  what_ = printable(what), predicted_ = predicted;
  start_ = std::chrono::steady_clock::now();
  io::share_done = -1;
  draw();
}

void Progress::clear() {
  if (!shown_) return;
  const std::scoped_lock lock(mutex_);
  if (!what_.empty()) std::fputs("\r\033[K", stderr);
  what_.clear();
}

void Progress::draw() {
  const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  const std::string text = progress_text(what_, elapsed, {io::share_done, predicted_});
  std::fprintf(stderr, "\r\033[K%s", text.c_str());
  std::fflush(stderr);
}

void Progress::keep_up() {
  std::unique_lock lock(mutex_);
  while (!ended_) {
    changed_.wait_for(lock, std::chrono::milliseconds(250));
    if (!ended_ && !what_.empty()) draw();
  }
}

}  // namespace farfield::cli
