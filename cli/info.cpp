// `farfield info`: what this machine offers, or what is in a file.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <farfield/farfield.hpp>
#include <fstream>
#include <thread>

#include "cli/commands.hpp"
#include "cli/report/numbers.hpp"
#include "cli/report/text.hpp"
#include "cli/report/values.hpp"
#include "io/bodies.hpp"

namespace farfield::cli {
namespace {

/// Asks the library itself, with a plan for two points: no second table here that could disagree with it.
bool offered(Options options) {
  static constexpr std::array<double, 6> two_points = {0, 0, 0, 1, 1, 1};
  try {
    options.threads = 1;
    Plan plan(points(two_points), options);
    return true;
  } catch (const Error& error) {
    if (error.code() == ErrorCode::device) return false;
    throw;
  }
}

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name") && line.find(": ") != line.npos) return line.substr(line.find(": ") + 2);
  return "";
}

/// "NVIDIA H200, sm_90, 132 multiprocessors, 139.7 of 140.4 GiB free"
std::string described(const DeviceInfo& d) {
  const auto gib = [](std::int64_t bytes) { return static_cast<double>(bytes) / (1 << 30); };
  return fmt::format("{}, sm_{}{}, {} multiprocessors, {:.1f} of {:.1f} GiB free", d.name, d.major, d.minor,
                     d.multiprocessors, gib(d.free_bytes), gib(d.memory_bytes));
}

/// Backends, and the devices of cuda one by one.
std::string graphics(const Terminal& t) {
  const std::vector<DeviceInfo> found = devices();
  const char* backends = built_with_cuda() ? found.empty() ? "cpu; cuda finds no device here" : "cpu, cuda, hybrid"
                                           : "cpu; cuda is not part of this build";
  std::string text = section("Backends", backends, t);
  for (std::size_t i = 0; i < found.size(); ++i)
    text += section(i == 0 ? "Devices" : "", fmt::format("{}: {}", i, described(found[i])), t);
  return text;
}

std::string machine(const Terminal& t) {
  std::vector<std::string> levels = {"baseline"};
  if (offered({.simd = Simd::avx2})) levels.push_back("avx2");
  if (offered({.simd = Simd::avx512})) levels.push_back("avx512");
  const std::string model = processor();
  return section("Farfield", FARFIELD_VERSION, t) + (model.empty() ? "" : section("Processor", model, t)) +
         section("Threads", grouped(std::thread::hardware_concurrency()), t) +
         section("SIMD", joined(levels, ", ") + "; the last is taken", t) +
         section("Precision", "single, double; single is taken where it can reach the tolerance", t) + graphics(t);
}

/// "-1.5 .. 2.25", over every `stride`th value from `first`.
std::string range(const std::vector<double>& values, std::size_t first, std::size_t stride) {
  double low = values[first], high = low;
  for (std::size_t i = first; i < values.size(); i += stride) {
    if (std::isnan(values[i])) return "contains not-a-numbers";
    low = std::min(low, values[i]), high = std::max(high, values[i]);
  }
  if (low == high) return "all " + shortest(low);
  // Ends far from zero that lie close together take more digits before they differ, and three more to show by how much.
  const double apart = std::max(std::fabs(low), std::fabs(high)) / (high - low);
  const int digits = std::isfinite(apart) ? std::clamp(static_cast<int>(std::log10(apart)) + 4, 6, 17) : 6;
  return with_digits(low, digits) + " .. " + with_digits(high, digits);
}

std::string strengths(const std::vector<double>& q, const Terminal& t) {
  if (q.empty()) return section("Strengths", "none: good as targets, not as sources", t);
  double sum = 0, size = 0;
  for (const double value : q) sum += value, size += std::fabs(value);
  return section("Strengths", range(q, 0, 1), t) +
         section("",
                 fmt::format("sum {}{}", shortest(sum), sum == size ? "" : ", of absolute values " + shortest(size)),
                 t);
}

/// What the file brings beside the bodies, from an earlier run or from another program: a file does not say.
std::vector<std::string> results_of(const io::Bodies& b) {
  std::vector<std::string> names;
  if (!b.reference_potential.empty()) names.emplace_back("potentials");
  if (!b.reference_gradient.empty()) names.emplace_back("gradients");
  if (!b.reference_hessian.empty()) names.emplace_back("Hessians");
  return names;
}

std::string contents(const std::string& path, const io::Reading& reading, const Terminal& t) {
  const io::Bodies b = io::read_points(path, reading);
  std::string text = section("File", path == "-" ? "standard input" : printable(path), t) + section("", told(b), t);
  if (b.count() > 0) {
    for (const std::size_t axis : {0u, 1u, 2u})
      text += section(axis == 0 ? "Extent" : "", fmt::format("{}  {}", "xyz"[axis], range(b.positions, axis, 3)), t);
    text += strengths(b.strengths, t);
  }
  for (const io::Column& column : b.extra)
    text += section(&column == b.extra.data() ? "Columns" : "",
                    printable(column.name) + (column.values.empty() ? "" : "  " + range(column.values, 0, 1)), t);
  for (const auto& number : b.numbers)
    text += section(&number == b.numbers.data() ? "Numbers" : "",
                    printable(number.first) + "  " + shortest(number.second), t);
  if (const std::vector<std::string> names = results_of(b); !names.empty())
    text += section("Results",
                    joined(names, " and ") + (b.references_apply ? ", which a run compares with its own"
                                                                 : ", not of the sum that a run computes"),
                    t);
  for (const std::string& warning : b.warnings)
    text += t.warn("Warning") + "     " + t.wrap(printable(warning), heading_width) + "\n";
  return text;
}

}  // namespace

void info(const std::string& file, const io::Reading& reading) {
  const Terminal terminal = Terminal::of(stdout);
  print(file.empty() ? machine(terminal) : contents(file, reading, terminal));
}

}  // namespace farfield::cli
