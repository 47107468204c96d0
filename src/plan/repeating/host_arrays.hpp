// Points, strengths and results of points that repeat, in double, beside the caller's arrays.
#pragma once
#include <array>
#include <farfield/plan.hpp>
#include <vector>

#include "plan/repeating/point_parts.hpp"

namespace farfield {

struct HostPoints {
  std::vector<double> x, y, z;
  std::int64_t count() const { return std::ssize(x); }
  Points view() const { return points(x.data(), y.data(), z.data(), count()); }
  void append(const HostPoints& other);
};

/// Throws Error for points in device memory and for views that a plan refuses.
HostPoints read_host(const Points& points);

std::vector<double> strengths_of(const Strengths& strengths, std::int64_t vector);

/// Results at all targets; empty where not asked for.
struct HostSums {
  std::vector<double> potential, gradient;
};

/// Whose the sums are: those of `apart` targets, then those of the sources where at_sources; apart = -1: the sources.
struct HostTargets {
  std::int64_t sources, apart;
  bool at_sources;
};

/// Writes those of one vector of strengths.
void deliver(const HostSums& sums, std::int64_t vector, const Outputs& outputs, const HostTargets& targets);

/// Of points at x about the origin: half of this and its transpose, -sum of q x_a g_b, as xx yy zz xy xz yz.
std::array<double, 6> virial_of(const Summed (&x)[3], const std::array<double, 3>& origin, const Summed& charge,
                                const Summed& gradient, const PointParts& parts, std::int64_t grain, int threads);

double squares_of(const std::vector<double>& values);

}  // namespace farfield
