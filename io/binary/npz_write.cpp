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

void add(ZipWriter& zip, const ResultList& list, std::int64_t n) {
  const std::size_t size = sizeof(double) * static_cast<std::size_t>(n * list.width);
  const std::string_view bytes(reinterpret_cast<const char*>(list.values), size);
  const auto shape = list.width == 1 ? std::vector<std::int64_t>{n} : std::vector<std::int64_t>{n, list.width};
  zip.add(list.name + ".npy", npy_header("f8", shape), bytes);
}

void add_positions(ZipWriter& zip, const Bodies& bodies) {
  if (!bodies.single) return add(zip, "positions", bodies.positions, {bodies.count(), 3});
  const std::vector<float> narrow(bodies.positions.begin(), bodies.positions.end());
  zip.add("positions.npy", npy_header("f4", {bodies.count(), 3}), bytes_of(narrow));
}

// Lists side by side as the columns of one array; `width` is how many numbers each has per body.
struct Part {
  const double* values;
  std::int64_t width;
};

void put_columns(Output& out, std::int64_t n, const std::vector<Part>& parts) {
  std::int64_t width = 0;
  for (const Part& part : parts) width += part.width;
  const bool one = parts.size() == 1 && width == 1;
  out.write(npy_header("f8", one ? std::vector<std::int64_t>{n} : std::vector<std::int64_t>{n, width}));
  constexpr std::size_t chunk = std::size_t{1} << 17;
  std::vector<double> rows;
  for (std::int64_t i = 0; i < n; ++i) {
    for (const auto& [values, each] : parts) rows.insert(rows.end(), values + each * i, values + each * (i + 1));
    if (rows.size() < chunk) continue;
    out.write(bytes_of(rows));
    rows.clear();
  }
  out.write(bytes_of(rows));
}

}  // namespace

void write_npy(Output& out, const Results& results) {
  const Bodies& bodies = *results.bodies;
  std::vector<Part> parts;
  for (const ResultList& list : lists_of(results)) parts.push_back({list.values, list.width});
  if (parts.empty()) {
    parts.push_back({bodies.positions.data(), 3});
    if (present(results, &bodies.strengths)) parts.push_back({bodies.strengths.data(), 1});
  }
  put_columns(out, bodies.count(), parts);
}

void write_npz(Output& out, const Results& results) {
  const Bodies& bodies = *results.bodies;
  const std::int64_t n = bodies.count();
  ZipWriter zip(out);
  add_positions(zip, bodies);
  if (static_cast<std::int64_t>(bodies.strengths.size()) == n) add(zip, "strengths", bodies.strengths, {n});
  for (const ResultList& list : lists_of(results)) add(zip, list, n);
  const auto names = column_names(bodies, names_of_results(results));
  for (std::size_t c = 0; c < names.size(); ++c) add(zip, names[c], bodies.extra[c].values, {n});
  zip.finish();
}

}  // namespace farfield::io
