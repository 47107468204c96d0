// What LAMMPS looks for in a plugin, and a second entrance for builds without the PLUGIN package.
#include "error.h"
#include "force.h"
#include "kspace_farfield.hpp"

namespace {

LAMMPS_NS::KSpace* create(LAMMPS_NS::LAMMPS* lmp) { return new farfield::lammps::KSpaceFarfield(lmp); }

/// lammpsplugin_t of LAMMPS' lammpsplugin.h, which packages do not install.
struct Plugin {
  const char *version, *style, *name, *info, *author;
  void* creator;
  void* handle;
};

}  // namespace

extern "C" {

/// plugin load farfieldplugin.so
__attribute__((visibility("default"))) void lammpsplugin_init(void* lmp, void* handle, void* register_plugin) {
  Plugin plugin{nullptr,
                "kspace",
                "farfield",
                "kspace style farfield",
                "the Farfield developers",
                reinterpret_cast<void*>(&create),
                handle};
  reinterpret_cast<void (*)(Plugin*, void*)>(register_plugin)(&plugin, lmp);
}

/// For a LAMMPS without `plugin load`: farfield_lammps_register(the handle of lammps_open).
__attribute__((visibility("default"))) void farfield_lammps_register(void* lmp) {
  (*static_cast<LAMMPS_NS::LAMMPS*>(lmp)->force->kspace_map)["farfield"] = &create;
}
}
