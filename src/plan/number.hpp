// Numbers inside sentences, as a person would type them.
#pragma once
#include <algorithm>
#include <cstdio>
#include <string>

namespace farfield {

/// 1e-6, where printf writes 1e-06.
inline std::string number(double value, int digits = 3) {
  char printed[32];
  std::snprintf(printed, sizeof printed, "%.*g", digits, value);
  const std::string text = printed;
  const auto e = text.find('e');
  if (e == text.npos) return text;
  const auto exponent = std::min(text.find_first_not_of("+-0", e + 1), text.size() - 1);
  return text.substr(0, e) + (text[e + 1] == '-' ? "e-" : "e") + text.substr(exponent);
}

}  // namespace farfield
