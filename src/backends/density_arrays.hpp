// Arrays of the densities that are summed together, in tree order: [density][pitch], the pitches those of the work.
#pragma once
#include "core/results.hpp"

namespace farfield {

/// `Array`: of numbers of the precision, in the backend's memory.
template <class Array>
struct DensityArrays {
  Array strength[with_dipole], multipole, local, result[most_parts];

  template <class Memory>
  void use(Memory& memory) {
    for (Array& moment : strength) moment.use(memory);
    for (Array& part : result) part.use(memory);
    multipole.use(memory), local.use(memory);
  }
  void resize_results(int parts, std::int64_t count) {
    for (int part = first_part(parts); part < end_part(parts); ++part) result[part].resize(count);
  }

  /// Has `work` sum the density at this place, which has so many moments, and results of these parts.
  template <class Work>
  void point_at(int place, int moments, int parts, Work& work) {
    const std::int64_t strengths = place * work.strength_pitch, expansions = place * work.expansion_pitch;
    work.strength = strength[0].data() + strengths;
    for (int axis = 0; axis < 3; ++axis)
      work.dipole[axis] = moments == with_dipole ? strength[1 + axis].data() + strengths : nullptr;
    work.multipole = multipole.data() + expansions;
    work.local = local.data() + expansions;
    for (int part = 0; part < most_parts; ++part) {
      const bool summed = part >= first_part(parts) && part < end_part(parts);
      work.result.part[part] = summed ? result[part].data() + place * work.result_pitch : nullptr;
    }
  }
};

}  // namespace farfield
