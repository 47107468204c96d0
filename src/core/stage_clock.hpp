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
    const auto start = std::chrono::steady_clock::now();
    std::forward<Work>(work)();
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    add(name, elapsed.count());
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
  Report& report_;
  bool building_;
};

}  // namespace farfield
