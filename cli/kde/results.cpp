#include "cli/kde/results.hpp"

#include "density/sphere.hpp"
#include "io/arrays.hpp"
#include "io/results.hpp"

namespace farfield::cli {
namespace {

io::Array bandwidth_of(const Question& q) {
  const auto d = static_cast<std::int64_t>(q.dimension());
  if (q.sphere) return {"bandwidth", {q.bandwidth.along(0)}, {}};
  io::Array h{"bandwidth", {}, {d, d}};
  for (int row = 0; row < d; ++row)
    for (int column = 0; column < d; ++column) {
      double sum = 0;  // H = L L^T
      for (int k = 0; k < d; ++k) sum += q.bandwidth.get(row, k) * q.bandwidth.get(column, k);
      h.values.push_back(sum);
    }
  return h;
}

io::Table table_of(const Question& q, const std::vector<double>& density) {
  io::Table table{axis_names(q), {}};
  const std::size_t d = table.names.size();
  table.names.emplace_back("density");
  table.values.reserve(density.size() * (d + 1));
  for (std::size_t i = 0; i < density.size(); ++i) {
    for (std::size_t axis = 0; axis < d; ++axis) table.values.push_back(q.at()[d * i + axis]);
    table.values.push_back(density[i]);
  }
  return table;
}

std::vector<io::Array> arrays_of(const Question& q, const std::vector<double>& density) {
  const auto n = static_cast<std::int64_t>(density.size());
  std::vector<io::Array> arrays;
  if (!q.grid) {
    arrays.push_back({"density", density, {n}});
    arrays.push_back({"positions", q.at(), {n, q.dimension()}});
  } else {
    io::Array whole{"density", density, {}};
    for (int axis = q.dimension(); axis-- > 0;) whole.shape.push_back(q.grid->count[static_cast<std::size_t>(axis)]);
    arrays.push_back(std::move(whole));
    const auto names = axis_names(q);
    for (int axis = 0; axis < q.dimension(); ++axis)
      arrays.push_back({names[static_cast<std::size_t>(axis)],
                        q.grid->places(axis),
                        {q.grid->count[static_cast<std::size_t>(axis)]}});
  }
  arrays.push_back(bandwidth_of(q));
  return arrays;
}

}  // namespace

density::Estimate answer(const Question& q, const std::optional<std::vector<double>>& targets, const Options& options) {
  if (!q.sphere) return density::estimate(q.sample, targets, q.bandwidth, q.cell, options);
  const density::Sample unit{3, density::unit_vectors(q.sample.positions, "Point"), q.sample.weights};
  std::optional<std::vector<double>> at;
  if (targets) at = density::unit_vectors(*targets, "Target");
  return density::estimate_on_sphere(unit, at, density::radians(q.bandwidth.along(0)), options);
}

void write_density(const KdeArguments& a, const Question& q, const std::vector<double>& density) {
  const bool csv = io::output_format(a.output, a.format) == "csv";
  io::write_arrays(a.output, a.format, csv ? std::vector<io::Array>{} : arrays_of(q, density),
                   csv ? table_of(q, density) : io::Table{});
}

}  // namespace farfield::cli
