#include "cli/softening/lengths.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <farfield/error.hpp>
#include <set>

#include "cli/report/numbers.hpp"
#include "cli/report/values.hpp"
#include "cli/terminal.hpp"

namespace farfield::cli {
namespace {

constexpr std::size_t most_types = 16;

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

[[noreturn]] void refuse(const std::string& sentence) { throw Error(ErrorCode::usage, sentence); }

[[noreturn]] void refuse_column(const io::Bodies& bodies, const std::string& name, const std::string& path) {
  std::vector<std::string> names;
  for (const io::Column& column : bodies.extra) names.push_back(column.name);
  refuse(fmt::format("{}: there is no column '{}' for --softening-column; {}", printable(path), printable(name),
                     names.empty() ? "it has no further columns"
                                   : fmt::format("it has {}", printable(fmt::format("{}", fmt::join(names, ", "))))));
}

/// In ascending order, as the lengths of --softening are.
std::vector<double> types_in(const std::vector<double>& type) {
  std::set<double> distinct;
  for (const double t : type)
    if (distinct.insert(t).second && distinct.size() > most_types) break;
  return {distinct.begin(), distinct.end()};
}

std::vector<double> by_type(const io::Bodies& bodies, const std::vector<double>& lengths, const std::string& path) {
  const std::vector<double>* type = find_column(bodies, "type");
  if (!type)
    refuse(
        fmt::format("{}: it has no column 'type', by which the {} lengths of --softening would be given out; give "
                    "one length, or a column with --softening-column",
                    printable(path), lengths.size()));
  const std::vector<double> types = types_in(*type);
  if (types.size() != lengths.size())
    refuse(fmt::format("--softening has {} lengths, but {} has bodies of {} ({}{}); give one for each", lengths.size(),
                       printable(path), plural(std::ssize(types), "type", "types"), fmt::join(types, ", "),
                       types.size() > most_types ? ", and more" : ""));
  std::vector<double> all;
  for (const double t : *type)
    all.push_back(lengths[static_cast<std::size_t>(std::find(types.begin(), types.end(), t) - types.begin())]);
  return all;
}

}  // namespace

void add_softening(CLI::App& app, Options& o, SofteningArguments& a) {
  const auto take = [&o, &a](const std::string& text) {
    a.of_types.clear();
    for (const std::string& part : split(text)) a.of_types.push_back(parse_number(part));
    if (a.of_types.size() > 1) return;
    o.softening = a.of_types.front();
    a.of_types.clear();
  };
  add_parsed(app, "--softening", take, "Length that softens 1/r, or one for each type")->type_name("EPS[,EPS...]");
  app.add_option("--softening-column", a.column, "Column of INPUT with a length for each body")->type_name("NAME");
}

const std::vector<double>* find_column(const io::Bodies& bodies, const std::string& name) {
  for (const io::Column& column : bodies.extra)
    if (column.name == name) return &column.values;
  for (const io::Column& column : bodies.extra)
    if (lower(column.name) == lower(name)) return &column.values;
  return nullptr;
}

std::vector<double> lengths_of(const io::Bodies& bodies, const SofteningArguments& a, const std::string& path) {
  if (!a.column.empty() && !a.of_types.empty())
    refuse("--softening-column and several lengths in --softening exclude each other; leave one of them out");
  if (a.column.empty()) return a.of_types.empty() ? std::vector<double>{} : by_type(bodies, a.of_types, path);
  const std::vector<double>* lengths = find_column(bodies, a.column);
  if (!lengths) refuse_column(bodies, a.column, path);
  return *lengths;
}

std::vector<double> lengths_of_targets(const io::Bodies& targets, const SofteningArguments& a, const std::string& path,
                                       double softening) {
  if (!a.column.empty() && softening > 0 && !find_column(targets, a.column)) return {};
  return lengths_of(targets, a, path);
}

}  // namespace farfield::cli
