#include "cli/report/json.hpp"

namespace farfield::cli {
namespace {

using Json = nlohmann::ordered_json;

Json stages(const Report& r) {
  Json list = Json::array();
  for (const StageReport& s : r.stages)
    list.push_back({{"name", s.name},
                    {"seconds", s.seconds},
                    {"flops", s.flops},
                    {"building", s.building},
                    {"backend", s.backend},
                    {"device", s.device},
                    {"precision", s.precision},
                    {"scheme", s.scheme}});
  return list;
}

Json choices(const Report& r) {
  Json list = Json::array();
  for (const Choice& c : r.choices) list.push_back({{"name", c.name}, {"value", c.value}, {"reason", c.reason}});
  return list;
}

Json measured(double norm, double median, double p95, double max) {
  return {{"l2", norm}, {"median", median}, {"p95", p95}, {"max", max}};
}

Json error(const Report& r) {
  if (!r.error) return nullptr;
  const ErrorReport& e = *r.error;
  Json json = {{"samples", e.samples}, {"seed", e.seed}, {"seconds", e.seconds}};
  json["potential"] =
      r.potential ? measured(e.potential, e.potential_median, e.potential_p95, e.potential_max) : Json();
  json["gradient"] = r.gradient ? measured(e.gradient, e.gradient_median, e.gradient_p95, e.gradient_max) : Json();
  json["hessian"] = r.hessian ? measured(e.hessian, e.hessian_median, e.hessian_p95, e.hessian_max) : Json();
  return json;
}

Json counts(const Report& r) {
  return {{"sources", r.sources},
          {"targets", r.targets},
          {"vectors", r.vectors},
          {"boxes", r.boxes},
          {"leaves", r.leaves},
          {"p2p_boxes", r.p2p_boxes},
          {"m2l_boxes", r.m2l_boxes},
          {"m2p_boxes", r.m2p_boxes},
          {"p2l_boxes", r.p2l_boxes},
          {"near_pairs", r.near_pairs},
          {"far_fraction", r.far_fraction}};
}

/// Bodies as one entry: where they came from and what was said about them.
Json file(const std::string& path, const io::Bodies& bodies) {
  Json columns = Json::array();
  for (const io::Column& column : bodies.extra) columns.push_back(column.name);
  return {{"file", path},
          {"count", bodies.all()},
          {"description", bodies.description},
          {"scalar", bodies.single ? "float32" : "float64"},
          {"extra_columns", columns},
          {"warnings", bodies.warnings}};
}

}  // namespace

Json report_to_json(const Report& r) {
  return {
      {"schema", "farfield.report/1"},
      {"version", r.version},
      {"kernel", r.kernel},
      {"scale", r.scale},
      {"softening", r.softening},
      {"least_softening", r.least_softening},
      {"kappa", r.kappa},
      {"softening_kind", r.softening_kind},
      {"periodic", r.periodic},
      {"cell", r.cell},
      {"core", r.core},
      {"core_radius", r.core_radius},
      {"potential", r.potential},
      {"bandwidth", r.bandwidth},
      {"relative_to", r.relative_to},
      {"gradient", r.gradient},
      {"hessian", r.hessian},
      {"dipoles", r.dipoles},
      {"vector", r.vector},
      {"tolerance", r.tolerance},
      {"tolerance_for", r.tolerance_for},
      {"method", r.method},
      {"backend", r.backend},
      {"device", r.device},
      {"precision", r.precision},
      {"simd", r.simd},
      {"threads", r.threads},
      {"m2l", r.m2l},
      {"stencil", r.stencil},
      {"degree", r.degree},
      {"coefficients", r.coefficients},
      {"leaf_size", r.leaf_size},
      {"levels", r.levels},
      {"counts", counts(r)},
      {"memory_bytes", r.memory_bytes},
      {"pairs_per_second", r.pairs_per_second},
      {"expected_seconds", r.expected_seconds},
      {"condition",
       {{"potential", r.condition_potential}, {"gradient", r.condition_gradient}, {"hessian", r.condition_hessian}}},
      {"build_seconds", r.build_seconds()},
      {"evaluate_seconds", r.evaluate_seconds()},
      {"stages", stages(r)},
      {"choices", choices(r)},
      {"warnings", r.warnings},
      {"error", error(r)}};
}

/// xx yy zz xy xz yz of each density; null where it was not asked for.
static Json virial(const Result<double>& result) {
  Json all;
  for (auto at = result.virial.begin(); at != result.virial.end(); at += 6)
    all.push_back(std::vector<double>(at, at + 6));
  return all;
}

Json run_to_json(const SumArguments& a, const Computation& c) {
  Json json = report_to_json(c.result.report);
  json["input"] = file(a.input, c.sources);
  json["input_targets"] = c.targets ? file(a.targets, *c.targets) : Json();
  json["wall_seconds"] = {
      {"read", c.wall.read}, {"plan", c.wall.plan}, {"evaluate", c.wall.evaluate}, {"write", c.wall.write}};
  json["virial"] = virial(c.result);
  json["ranks"] = ranks_to_json(c);
  json["imbalance"] = c.ranks ? Json(c.ranks->imbalance) : Json();
  json["written"] = c.written;
  return json;
}

std::string text_of(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

}  // namespace farfield::cli
