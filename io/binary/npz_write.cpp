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

void add(ZipWriter& zip, const ResultList& list, std::int64_t n, std::int64_t all) {
  const std::size_t size = sizeof(double) * static_cast<std::size_t>(n * list.width);
  const std::string_view bytes(reinterpret_cast<const char*>(list.values), size);
  const auto shape = list.width == 1 ? std::vector<std::int64_t>{all} : std::vector<std::int64_t>{all, list.width};
  zip.add(list.name + ".npy", npy_header("f8", shape), bytes);
}

void add_positions(ZipWriter& zip, const Bodies& bodies) {
  if (!bodies.single) return add(zip, "positions", bodies.positions, {bodies.all(), 3});
  const std::vector<float> narrow(bodies.positions.begin(), bodies.positions.end());
  zip.add("positions.npy", npy_header("f4", {bodies.all(), 3}), bytes_of(narrow));
}

// Lists side by side as the columns of one array; `width` is how many numbers each has per body.
struct Side {
  const double* values;
  std::int64_t width;
};

void put_columns(Sink& out, std::int64_t n, std::int64_t all, const std::vector<Side>& sides) {
  std::int64_t width = 0;
  for (const Side& side : sides) width += side.width;
  const bool one = sides.size() == 1 && width == 1;
  out.write(npy_header("f8", one ? std::vector<std::int64_t>{all} : std::vector<std::int64_t>{all, width}));
  out.begin_rows(sizeof(double) * static_cast<std::uint64_t>(n * width));
  constexpr std::size_t chunk = std::size_t{1} << 17;
  std::vector<double> rows;
  for (std::int64_t i = 0; i < n; ++i) {
    for (const auto& [values, each] : sides) rows.insert(rows.end(), values + each * i, values + each * (i + 1));
    if (rows.size() < chunk) continue;
    out.write_rows(bytes_of(rows));
    rows.clear();
  }
  out.write_rows(bytes_of(rows));
}

}  // namespace

void write_npy(Sink& out, const Results& results) {
  const Bodies& bodies = *results.bodies;
  std::vector<Side> sides;
  for (const ResultList& list : lists_of(results)) sides.push_back({list.values, list.width});
  if (sides.empty()) {
    sides.push_back({bodies.positions.data(), 3});
    if (has_strengths(out, results)) sides.push_back({bodies.strengths.data(), 1});
  }
  put_columns(out, bodies.count(), bodies.all(), sides);
}

void write_npz(Sink& out, const Results& results) {
  const Bodies& bodies = *results.bodies;
  const std::int64_t n = bodies.count(), all = bodies.all();
  ZipWriter zip(out);
  add_positions(zip, bodies);
  if (has_strengths(out, results)) add(zip, "strengths", bodies.strengths, {all});
  for (const ResultList& list : lists_of(results)) add(zip, list, n, all);
  const auto names = column_names(bodies, names_of_results(results));
  for (std::size_t c = 0; c < names.size(); ++c) add(zip, names[c], bodies.extra[c].values, {all});
  zip.finish();
}

}  // namespace farfield::io
