// Tables 2 and 3 of Cruz, Layton & Barba 2011 on today's device: all translations of levels 2 ... last in one launch.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "plane_levels.hpp"

namespace farfield::lab {

/// How a target's 27 translations are done, and by how many warps for each 32 targets.
struct PlaneVariant {
  std::string name;
  int groups;
};

class PlaneM2l {
 public:
  /// p = 8, 12 or 16.
  explicit PlaneM2l(const PlaneLevels& levels);
  ~PlaneM2l();
  /// "orbits": one product with Pascal's matrix per orbit; "pascal": one per translation; "matrix": complex entries of
  /// a table, 8 p^2 flops. With 1, 2 and 4 groups.
  static std::vector<PlaneVariant> variants();
  void run(const PlaneVariant& variant, void* stream = nullptr);
  void copy_multipoles_to_device();
  void copy_locals_to_host();
  /// [box][l][re, im], as copied.
  std::vector<float> locals() const;
  void clear();

 private:
  struct Device;
  std::unique_ptr<Device> device_;
};

}  // namespace farfield::lab
