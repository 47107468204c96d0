// Results as an npz archive: what numpy.load gives back as a dictionary of arrays.
#include "npy.hpp"
#include "write.hpp"
#include "zip.hpp"

namespace farfield::io {
namespace {

template <class T>
std::string_view bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

void add(ZipWriter& zip, const std::string& name, const std::vector<double>& values, std::vector<std::int64_t> shape) {
  zip.add(name + ".npy", npy_header("f8", shape), bytes_of(values));
}

void add_positions(ZipWriter& zip, const Bodies& bodies) {
  if (!bodies.single) return add(zip, "positions", bodies.positions, {bodies.count(), 3});
  const std::vector<float> narrow(bodies.positions.begin(), bodies.positions.end());
  zip.add("positions.npy", npy_header("f4", {bodies.count(), 3}), bytes_of(narrow));
}

}  // namespace

void write_npz(Output& out, const Results& results) {
  const Bodies& bodies = *results.bodies;
  const std::int64_t n = bodies.count();
  ZipWriter zip(out);
  add_positions(zip, bodies);
  if (static_cast<std::int64_t>(bodies.strengths.size()) == n) add(zip, "strengths", bodies.strengths, {n});
  if (present(results.potential)) add(zip, "potential", *results.potential, {n});
  if (present(results.gradient)) add(zip, "gradient", *results.gradient, {n, 3});
  const auto names = column_names(bodies);
  for (std::size_t c = 0; c < names.size(); ++c) add(zip, names[c], bodies.extra[c].values, {n});
  zip.finish();
}

}  // namespace farfield::io
