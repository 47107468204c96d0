// Numbers inside sentences, as a person would type them.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

namespace farfield {

/// 1e-6 and 1e-4, where printf's %g writes 1e-06 and 0.0001; 0.05 and 59.7 as they are.
inline std::string number(double value, int digits = 3) {
  const bool small = value != 0 && std::fabs(value) < 0.01;
  char printed[40];
  std::snprintf(printed, sizeof printed, small ? "%.*e" : "%.*g", small ? digits - 1 : digits, value);
  const std::string text = printed;
  const auto e = text.find('e');
  if (e == text.npos) return text;
  std::string mantissa = text.substr(0, e);
  if (mantissa.find('.') != mantissa.npos) mantissa.erase(mantissa.find_last_not_of('0') + 1);
  if (mantissa.back() == '.') mantissa.pop_back();
  const auto exponent = std::min(text.find_first_not_of("+-0", e + 1), text.size() - 1);
  return mantissa + (text[e + 1] == '-' ? "e-" : "e") + text.substr(exponent);
}

}  // namespace farfield
