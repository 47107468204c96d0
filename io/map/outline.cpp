#include "io/map/outline.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "io/binary/bytes.hpp"

namespace farfield::io {
namespace {

using Json = nlohmann::json;

constexpr int deepest = 32;  // levels of nesting; the formats need seven

/// Adds the lines within `coordinates` of GeoJSON: lists of lists of ... of pairs.
void add_lines(const Json& coordinates, std::vector<Outline>& lines, int depth) {
  if (depth > deepest || !coordinates.is_array() || coordinates.empty() || !coordinates[0].is_array()) return;
  if (coordinates[0].empty() || !coordinates[0][0].is_number()) {
    for (const Json& part : coordinates) add_lines(part, lines, depth + 1);
    return;
  }
  Outline line;
  for (const Json& corner : coordinates) line.push_back({corner.at(0).get<double>(), corner.at(1).get<double>()});
  lines.push_back(std::move(line));
}

void add_geojson(const Json& value, std::vector<Outline>& lines, int depth) {
  if (depth > deepest || !value.is_object()) return;
  for (const char* list : {"features", "geometries"})
    if (const auto at = value.find(list); at != value.end())
      for (const Json& part : *at) add_geojson(part, lines, depth + 1);
  if (const auto at = value.find("geometry"); at != value.end()) add_geojson(*at, lines, depth + 1);
  const std::string type = value.value("type", "");
  if (const auto at = value.find("coordinates"); at != value.end() && !type.ends_with("Point"))
    add_lines(*at, lines, depth + 1);
}

/// The numbers of the arcs that an object of TopoJSON consists of; ~i is arc i backward.
void add_arcs(const Json& value, std::set<std::int64_t>& arcs, int depth) {
  if (depth > deepest) return;
  if (value.is_number_integer()) {
    const auto number = value.get<std::int64_t>();
    arcs.insert(number < 0 ? ~number : number);
  } else if (value.is_array()) {
    for (const Json& part : value) add_arcs(part, arcs, depth + 1);
  } else if (value.is_object()) {
    for (const char* name : {"arcs", "geometries"})
      if (const auto at = value.find(name); at != value.end()) add_arcs(*at, arcs, depth + 1);
  }
}

std::set<std::int64_t> chosen_arcs(const Json& topology) {
  std::set<std::int64_t> chosen;
  if (const auto objects = topology.find("objects"); objects != topology.end())
    for (const char* name : {"land", "coastline", "coastlines"})
      if (const auto at = objects->find(name); at != objects->end()) add_arcs(*at, chosen, 0);
  if (chosen.empty())
    for (std::size_t i = 0; i < topology.at("arcs").size(); ++i) chosen.insert(static_cast<std::int64_t>(i));
  return chosen;
}

/// Corners of an arc are steps from one to the next in whole numbers where the file has a transform.
Outline arc_of(const Json& topology, const Json& arc) {
  const auto transform = topology.find("transform");
  const bool steps = transform != topology.end();
  std::array<double, 2> scale{1, 1}, shift{0, 0}, place{0, 0};
  for (std::size_t c = 0; steps && c < 2; ++c) {
    scale[c] = transform->at("scale").at(c).get<double>();
    shift[c] = transform->at("translate").at(c).get<double>();
  }
  Outline line;
  for (const Json& corner : arc) {
    for (std::size_t c = 0; c < 2; ++c) place[c] = corner.at(c).get<double>() + (steps ? place[c] : 0);
    line.push_back({place[0] * scale[0] + shift[0], place[1] * scale[1] + shift[1]});
  }
  return line;
}

std::vector<Outline> lines_of(const Json& value) {
  std::vector<Outline> lines;
  if (value.is_object() && value.value("type", "") == "Topology") {
    for (const std::int64_t number : chosen_arcs(value))
      lines.push_back(arc_of(value, value.at("arcs").at(static_cast<std::size_t>(number))));
  } else {
    add_geojson(value, lines, 0);
  }
  return lines;
}

}  // namespace

std::vector<Outline> read_outlines(const std::string& path) {
  const Blob blob = load_file(path);
  const bool packed = blob.view().starts_with("\x1f\x8b");
  const Blob content = packed ? gunzip(path, blob.view()) : Blob();
  std::vector<Outline> lines;
  try {
    lines = lines_of(Json::parse(packed ? content.view() : blob.view()));
  } catch (const nlohmann::json::parse_error& error) {
    refuse(path, "byte " + std::to_string(error.byte), "this is no JSON; give a TopoJSON or GeoJSON file");
  } catch (const nlohmann::json::exception&) {
    refuse(path, "", "this is JSON, but neither TopoJSON nor GeoJSON, or it is damaged; give one of these");
  }
  if (lines.empty()) refuse(path, "", "there are no lines in it; give TopoJSON or GeoJSON with coasts or borders");
  for (const Outline& line : lines)
    for (const auto& corner : line)
      if (!std::isfinite(corner[0]) || !std::isfinite(corner[1]))
        refuse(path, "", "a corner is no finite number; the file is damaged");
  return lines;
}

}  // namespace farfield::io
