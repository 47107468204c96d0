// Results as an npz archive, what numpy.load gives back as a dictionary of arrays; or as the one array of an npy.
#include "io/binary/npy.hpp"
#include "io/binary/zip.hpp"
#include "io/write.hpp"

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

// Lists side by side as the columns of one array; `width` is how many numbers each has per body.
struct Part {
  const std::vector<double>* values;
  std::size_t width;
};

void put_columns(Output& out, std::int64_t n, const std::vector<Part>& parts) {
  std::size_t width = 0;
  for (const Part& part : parts) width += part.width;
  out.write(npy_header("f8", {n, static_cast<std::int64_t>(width)}));
  constexpr std::size_t chunk = std::size_t{1} << 17;
  std::vector<double> rows;
  for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
    for (const auto& [values, each] : parts)
      for (std::size_t c = 0; c < each; ++c) rows.push_back((*values)[each * i + c]);
    if (rows.size() < chunk) continue;
    out.write(bytes_of(rows));
    rows.clear();
  }
  out.write(bytes_of(rows));
}

}  // namespace

void write_npy(Output& out, const Results& results) {
  const Bodies& bodies = *results.bodies;
  const std::int64_t n = bodies.count();
  if (present(results, results.potential) && !present(results, results.gradient)) {
    out.write(npy_header("f8", {n}));
    return out.write(bytes_of(*results.potential));
  }
  if (present(results, results.potential)) return put_columns(out, n, {{results.potential, 1}, {results.gradient, 3}});
  if (present(results, results.gradient)) return put_columns(out, n, {{results.gradient, 3}});
  if (present(results, &bodies.strengths)) return put_columns(out, n, {{&bodies.positions, 3}, {&bodies.strengths, 1}});
  put_columns(out, n, {{&bodies.positions, 3}});
}

void write_npz(Output& out, const Results& results) {
  const Bodies& bodies = *results.bodies;
  const std::int64_t n = bodies.count();
  ZipWriter zip(out);
  add_positions(zip, bodies);
  if (static_cast<std::int64_t>(bodies.strengths.size()) == n) add(zip, "strengths", bodies.strengths, {n});
  if (present(results, results.potential)) add(zip, "potential", *results.potential, {n});
  if (present(results, results.gradient)) add(zip, results.vector, *results.gradient, {n, 3});
  const auto names = column_names(bodies, names_of_vector(results));
  for (std::size_t c = 0; c < names.size(); ++c) add(zip, names[c], bodies.extra[c].values, {n});
  zip.finish();
}

}  // namespace farfield::io
