#include "backends/cpu/transfer/lengths.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/number.hpp"
#include "tree/built_tree.hpp"

namespace farfield::cpu {

static void add(LengthRange& range, double length, const char* what, std::int64_t index) {
  if (!(length >= 0) || !std::isfinite(length))
    throw Error(ErrorCode::input, std::string(what) + " " + std::to_string(index) + ": softening " + number(length) +
                                      " is not a length; use a finite number of at least 0, which is none");
  range.add(length);
}

void add_lengths(LengthRange& range, const Points& points, const char* what) {
  check_view(points, what);
  for (std::int64_t i = 0; i < points.count; ++i) add(range, points.softening[i], what, i);
}

LengthRange survey_lengths(const Points& sources, const Points* targets, double otherwise) {
  LengthRange range;
  range.given = sources.softening || (targets && targets->softening);
  const auto add_all = [&](const Points& points, const char* what) {
    if (!points.softening) return add(range, otherwise, what, 0);
    add_lengths(range, points, what);
  };
  if (!range.given) return range;
  add_all(sources, "source");
  if (targets) add_all(*targets, "target");
  return range;
}

std::vector<double> all_lengths(const Points& a, const Points* b, double otherwise) {
  std::vector<double> all;
  for (const Points* points : {&a, b}) {
    if (!points) continue;
    if (points->softening)
      all.insert(all.end(), points->softening, points->softening + points->count);
    else
      all.insert(all.end(), static_cast<std::size_t>(points->count), otherwise);
  }
  return all;
}

void gather_lengths(const Points& points, const Array<std::uint32_t>& order, double factor, int exponent,
                    Array<double>& sorted) {
  sorted.resize(points.count + padding);
  for (std::int64_t i = 0; i < points.count; ++i) sorted[i] = std::ldexp(points.softening[order[i]] * factor, exponent);
  std::fill_n(sorted.data() + points.count, padding, points.count > 0 ? sorted[points.count - 1] : 0.0);
}

}  // namespace farfield::cpu
