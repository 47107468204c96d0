// One line on standard error that says what is going on, for how long, and how much of it is left where that is known;
// nothing where no person looks.
#pragma once
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace farfield::cli {

/// How much of a task is done: a share that was counted, or seconds that were predicted; neither where nobody knows.
struct Outlook {
  double share = -1;     ///< 0 to 1; below 0: not counted
  double predicted = 0;  ///< seconds in all; 0: not predicted
};

/// "writing a.csv: 40 %, 3 s left", "evaluating: 12 s of about 40 s", "planning: 5 s".
std::string progress_text(const std::string& what, double elapsed, const Outlook& outlook);

class Progress {
 public:
  explicit Progress(bool quiet);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Replaces the line; it is kept up to date until the next one. `predicted` seconds; 0: not known.
  void operator()(const std::string& what, double predicted = 0);
  void clear();  ///< before anything else is printed

 private:
  void draw();
  void keep_up();

  bool shown_;
  std::mutex mutex_;  // of what follows, which the thread that draws reads
  std::condition_variable changed_;
  bool ended_ = false;
  std::string what_;  // empty: nothing is going on
  double predicted_ = 0;
  std::chrono::steady_clock::time_point start_;
  std::thread drawer_;
};

}  // namespace farfield::cli
