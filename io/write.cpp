// Results to a file: the caller or the extension tells the format.
#include "io/write.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>

#include "farfield/error.hpp"
#include "io/output.hpp"
#include "io/parts/write.hpp"
#include "io/text/text.hpp"

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
  const std::size_t all = n * static_cast<std::size_t>(results.vectors);
  bool good = fits(&results.bodies->strengths, n) && fits(results.potential, all) && fits(results.gradient, 3 * all) &&
              fits(results.hessian, 6 * all);
  for (const Column& column : results.bodies->extra) good &= column.values.size() == n;
  if (!good)
    throw Error(ErrorCode::internal, fmt::format("{}: results and bodies differ in number; please report it.", path));
}

}  // namespace

bool present(const Results& results, const std::vector<double>* values) {
  return values && (results.bodies->count() == 0 || !values->empty());
}

bool has_strengths(Sink& out, const Results& results) {
  return out.of_first(present(results, &results.bodies->strengths));
}

std::vector<std::string> names_of_results(const Results& results) {
  std::vector<std::string> names = results.components;
  names.push_back(results.vector);
  for (const ResultList& list : lists_of(results)) {
    names.push_back(list.name);
    names.insert(names.end(), list.columns.begin(), list.columns.end());
  }
  return names;
}

std::vector<ResultList> lists_of(const Results& results) {
  std::vector<ResultList> lists;
  const auto add = [&](const std::vector<double>* values, const std::string& name, std::vector<std::string> columns,
                       std::int64_t width, std::int64_t vector) {
    if (!present(results, values)) return;
    const std::string number = vector > 0 ? std::to_string(vector + 1) : "";
    for (std::string& column : columns) column += number;
    const double* const first = values->empty() ? nullptr : values->data() + vector * width * results.bodies->count();
    lists.push_back({name + number, std::move(columns), first, width});
  };
  for (std::int64_t v = 0; v < results.vectors; ++v) {
    add(results.potential, "potential", {"potential"}, 1, v);
    add(results.gradient, results.vector, results.components, 3, v);
    add(results.hessian, "hessian", {"hxx", "hyy", "hzz", "hxy", "hxz", "hyz"}, 6, v);
  }
  return lists;
}

std::vector<std::string> column_names(const Bodies& bodies, const std::vector<std::string>& also) {
  constexpr std::size_t longest = 1000;  // letters; a member of an archive can have 65535
  std::vector<std::string> names;
  std::unordered_set<std::string> given(taken.begin(), taken.end());
  given.insert(also.begin(), also.end());
  std::unordered_map<std::string, int> tried;  // by name: how many other names were made of it
  for (const Column& column : bodies.extra) {
    std::string name = column.name.substr(0, longest);
    for (char& c : name)
      if (c == ',' || c == ';' || c == '"' || c == '#' || c == '/' || static_cast<unsigned char>(c) <= 32 || c == 127)
        c = '_';
    std::string free = name;
    while (free.empty() || given.contains(free) || to_number(free)) {  // a number would not do as a header
      const int trial = ++tried[name];
      free = trial == 1 ? name + '_' : fmt::format("{}_{}", name, trial);
    }
    given.insert(free);
    names.push_back(std::move(free));
  }
  return names;
}

std::string output_format(const std::string& path, const std::string& format) {
  const std::string name = lower(path);
  for (const char* known : {"npz", "csv", "npy"})
    if (format == known || (format.empty() && name.ends_with(std::string(".") + known))) return known;
  if (path == "-" && format.empty()) return "csv";
  throw Error(
      ErrorCode::usage,
      format.empty()
          ? fmt::format("{}: results are written as .npz, .csv or .npy; use one of these names or say the format.",
                        path)
          : fmt::format("There is no format '{}' to write; it is one of npz, csv, npy.", printable(format)));
}

template <class Out>
static void write_and_commit(Out& out, const Results& results, const std::string& format) {
  if (format == "npz") write_npz(out, results);
  if (format == "csv") write_csv(out, results);
  if (format == "npy") write_npy(out, results);
  out.commit();
}

void write(const std::string& path, const Results& results, const std::string& format) {
  check_lengths(path, results);
  const std::string known = output_format(path, format);
  Output out(path);
  write_and_commit(out, results, known);
}

void write_part(const std::string& path, const Results& results, const std::string& format, const Part& part,
                const AllGather& all_gather) {
  check_lengths(path, results);
  const std::string known = output_format(path, format);
  SharedOutput out(path, part, all_gather);
  write_and_commit(out, results, known);
}

}  // namespace farfield::io
