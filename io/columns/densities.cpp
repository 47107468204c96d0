#include "io/columns/densities.hpp"

#include <algorithm>
#include <cstddef>

#include "io/text/text.hpp"

namespace farfield::io {
namespace {

std::string numbered(const std::string& name, std::int64_t vector) {
  return vector == 0 ? name : name + std::to_string(vector + 1);
}

const std::vector<double>* find(const Bodies& bodies, const std::string& name) {
  for (const Column& column : bodies.extra)
    if (lower(column.name) == name) return &column.values;
  return nullptr;
}

/// The three columns of a vector's dipoles; empty unless all are there.
std::vector<const std::vector<double>*> find_dipoles(const Bodies& bodies, std::int64_t vector) {
  std::vector<const std::vector<double>*> found;
  for (const std::string& name : dipole_columns(vector))
    if (const std::vector<double>* column = find(bodies, name)) found.push_back(column);
  if (found.size() < 3) found.clear();
  return found;
}

}  // namespace

std::string strength_column(std::int64_t vector) { return numbered("q", vector); }

std::vector<std::string> dipole_columns(std::int64_t vector) {
  return {numbered("dx", vector), numbered("dy", vector), numbered("dz", vector)};
}

Densities densities_of(const Bodies& bodies) {
  const auto n = static_cast<std::size_t>(bodies.count());
  Densities all;
  all.strengths = bodies.strengths;
  for (std::int64_t v = 0;; ++v) {
    const std::vector<double>* charges = v > 0 ? find(bodies, strength_column(v)) : nullptr;
    const auto dipoles = find_dipoles(bodies, v);
    if (v > 0 && !charges && dipoles.empty()) break;
    all.vectors = v + 1;
    const auto whole = static_cast<std::size_t>(all.vectors);
    if (charges) all.strengths.insert(all.strengths.end(), charges->begin(), charges->end());
    all.strengths.resize(n * whole);
    if (dipoles.empty() && all.dipoles.empty()) continue;
    all.dipoles.resize(3 * n * whole);
    for (std::size_t c = 0; c < dipoles.size(); ++c)
      for (std::size_t i = 0; i < n; ++i) all.dipoles[3 * (n * (whole - 1) + i) + c] = (*dipoles[c])[i];
  }
  return all;
}

bool is_further_result(const std::string& name) {
  const std::size_t digits = name.find_last_not_of("0123456789") + 1;
  const std::string number = name.substr(digits), kind = lower(name.substr(0, digits));
  if (number.empty() || number[0] == '0' || number == "1") return false;
  const auto kinds = {"potential", "gradient", "hessian", "gx", "gy", "gz", "hxx", "hyy", "hzz", "hxy", "hxz", "hyz"};
  return std::any_of(kinds.begin(), kinds.end(), [&](const char* one) { return kind == one; });
}

void add_dipoles(Bodies& bodies, const std::vector<double>& dipoles, std::int64_t vector) {
  const std::vector<std::string> names = dipole_columns(vector);
  for (std::size_t c = 0; c < 3; ++c) {
    Column column{names[c], std::vector<double>(dipoles.size() / 3)};
    for (std::size_t i = 0; i < column.values.size(); ++i) column.values[i] = dipoles[3 * i + c];
    bodies.extra.push_back(std::move(column));
  }
}

}  // namespace farfield::io
