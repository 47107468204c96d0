// Results as comma-separated values, each number with the fewest digits that read back to the same double.
#include <charconv>

#include "io/share.hpp"
#include "io/write.hpp"

namespace farfield::io {
namespace {

struct Field {
  std::string name;
  const double* values;
  std::size_t stride;
};

std::vector<Field> fields_of(Sink& out, const Results& results) {
  const Bodies& bodies = *results.bodies;
  std::vector<Field> fields;
  const auto add_columns = [&](const std::vector<std::string>& names, const double* first, std::int64_t width) {
    for (std::size_t c = 0; c < names.size(); ++c)
      fields.push_back({names[c], first ? first + c : nullptr, static_cast<std::size_t>(width)});
  };
  add_columns({"x", "y", "z"}, bodies.positions.empty() ? nullptr : bodies.positions.data(), 3);
  if (has_strengths(out, results)) fields.push_back({"q", bodies.strengths.data(), 1});
  for (const ResultList& list : lists_of(results)) add_columns(list.columns, list.values, list.width);
  const auto names = column_names(bodies, names_of_results(results));
  for (std::size_t c = 0; c < names.size(); ++c) fields.push_back({names[c], bodies.extra[c].values.data(), 1});
  return fields;
}

void append_header(const std::vector<Field>& fields, std::string& text) {
  for (const Field& field : fields) text += (&field == fields.data() ? "" : ",") + field.name;
  text += '\n';
}

void append_number(double value, std::string& text) {
  char digits[32];
  const auto [end, trouble] = std::to_chars(digits, digits + sizeof(digits), value);
  text.append(digits, end);
}

}  // namespace

void write_csv(Sink& out, const Results& results) {
  constexpr std::size_t chunk = std::size_t{1} << 20;
  const auto fields = fields_of(out, results);
  const auto n = static_cast<std::size_t>(results.bodies->count());
  std::string text;
  append_header(fields, text);
  out.write(text);
  text.clear();
  for (std::size_t i = 0; i < n; ++i) {
    for (const Field& field : fields) {
      if (&field != fields.data()) text += ',';
      append_number(field.values[i * field.stride], text);
    }
    text += '\n';
    if (text.size() < chunk || out.in_parts()) continue;  // how long a part is must be known before it is written
    out.write_rows(text);
    text.clear();
    share_done = static_cast<double>(i + 1) / static_cast<double>(n);
  }
  out.begin_rows(text.size());
  out.write_rows(text);
}

}  // namespace farfield::io
