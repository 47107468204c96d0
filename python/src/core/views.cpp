// Arrays of Python as views: pointers, counts and strides, never a copy.
#include "core.hpp"

namespace farfield::python {

static Scalar scalar_type(const Array& array) {
  return array.dtype() == nb::dtype<float>() ? Scalar::float32 : Scalar::float64;
}

static MemorySpace space_of(int device_type) {
  return device_type == nb::device::cuda::value ? MemorySpace::device : MemorySpace::host;
}

static void* as_stream(Stream stream) { return reinterpret_cast<void*>(stream); }

int device_of(const Array& array) {
  return space_of(array.device_type()) == MemorySpace::device ? static_cast<int>(array.device_id()) : on_host;
}

void require_beside(int points, const Array& strengths) {
  const int own = device_of(strengths);
  if (points != on_host && own != on_host && own != points)
    throw Error(ErrorCode::device, "strengths are on device " + std::to_string(own) +
                                       ", and the points of the plan on " + std::to_string(points) +
                                       "; pass both on one device");
}

/// One view has one memory for all its arrays.
static void require_one(int first, int other, const char* what) {
  if (first != other)
    throw Error(ErrorCode::input, std::string(what) +
                                      " lie in different memories; pass all of them in host memory, or "
                                      "all on one device");
}

Points points_of(const Array& positions, const MaybeArray& softening, Stream stream) {
  Points points;
  points.stream = as_stream(stream);
  points.count = static_cast<std::int64_t>(positions.shape(0));
  points.stride = points.count > 1 ? positions.stride(0) : 3;
  points.scalar = scalar_type(positions);
  points.space = space_of(positions.device_type());
  const auto* first = static_cast<const char*>(positions.data());
  for (std::size_t axis = 0; first && axis < positions.shape(1); ++axis)
    points.axis[axis] = first + static_cast<std::int64_t>(axis) * positions.stride(1) * positions.itemsize();
  if (softening) points.softening = static_cast<const double*>(softening->data());
  return points;
}

/// The axis of an array that counts sources; densities stand before it.
static std::size_t axis_of_sources(const Array& array, std::size_t components) {
  return array.ndim() - 1 - (components > 1 ? 1 : 0);
}

Strengths strengths_of(const MaybeArray& strengths, const MaybeArray& dipoles, Stream stream) {
  if (strengths && dipoles) require_one(device_of(*strengths), device_of(*dipoles), "strengths and dipoles");
  Strengths view;
  view.stream = as_stream(stream);
  const auto lay = [&](const Array& array, std::size_t components, std::int64_t& stride, std::int64_t& pitch) {
    const std::size_t axis = axis_of_sources(array, components);
    view.count = static_cast<std::int64_t>(array.shape(axis));
    view.vectors = axis > 0 ? static_cast<std::int64_t>(array.shape(0)) : 1;
    if (view.count > 1) stride = array.stride(axis);
    pitch = view.vectors > 1 ? array.stride(0) : 0;
    view.scalar = scalar_type(array);
    view.space = space_of(array.device_type());
  };
  if (dipoles) {
    if (dipoles->stride(dipoles->ndim() - 1) != 1 && dipoles->size() > 0)
      throw Error(ErrorCode::input, "x y z of a dipole do not follow each other; pass contiguous dipoles");
    lay(*dipoles, 3, view.dipole_stride, view.dipole_pitch);
    view.dipoles = dipoles->data();
  }
  if (strengths) {
    lay(*strengths, 1, view.stride, view.pitch);
    view.data = strengths->data();
  }
  return view;
}

Outputs outputs_of(const OutputArrays& arrays, Stream stream) {
  Outputs outputs;
  outputs.stream = as_stream(stream);
  std::optional<int> memory;
  const auto place = [&](const MaybeMutableArray& array, void*& pointer) {
    if (!array) return;
    const int own = device_of(Array(*array));
    require_one(memory.value_or(own), own, "the arrays of out");
    memory = own;
    pointer = array->data();
    outputs.scalar = array->dtype() == nb::dtype<float>() ? Scalar::float32 : Scalar::float64;
    outputs.space = space_of(array->device_type());
  };
  place(arrays.potential, outputs.potential);
  place(arrays.gradient, outputs.gradient);
  place(arrays.hessian, outputs.hessian);
  place(arrays.source_potential, outputs.source_potential);
  place(arrays.source_gradient, outputs.source_gradient);
  place(arrays.source_hessian, outputs.source_hessian);
  if (arrays.virial) outputs.virial = static_cast<double*>(arrays.virial->data());
  return outputs;
}

}  // namespace farfield::python
