#include "cli/report/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "cli/terminal.hpp"

namespace farfield::cli {
namespace {

/// "1.0e-06" becomes "1.0e-6", "1e+03" becomes "1e3".
std::string without_padding(std::string text) {
  const auto e = text.find('e');
  if (e == text.npos) return text;
  std::string exponent = text.substr(e + 1);
  const bool negative = exponent[0] == '-';
  exponent.erase(0, exponent.find_first_not_of("+-0"));
  return text.substr(0, e) + (exponent.empty() ? "" : (negative ? "e-" : "e") + exponent);
}

struct Unit {
  double size;
  const char* name;
};

/// Three digits in the largest unit that leaves at least one before the point.
template <std::size_t N>
std::string in_units(double value, const std::array<Unit, N>& units) {
  std::size_t u = 0;
  while (u + 1 < N && std::fabs(value) >= 0.9995 * units[u + 1].size) ++u;
  const double scaled = value / units[u].size, size = std::fabs(scaled);
  const int digits = scaled == std::floor(scaled) && size < 1000 ? 0 : size < 9.995 ? 2 : size < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f}{}{}", scaled, digits, *units[u].name ? " " : "", units[u].name);
}

}  // namespace

std::string grouped(std::int64_t value) {
  const std::string plain = std::to_string(value);
  std::string text;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    text += plain[i];
    const std::size_t rest = plain.size() - 1 - i;
    if (rest > 0 && rest % 3 == 0 && plain[i] != '-') text += ',';
  }
  return text;
}

std::string scientific(double value) { return without_padding(fmt::format("{:.1e}", value)); }

std::string shortest(double value) {
  if (value == 0 || std::fabs(value) >= 0.01 || !std::isfinite(value))
    return without_padding(fmt::format("{:.6g}", value));
  std::string text = fmt::format("{:.5e}", value);  // 1e-4, where %g says 0.0001
  const auto e = text.find('e'), last = text.find_last_not_of("0.", e - 1);
  return without_padding(text.substr(0, std::max(last, text.find_first_of("123456789")) + 1) + text.substr(e));
}

std::string with_digits(double value, int digits) { return without_padding(fmt::format("{:.{}g}", value, digits)); }

std::string duration(double seconds) {
  static constexpr std::array<Unit, 6> units = {
      {{1e-6, "us"}, {1e-3, "ms"}, {1, "s"}, {60, "min"}, {3600, "h"}, {86400, "days"}}};
  if (seconds < 1e-6) return "0 s";
  return in_units(seconds, units);
}

std::string bytes(std::int64_t count) {
  static constexpr std::array<Unit, 5> units = {{{1, "bytes"}, {1e3, "kB"}, {1e6, "MB"}, {1e9, "GB"}, {1e12, "TB"}}};
  return in_units(static_cast<double>(count), units);
}

std::string about(double value) {
  static constexpr std::array<Unit, 5> units = {
      {{1, ""}, {1e3, "thousand"}, {1e6, "million"}, {1e9, "billion"}, {1e12, "trillion"}}};
  return std::fabs(value) < 1e15 ? in_units(value, units) : scientific(value);
}

std::string percent(double share) {
  double value = 100 * share;
  if (value < 100) value = std::min(value, value > 99.9 ? 99.99 : 99.9);
  return fmt::format("{:.{}f} %", value, value > 99.9 && value < 100 ? 2 : value >= 100 || value == 0 ? 0 : 1);
}

std::string plural(std::int64_t n, const char* one, const char* many) {
  return grouped(n) + " " + (n == 1 ? one : many);
}

std::string told(const io::Bodies& bodies) {
  static constexpr std::array<std::array<const char*, 3>, 3> words = {
      {{" bodies", "body", "bodies"}, {" charges", "charge", "charges"}, {" particles", "particle", "particles"}}};
  std::string text = printable(bodies.description);
  const std::string plain = std::to_string(bodies.all());
  bool counted = false;
  for (const auto& [many, one, all] : words)
    if (const auto at = text.find(plain + many); at != text.npos && !counted) {
      text.replace(at, plain.size() + std::string_view(many).size(), plural(bodies.all(), one, all));
      counted = true;
    }
  if (!counted) text = plural(bodies.all(), "body", "bodies") + (text.empty() ? "" : ", " + text);
  return text + (bodies.single ? ", coordinates float32" : "");
}

}  // namespace farfield::cli
