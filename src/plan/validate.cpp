#include "plan/validate.hpp"

#include <string>

#include <farfield/error.hpp>

#include "plan/accounts.hpp"

namespace farfield {

void require_host(const Points& points, const char* what) {
  if (points.space != MemorySpace::host)
    throw Error(ErrorCode::device, std::string(what) + " are in device memory, but this plan runs on the cpu; pass host memory");
}

void validate(const Strengths& s, std::int64_t sources) {
  if (s.space != MemorySpace::host)
    throw Error(ErrorCode::device, "strengths are in device memory, but this plan runs on the cpu; pass host memory");
  if (s.count != sources)
    throw Error(ErrorCode::input, std::to_string(s.count) + " strengths were given for " + std::to_string(sources) +
                                      " sources; pass one per source");
  if (s.vectors < 1)
    throw Error(ErrorCode::input, std::to_string(s.vectors) + " strength vectors were given; pass at least one");
  if (!s.data && sources > 0)
    throw Error(ErrorCode::input, "the pointer to the strengths is null; pass one strength per source");
}

void complete(Report& report) {
  for (StageReport& stage : report.stages) stage.flops = stage_flops(stage.name, report);
}

double Report::build_seconds() const {
  double sum = 0;
  for (const StageReport& s : stages) sum += s.building ? s.seconds : 0;
  return sum;
}

double Report::evaluate_seconds() const {
  double sum = 0;
  for (const StageReport& s : stages) sum += s.building ? 0 : s.seconds;
  return sum;
}

const StageReport* Report::stage(const std::string& name) const {
  for (const StageReport& s : stages)
    if (s.name == name) return &s;
  return nullptr;
}

}  // namespace farfield
