// Snapshots as npz archives: the arrays that `read` understands, and the numbers of the run beside them.
#include "io/snapshot.hpp"

#include <algorithm>
#include <array>

#include "io/binary/npy.hpp"
#include "io/binary/zip.hpp"
#include "io/output.hpp"
#include "io/text/text.hpp"
#include "io/write.hpp"

namespace farfield::io {
namespace {

constexpr std::array<const char*, 3> velocity_names = {"vx", "vy", "vz"};

bool is_velocity(const std::string& name) {
  return std::find(velocity_names.begin(), velocity_names.end(), lower(name)) != velocity_names.end();
}

std::string_view bytes_of(const double* values, std::size_t count) {
  return {reinterpret_cast<const char*>(values), count * sizeof(double)};
}

void add(ZipWriter& zip, const std::string& name, const std::vector<double>& values, std::vector<std::int64_t> shape) {
  zip.add(name + ".npy", npy_header("f8", shape), bytes_of(values.data(), values.size()));
}

// A column must not take the name of an array or a number of the snapshot itself.
bool is_taken(const std::string& name, const Numbers& numbers) {
  const auto same = [&](const auto& number) { return number.first == name; };
  return name == "positions" || name == "velocities" || name == "masses" || name == "strengths" ||
         std::any_of(numbers.begin(), numbers.end(), same);
}

}  // namespace

std::vector<Named> other_columns(const Bodies& bodies) {
  const std::vector<std::string> names = column_names(bodies);
  std::vector<Named> columns;
  for (std::size_t c = 0; c < names.size(); ++c)
    if (!is_velocity(bodies.extra[c].name)) columns.push_back({names[c], &bodies.extra[c].values});
  return columns;
}

std::vector<double> velocities_of(const Bodies& bodies) {
  std::array<const Column*, 3> found{};
  for (const Column& column : bodies.extra)
    for (std::size_t c = 0; c < 3; ++c)
      if (lower(column.name) == velocity_names[c]) found[c] = &column;
  if (!found[0] || !found[1] || !found[2]) return {};
  std::vector<double> velocities(bodies.positions.size());
  for (std::size_t i = 0; i < velocities.size(); ++i) velocities[i] = found[i % 3]->values[i / 3];
  return velocities;
}

void write_snapshot(const std::string& path, const Snapshot& s) {
  const auto n = static_cast<std::int64_t>(s.masses->size());
  Output out(path);
  ZipWriter zip(out);
  add(zip, "positions", *s.positions, {n, 3});
  add(zip, "velocities", *s.velocities, {n, 3});
  add(zip, "masses", *s.masses, {n});
  for (const auto& [name, value] : s.numbers) zip.add(name + ".npy", npy_header("f8", {}), bytes_of(&value, 1));
  for (const Named& column : other_columns(*s.bodies))
    add(zip, column.name + (is_taken(column.name, s.numbers) ? "_" : ""), *column.values, {n});
  zip.finish();
  out.commit();
}

}  // namespace farfield::io
