#include "cli/simulate/record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <type_traits>

namespace farfield::cli {
namespace {

constexpr double most_steps = 0x1p53;  // beyond, a double no longer counts

class Reader {
 public:
  Reader(const std::string& path, const io::Numbers& numbers) : path_(path), numbers_(numbers) {}

  std::optional<double> find(const std::string& name) const {
    for (const auto& [own, value] : numbers_)
      if (own == name) return value;
    return std::nullopt;
  }
  double must(const std::string& name) const {
    if (const auto value = find(name)) return *value;
    fail(fmt::format("it has no number '{}', and so is no snapshot of a simulation; leave out --resume to begin one",
                     name));
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ErrorCode::input, fmt::format("{}: {}.", path_, what));
  }
  /// A whole number from `low` to `high`.
  double whole(const std::string& name, double value, double low, double high) const {
    if (value >= low && value <= high && value == std::floor(value)) return value;
    fail(fmt::format("its number '{}' is {}, which cannot be; take another snapshot", name, value));
  }

 private:
  const std::string& path_;
  const io::Numbers& numbers_;
};

std::string number_name(const OptionText& text) { return std::string("option_") + text.name; }

std::string look_name(std::size_t i) { return fmt::format("look_{:02}", i); }

template <class Value>
double as_number(Value value) {
  if constexpr (std::is_enum_v<Value>)
    return static_cast<double>(static_cast<int>(value));
  else
    return static_cast<double>(value);
}

/// Values out of an option's range are the library's to refuse; here they must only fit its type.
template <class Value>
void set(Value& value, const Reader& reader, const std::string& name) {
  const auto found = reader.find(name);
  if (!found) return;
  if constexpr (std::is_same_v<Value, double>) {
    value = *found;
  } else if constexpr (std::is_same_v<Value, bool>) {
    value = reader.whole(name, *found, 0, 1) != 0;
  } else if constexpr (std::is_enum_v<Value>) {
    value = static_cast<Value>(static_cast<int>(reader.whole(name, *found, 0, 1000)));
  } else {
    const double reach = sizeof(Value) < 8 ? static_cast<double>(std::numeric_limits<std::int32_t>::max()) : most_steps;
    value = static_cast<Value>(reader.whole(name, *found, -1, reach));
  }
}

}  // namespace

bool is_of_motion(const OptionText& text) {
  constexpr std::string_view names[] = {"tolerance", "method",    "theta", "precision", "backend", "threads",
                                        "degree",    "leaf_size", "depth", "m2l",       "stencil", "simd"};
  const std::string_view name = text.name;
  return name.starts_with("softening") || std::find(std::begin(names), std::end(names), name) != std::end(names);
}

bool is_recorded(const OptionText& text) { return is_of_motion(text) && text.name != std::string_view("threads"); }

std::string flag_of(const OptionText& text) {
  std::string name = std::string("--") + text.name;
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

io::Numbers numbers_of(const Record& record) {
  io::Numbers numbers = {{"time", record.time()},
                         {"step", static_cast<double>(record.step)},
                         {"dt", record.course.dt},
                         {"gravity", record.course.gravity}};
  if (record.lengths) numbers.emplace_back("softening_lengths", 1);
  if (record.first) {
    numbers.emplace_back("first_kinetic", record.first->kinetic);
    numbers.emplace_back("first_potential", record.first->potential);
  }
  for (std::size_t i = 0; i < record.look.size(); ++i) numbers.emplace_back(look_name(i), record.look[i]);
  visit_options(record.options, [&](const OptionText& text, const auto& value) {
    if (is_recorded(text)) numbers.emplace_back(number_name(text), as_number(value));
  });
  return numbers;
}

Record record_of(const std::string& path, const io::Numbers& numbers, const Options& options) {
  const Reader reader(path, numbers);
  Record record;
  record.options = options;
  record.step = static_cast<std::int64_t>(reader.whole("step", reader.must("step"), 0, most_steps));
  record.course = {reader.must("dt"), reader.must("gravity")};
  motion::require_course(record.course);
  if (const auto lengths = reader.find("softening_lengths"))
    record.lengths = reader.whole("softening_lengths", *lengths, 0, 1) != 0;
  if (const auto kinetic = reader.find("first_kinetic"), potential = reader.find("first_potential");
      kinetic && potential) {
    record.first.emplace();
    record.first->kinetic = *kinetic, record.first->potential = *potential;
    record.first->total = *kinetic + *potential;
  }
  while (const auto next = reader.find(look_name(record.look.size()))) record.look.push_back(*next);
  visit_options(record.options, [&](const OptionText& text, auto& value) {
    if (is_recorded(text)) set(value, reader, number_name(text));
  });
  return record;
}

}  // namespace farfield::cli
