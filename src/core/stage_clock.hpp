// StageClock: runs a stage and adds its wall-clock time to the report.
#pragma once
#include <chrono>
#include <farfield/report.hpp>
#include <utility>

namespace farfield {

class StageClock {
 public:
  StageClock(Report& report, bool building) : report_(report), building_(building) {}

  template <class Work>
  void operator()(const char* name, Work&& work) {
    const auto start = Clock::now();
    std::forward<Work>(work)();
    add(name, seconds_since(start));
  }
  /// The time since the last mark is that of stage `name`; "" begins.
  void mark(const char* name) {
    if (*name) add(name, seconds_since(marked_));
    marked_ = Clock::now();
  }

  void add(const char* name, double seconds) {
    for (StageReport& stage : report_.stages)
      if (stage.name == name && stage.building == building_) {
        stage.seconds += seconds;
        return;
      }
    StageReport stage;
    stage.name = name;
    stage.seconds = seconds;
    stage.building = building_;
    report_.stages.push_back(std::move(stage));
  }

 private:
  using Clock = std::chrono::steady_clock;
  static double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  }

  Report& report_;
  bool building_;
  Clock::time_point marked_;
};

}  // namespace farfield
