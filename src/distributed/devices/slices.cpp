#include "distributed/devices/slices.hpp"

#include <farfield/error.hpp>

#include "backends/untyped.hpp"
#include "tree/geometry.hpp"

namespace farfield::distributed {

/// all * rank / ranks, whose product may be beyond 64 bits.
static std::int64_t begin_of(std::int64_t all, int rank, int ranks) {
  return all / ranks * rank + all % ranks * rank / ranks;
}

Slice slice_of(std::int64_t all, int rank, int ranks) {
  const std::int64_t begin = begin_of(all, rank, ranks);
  return {begin, begin_of(all, rank + 1, ranks) - begin};
}

Points part_of(const Points& points, Slice slice) {
  Points part = points;
  part.count = slice.count;
  for (const void*& axis : part.axis) axis = shifted(axis, slice.begin * points.stride, points.scalar);
  if (part.softening) part.softening += slice.begin;
  return part;
}

Strengths part_of(const Strengths& strengths, Slice slice) {
  Strengths part = strengths;
  part.count = slice.count;
  part.data = shifted(strengths.data, slice.begin * strengths.stride, strengths.scalar);
  if (part.pitch == 0) part.pitch = strengths.count * strengths.stride;
  part.dipoles = shifted(strengths.dipoles, slice.begin * strengths.dipole_stride, strengths.scalar);
  if (part.dipole_pitch == 0) part.dipole_pitch = strengths.count * strengths.dipole_stride;
  return part;
}

Outputs part_of(const Outputs& outputs, Slice targets, Slice sources) {
  Outputs part = outputs;
  part.potential = shifted(outputs.potential, targets.begin, outputs.scalar);
  part.gradient = shifted(outputs.gradient, 3 * targets.begin, outputs.scalar);
  part.hessian = shifted(outputs.hessian, 6 * targets.begin, outputs.scalar);
  part.source_hessian = shifted(outputs.source_hessian, 6 * sources.begin, outputs.scalar);
  part.source_potential = shifted(outputs.source_potential, sources.begin, outputs.scalar);
  part.source_gradient = shifted(outputs.source_gradient, 3 * sources.begin, outputs.scalar);
  return part;
}

void require_on_host(MemorySpace space, const char* what) {
  if (space != MemorySpace::host)
    throw Error(ErrorCode::device, std::string(what) +
                                       " are in device memory, but a plan over several devices reads and writes host "
                                       "memory; copy them there, or make a plan on one device");
}

void require_whole(const Points& points, const char* what) {
  require_on_host(points.space, (std::string(what) + "s").c_str());
  Points all = points;
  if (!all.axis[2]) all.axis[2] = all.axis[1];  // may be missing in the plane; of others the ranks say it
  check_view(all, what);
}

}  // namespace farfield::distributed
