// farfield._core: the library as farfield's own Python files use it; users import farfield.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "core.hpp"

namespace nb = nanobind;

NB_MODULE(_core, module) {
  using namespace farfield;
  python::bind_errors(module);
  python::bind_options(module);
  python::bind_report(module);
  python::bind_plan(module);
  python::bind_biot_savart(module);
  python::bind_coulomb(module);
  python::bind_motion(module);
  python::bind_density(module);
#ifdef FARFIELD_PYTHON_FILES
  python::bind_bodies(module);
#endif
#ifdef FARFIELD_PYTHON_JAX
  python::bind_jax(module);
#endif
  module.attr("version") = FARFIELD_VERSION;
  nb::class_<DeviceInfo>(module, "DeviceInfo")
      .def_ro("name", &DeviceInfo::name)
      .def_ro("major", &DeviceInfo::major)
      .def_ro("minor", &DeviceInfo::minor)
      .def_ro("multiprocessors", &DeviceInfo::multiprocessors)
      .def_ro("memory_bytes", &DeviceInfo::memory_bytes)
      .def_ro("free_bytes", &DeviceInfo::free_bytes);
  module.def("devices", &devices, "GPUs of this machine in CUDA's order.");
  module.def("built_with_cuda", &built_with_cuda, "Is backend cuda part of this build?");
}
