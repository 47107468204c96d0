// Results to a file: the format is told by the extension alone.
#include "write.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "farfield/error.hpp"

namespace farfield::io {
namespace {

// Names that the format gives a meaning of its own: an extra column must not take them.
constexpr std::array<const char*, 16> taken = {"positions", "strengths", "potential", "gradient", "x",  "y",
                                               "z",         "q",         "gx",        "gy",       "gz", "mass",
                                               "masses",    "charge",    "charges",   "strength"};

void check_lengths(const std::string& path, const Results& results) {
  const auto n = static_cast<std::size_t>(results.bodies->count());
  const auto fits = [](const std::vector<double>* values, std::size_t size) {
    return !values || values->empty() || values->size() == size;
  };
  bool good = fits(&results.bodies->strengths, n) && fits(results.potential, n) && fits(results.gradient, 3 * n);
  for (const Column& column : results.bodies->extra) good &= column.values.size() == n;
  if (!good)
    throw Error(ErrorCode::internal, fmt::format("{}: results and bodies differ in number; please report it.", path));
}

}  // namespace

bool present(const std::vector<double>* values) { return values && !values->empty(); }

std::vector<std::string> column_names(const Bodies& bodies) {
  std::vector<std::string> names;
  for (const Column& column : bodies.extra) {
    std::string name = column.name;
    for (char& c : name)
      if (c == ',' || c == '"' || c == '#' || c == '/' || static_cast<unsigned char>(c) <= 32) c = '_';
    const auto clashes = [&] {
      return std::find(taken.begin(), taken.end(), name) != taken.end() ||
             std::find(names.begin(), names.end(), name) != names.end();
    };
    while (name.empty() || clashes()) name += '_';
    names.push_back(std::move(name));
  }
  return names;
}

void write(const std::string& path, const Results& results) {
  check_lengths(path, results);
  std::string name = path;
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (!name.ends_with(".npz") && !name.ends_with(".csv"))
    throw Error(ErrorCode::usage,
                fmt::format("{}: results are written as .npz or .csv; use one of these names.", path));
  Output out(path);
  if (name.ends_with(".npz")) {
    write_npz(out, results);
  } else {
    write_csv(out, results);
  }
  out.commit();
}

}  // namespace farfield::io
