#include "plan/repeating/host_arrays.hpp"

#include <farfield/error.hpp>

#include "backends/virial_sum.hpp"

namespace farfield {

void HostPoints::append(const HostPoints& other) {
  x.insert(x.end(), other.x.begin(), other.x.end());
  y.insert(y.end(), other.y.begin(), other.y.end());
  z.insert(z.end(), other.z.begin(), other.z.end());
}

HostPoints read_host(const Points& p) {
  if (p.space != MemorySpace::host)
    throw Error(ErrorCode::device, "points that repeat in device memory are not offered; use host memory");
  if (p.count < 0 || (p.count > 0 && (!p.axis[0] || !p.axis[1])) || (p.count > 1 && p.stride < 1)) {
    Options plain;  // a plan finds the words for what is wrong with a view
    plain.method = Method::direct;
    Plan(p, plain);
  }
  HostPoints flat;
  std::vector<double>* const to[] = {&flat.x, &flat.y, &flat.z};
  for (int axis = 0; axis < 3; ++axis)
    for (std::int64_t i = 0; i < p.count; ++i)
      to[axis]->push_back(!p.axis[axis] ? 0.0
                          : p.scalar == Scalar::float32
                              ? static_cast<double>(static_cast<const float*>(p.axis[axis])[i * p.stride])
                              : static_cast<const double*>(p.axis[axis])[i * p.stride]);
  return flat;
}

std::vector<double> strengths_of(const Strengths& s, std::int64_t vector) {
  const std::int64_t pitch = s.pitch ? s.pitch : s.count * s.stride;
  std::vector<double> q;
  q.reserve(static_cast<std::size_t>(s.count));
  for (std::int64_t j = 0; j < s.count; ++j) {
    const std::int64_t at = vector * pitch + j * s.stride;
    q.push_back(s.scalar == Scalar::float32 ? static_cast<double>(static_cast<const float*>(s.data)[at])
                                            : static_cast<const double*>(s.data)[at]);
  }
  return q;
}

template <class T>
static void write(void* to, std::int64_t first, const double* from, std::int64_t count) {
  for (std::int64_t i = 0; to && i < count; ++i) static_cast<T*>(to)[first + i] = static_cast<T>(from[i]);
}

void deliver(const HostSums& sums, std::int64_t vector, const Outputs& o, const HostTargets& targets) {
  const bool alike = targets.apart < 0;
  const std::int64_t n = targets.sources, first = alike ? n : targets.apart,
                     rest = alike || !targets.at_sources ? 0 : n;
  const auto write_as = o.scalar == Scalar::float32 ? write<float> : write<double>;
  const auto both = [&](void* at_targets, void* at_sources, const std::vector<double>& from, std::int64_t width) {
    if (from.empty()) return;
    write_as(alike && !at_targets ? at_sources : at_targets, width * vector * first, from.data(), width * first);
    if (rest > 0) write_as(at_sources, width * vector * rest, from.data() + width * first, width * rest);
  };
  both(o.gradient, o.source_gradient, sums.gradient, 3);
  both(o.potential, o.source_potential, sums.potential, 1);
}

std::array<double, 6> virial_of(const Summed (&x)[3], const std::array<double, 3>& origin, const Summed& charge,
                                const Summed& gradient, const PointParts& parts, std::int64_t grain, int threads) {
  return sum_in_pieces<6>(parts, grain, charge.count(), threads, [&](std::int64_t i, double* sum) {
    double from_origin[3], force[3];
    for (int a = 0; a < 3; ++a)
      from_origin[a] = x[a][i] - origin[static_cast<std::size_t>(a)], force[a] = -charge[i] * gradient[3 * i + a];
    add_virial(from_origin, force, sum);
  });
}

double squares_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return sum;
}

}  // namespace farfield
