#include "io/picture/ticks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace farfield::io {
namespace {

int exponent_of(double value) { return static_cast<int>(std::floor(std::log10(value) + 1e-9)); }

// 10^exponent. Small powers are quotients, so that they are the doubles nearest to them.
double power_of_ten(int exponent) { return exponent < 0 ? 1 / std::pow(10.0, -exponent) : std::pow(10.0, exponent); }

std::string fixed(double value, int decimals) {
  const std::string text = fmt::format("{:.{}f}", value, std::clamp(decimals, 0, 17));
  return text.find_first_of("123456789") == text.npos && text.starts_with('-') ? text.substr(1) : text;
}

// Very large and very small numbers are written in units of a power of ten.
void write_labels(Ticks& ticks, double step) {
  double size = 0;
  for (const double place : ticks.places) size = std::max(size, std::abs(place));
  const bool plain = size < 1e6 && step > 0.9e-4;
  const int unit = plain ? 0 : exponent_of(size);
  if (!plain) ticks.unit = fmt::format(" / 1e{}", unit);
  for (const double place : ticks.places)
    ticks.labels.push_back(fixed(plain ? place : place / power_of_ten(unit), unit - exponent_of(step)));
}

}  // namespace

double round_length(double most) {
  const int exponent = exponent_of(most);
  const double unit = power_of_ten(exponent);
  for (const double digit : {5.0, 2.0})
    if (digit * unit <= most) return digit * unit;
  return unit;
}

Ticks make_ticks(double low, double high, int most) {
  const double least = high / (most - 1) - low / (most - 1);  // the step must not be shorter
  double step = round_length(least);
  for (int i = 0; i < 3 && step < least; ++i) step = round_length(2.6 * step);
  Ticks ticks;
  const double from = std::ceil(low / step - 1e-9), to = std::floor(high / step + 1e-9);
  // Far from zero ticks would differ in late digits only: there they count from the first one.
  const bool apart = std::max(std::abs(from), std::abs(to)) >= 1e5;
  const double start = apart ? from * step : 0;
  if (apart) ticks.shift = fmt::format(" {} {}", start < 0 ? '+' : '-', std::abs(start));
  for (double k = from; k <= to; ++k) ticks.places.push_back(apart ? (k - from) * step : k * step);
  write_labels(ticks, step);
  for (double& place : ticks.places) place += start;
  return ticks;
}

std::string Ticks::caption(const std::string& name) const {
  return shift.empty() || unit.empty() ? name + shift + unit : "(" + name + shift + ")" + unit;
}

std::string short_number(double value, int digits) {
  if (digits <= 4 && std::abs(value) >= 1e3 && std::abs(value) < 1e6) return fmt::format("{:.0f}", value);
  std::string text = fmt::format("{:.{}g}", value, digits);
  const auto e = text.find('e');
  if (e == text.npos) return text;
  std::string exponent = text.substr(e + 1);
  const bool negative = exponent[0] == '-';
  exponent.erase(0, exponent.find_first_not_of("+-0"));
  return text.substr(0, e) + (negative ? "e-" : "e") + exponent;
}

}  // namespace farfield::io
