#include "cli/simulate/history.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <farfield/error.hpp>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include "cli/report/values.hpp"
#include "io/chart/chart.hpp"

namespace farfield::cli {
namespace {

constexpr const char* header =
    "step,time,kinetic,potential,total,change,virial_ratio,px,py,pz,lx,ly,lz,centre_x,centre_y,centre_z\n";

/// The numbers of a row, in the order of the header, behind the step.
template <class AnyRow>
auto numbers_of(AnyRow& r) {
  auto& d = r.d;
  auto &p = d.momentum, &l = d.angular_momentum, &c = d.centre;
  return std::array{&r.time, &d.kinetic, &d.potential, &d.total, &r.change, &d.virial_ratio, &p[0], &p[1],
                    &p[2],   &l[0],      &l[1],        &l[2],    &c[0],     &c[1],           &c[2]};
}

std::string text_of(const Row& row) {
  std::string text = std::to_string(row.step);
  for (const double* number : numbers_of(row)) text += fmt::format(",{}", *number);
  return text + "\n";
}

/// False where the line is none of these: of another file, or cut short.
bool read_row(const std::string& line, Row& row) {
  const std::vector<std::string> fields = split(line);
  const auto numbers = numbers_of(row);
  if (fields.size() != numbers.size() + 1) return false;
  char* end = nullptr;
  row.step = std::strtoll(fields[0].c_str(), &end, 10);
  bool good = !fields[0].empty() && *end == '\0';
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    *numbers[i] = std::strtod(fields[i + 1].c_str(), &end);
    good = good && !fields[i + 1].empty() && *end == '\0';
  }
  return good;
}

/// Empty for what is no file, which might never end.
std::string content_of(const std::string& path) {
  std::ostringstream text;
  if (!std::filesystem::is_regular_file(path)) return "";
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

io::Line line_of(const std::string& name, const std::vector<Row>& rows,
                 const std::function<double(const Row&)>& value) {
  io::Line line{name, {}};
  for (const Row& row : rows) line.values.push_back(value(row));
  return line;
}

}  // namespace

History::History(const std::string& path, std::int64_t from) : path_(path) {
  const std::string before = from > 0 ? content_of(path) : "";
  if (!before.empty() && !before.starts_with(header))
    throw Error(ErrorCode::input,
                path + ": this is not the energy.csv of a simulation; name another folder with --output");
  if (!before.empty()) keep(before.substr(std::strlen(header)), from);
  file_.reset(std::fopen(path.c_str(), "wb"));
  std::string text = header;
  for (const Row& row : rows_) text += text_of(row);
  write(text);
}

/// The rows of steps before `before`, as far as they are whole: a run that was killed may have left half a row.
void History::keep(const std::string& text, std::int64_t before) {
  Row row;
  for (const std::string& line : split(text, '\n'))
    if (read_row(line, row) && row.step < before) rows_.push_back(row);
}

void History::fail() const {
  throw Error(ErrorCode::output,
              fmt::format("{}: cannot be written ({}); check the folder, its permissions and the space left", path_,
                          std::strerror(errno)));
}

void History::write(const std::string& text) {
  if (!file_ || std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size()) fail();
}

void History::add(const Row& row) {
  rows_.push_back(row);
  write(text_of(row));
}

void History::flush() {
  if (std::fflush(file_.get()) != 0) fail();
}

void History::draw(const std::string& path, const std::string& title) const {
  const auto line = [&](const char* name, const std::function<double(const Row&)>& value) {
    return line_of(name, rows_, value);
  };
  io::Chart chart;
  chart.title = title;
  chart.axis = "time";
  for (const Row& row : rows_) chart.places.push_back(row.time);
  chart.panels = {{"energy",
                   {line("kinetic", [](const Row& r) { return r.d.kinetic; }),
                    line("potential", [](const Row& r) { return r.d.potential; }),
                    line("total", [](const Row& r) { return r.d.total; })}},
                  {"relative change of the total energy", {line("change", [](const Row& r) { return r.change; })}},
                  {"virial ratio 2 K / |W|", {line("ratio", [](const Row& r) { return r.d.virial_ratio; })}}};
  io::draw_chart(path, chart);
}

}  // namespace farfield::cli
