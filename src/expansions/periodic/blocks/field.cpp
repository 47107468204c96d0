#include "expansions/periodic/blocks/field.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "expansions/laplace_basis.hpp"

namespace farfield {
namespace {

double sum_of_lanes(const double* lane) {
  return ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
}

}  // namespace

BlockField::BlockField(const BlockGrid& grid, int degree, int threads, const BlockStages& stages, bool virial)
    : grid_(grid),
      convolution_(degree),
      images_(grid),
      lattice_(std::make_unique<LatticeOperator>(grid.cell(), grid.root_edge(), degree, images_.near)),
      recurrence_(LaplaceBasis::recurrence_table(degree)),
      count_(static_cast<std::size_t>(laplace::count(degree))),
      threads_(threads),
      unit_(2 * grid.radius() / std::sqrt(3.0)),
      root_edge_(grid.root_edge()),
      sets_(1 + (virial ? grid.cell().periodic_count() : 0)),
      stages_(stages) {
  for (int block = 0; block < grid_.blocks(); ++block)
    to_root_.emplace_back(convolution_, scaled(difference(grid_.centre(block), grid_.root_centre()), 1 / root_edge_),
                          unit_ / root_edge_);
  for (int vector = -1; stages_.m2l && vector < sets_ - 1; ++vector) tables_.push_back(make_tables(vector));
  if (!virial) return;
  for (const LatticeSums& slopes : strain_slopes(grid.cell(), root_edge_, 2 * degree, images_.near))
    straining_.emplace_back(slopes, degree);
}

BlockMaps BlockField::maps() const {
  BlockMaps m;
  m.degree = degree(), m.blocks = grid_.blocks();
  m.unit = unit_, m.root_edge = root_edge_;
  m.root_centre = grid_.root_centre();
  m.recurrence = recurrence_, m.roots = convolution_.roots(), m.power = to_root_.front().power();
  for (int block = 0; block < m.blocks; ++block) {
    m.centres.push_back(grid_.centre(block));
    const SolidConvolution::Numbers& unit = to_root_[static_cast<std::size_t>(block)].unit();
    m.unit_charges.insert(m.unit_charges.end(), unit.begin(), unit.end());
  }
  m.lattice = lattice_->table(), m.even = lattice_->even(), m.quadratic = lattice_->quadratic();
  m.m2l = make_convolution(grid_, images_, convolution_, unit_, sets_, threads_);
  return m;
}

/// One number for all pairs of blocks that stand to each other alike.
int BlockField::place_code(int from, int to) const {
  const CellIndex a = grid_.place(from), b = grid_.place(to);
  int code = 0;
  for (int i = 0; i < 3; ++i) code = code * (2 * grid_.count(i) - 1) + a[i] - b[i] + grid_.count(i) - 1;
  return code;
}

/// Of two blocks all far images of the near cells, which depend on how the blocks stand to each other, less those that
/// are points because they are near other blocks.
BlockTables BlockField::make_tables(int vector) const {
  const int blocks = grid_.blocks();
  std::vector<std::int32_t> first(static_cast<std::size_t>(place_code(blocks - 1, 0)) + 1, -1);
  for (int pair = 0; pair < blocks * blocks; ++pair)
    if (std::int32_t& known = first[static_cast<std::size_t>(place_code(pair % blocks, pair / blocks))]; known < 0)
      known = pair;
  const std::size_t size = convolution_.table_size();
  std::vector<double> all(first.size() * size);
  BlockTables tables(convolution_, blocks);
  std::vector<HarmonicSum> harmonics(static_cast<std::size_t>(threads_), HarmonicSum(2 * convolution_.degree()));
  std::vector<double> rooms(static_cast<std::size_t>(threads_) * size);
#pragma omp parallel num_threads(threads_)
  {
    HarmonicSum& own = harmonics[static_cast<std::size_t>(omp_get_thread_num())];
#pragma omp for schedule(dynamic)
    for (std::size_t code = 0; code < first.size(); ++code) {
      if (first[code] < 0) continue;
      add_far(first[code] % blocks, first[code] / blocks, vector, own);
      own.add_to(&all[code * size]);
    }
    double* const sums = rooms.data() + static_cast<std::size_t>(omp_get_thread_num()) * size;
#pragma omp for schedule(dynamic)
    for (int pair = 0; pair < blocks * blocks; ++pair) {
      const int from = pair % blocks, to = pair / blocks;
      std::copy_n(&all[static_cast<std::size_t>(place_code(from, to)) * size], size, sums);
      take_off_near(from, to, vector, own);
      own.add_to(sums);
      tables.set(from, to, sums);
    }
  }
  return tables;
}

void BlockField::add_far(int from, int to, int vector, HarmonicSum& harmonics) const {
  add_harmonics(from, to, images_.near, 1, vector, harmonics);
}
void BlockField::take_off_near(int from, int to, int vector, HarmonicSum& harmonics) const {
  add_harmonics(from, to, images_.points[static_cast<std::size_t>(from)], -1, vector, harmonics);
}
void BlockField::add_harmonics(int from, int to, const std::vector<CellIndex>& images, double sign, int vector,
                               HarmonicSum& harmonics) const {
  for (const CellIndex& n : images) {
    const CellIndex apart = grid_.apart(from, to, n);
    const double weight = sign * weight_of(n, vector);
    if (weight == 0 || !grid_.is_far(apart)) continue;
    harmonics.add_outer(scaled(grid_.vector(apart), 1 / unit_), [&](int) { return weight; });
  }
}

std::int64_t BlockField::table_bytes(const BlockGrid& grid, int degree, bool virial) {
  std::int64_t kinds = 1;
  for (int i = 0; i < 3; ++i) kinds *= 2 * grid.count(i) - 1;
  if (virial) kinds += 12;  // 6 complex ones of the lattice
  const int sets = 1 + (virial ? grid.cell().periodic_count() : 0);
  return 8 * laplace::count(2 * degree) * kinds + sets * BlockTables::bytes(grid.blocks(), degree);
}

void BlockField::set(const BlockedPoints& sources, const double* charge, const InTurn& in_turn) {
  gather_multipoles(sources, charge, in_turn);
  local_.assign(multipole_.size(), 0);
  quadratic_ = apply_lattice();
  tables_.front().translate(stages_.m2l, multipole_, local_, threads_);
}

void BlockField::gather_multipoles(const BlockedPoints& sources, const double* charge, const InTurn& in_turn) {
  std::vector<double> sums(sources.parts.size() * count_), second(sources.parts.size());
  const Vector3 root = grid_.root_centre();
  const std::size_t room = count_ * block_lanes;
  std::vector<double> rooms(static_cast<std::size_t>(threads_) * room);  // of each thread: nothing may throw there
#pragma omp parallel for schedule(dynamic) num_threads(threads_)
  for (std::size_t p = 0; p < sources.parts.size(); ++p) {
    const BlockedPoints::Part& part = sources.parts[p];
    PartRows rows(sources, part, grid_.centre(part.block), unit_);
    double* const lanes = rooms.data() + static_cast<std::size_t>(omp_get_thread_num()) * room;
    std::fill_n(lanes, room, 0.0);
    double weight[PartRows::most];
    while (rows.take()) {
      std::fill_n(weight, rows.rows() * block_lanes, 0.0);
      for (std::int64_t k = 0; k < rows.count(); ++k) {
        const std::uint32_t j = rows.point(k);
        const Vector3 v = scaled(difference(sources.place(j), root), 1 / root_edge_);
        weight[k] = charge[j], second[p] += charge[j] * dot(v, v);
      }
      stages_.p2m({rows.view(degree(), recurrence_), weight, lanes});
    }
    for (std::size_t i = 0; i < count_; ++i) sums[p * count_ + i] = sum_of_lanes(&lanes[i * block_lanes]);
  }
  multipole_.assign(static_cast<std::size_t>(grid_.blocks()) * count_ + 1, 0);  // the last: of |v|^2
  in_turn(multipole_, [&](std::vector<double>& sum) {
    for (std::size_t p = 0; p < sources.parts.size(); ++p) {
      double* const to = sum.data() + static_cast<std::size_t>(sources.parts[p].block) * count_;
      for (std::size_t i = 0; i < count_; ++i) to[i] += sums[p * count_ + i];
      sum.back() += second[p];
    }
  });
  second_ = multipole_.back();
  multipole_.pop_back();
}

/// Through the cell's own expansions; returns the factor of |u|^2, u from the cell's centre.
double BlockField::apply_lattice() {
  SolidConvolution::Numbers scaled_root(count_);
  for (std::size_t block = 0; block < to_root_.size(); ++block)
    to_root_[block].m2m(convolution_.scaled(multipole_.data() + block * count_), scaled_root);
  root_ = convolution_.unscaled(scaled_root);
  std::vector<double> local(count_);
  const double quadratic = lattice_->apply(root_.data(), {second_}, local.data());
  for (double& value : local) value *= unit_ / root_edge_;
  for (std::size_t block = 0; block < to_root_.size(); ++block)
    to_root_[block].l2l(local.data(), local_.data() + block * count_);
  return quadratic;
}

std::array<double, 6> BlockField::virial() const {
  std::vector<Vector3> pulls;
  for (std::size_t set = 1; set < tables_.size(); ++set) pulls.push_back(pull_of_images(tables_[set]));
  return virial_of(root_.data(), second_, pulls);
}
std::array<double, 6> BlockField::virial(const BlockMoments& m) const {
  return virial_of(convolution_.unscaled(m.scaled_root).data(), m.second, m.pulls);
}

/// Images at n act on the cell with forces F_n: half the sum of -n_b F_a is that of n_b q d/dx_a of their potential.
/// Blocks see them through tables that hold n in terms of the lattice's vectors.
std::array<double, 6> BlockField::virial_of(const double* root, double second,
                                            const std::vector<Vector3>& pulls) const {
  std::array<double, 6> sum = virial_of_lattice(root, second);
  for (int i = 0; i < grid_.cell().periodic_count(); ++i) {
    const Vector3& pull = pulls[static_cast<std::size_t>(i)];
    for (std::size_t s = 0; s < sum.size(); ++s) {
      const auto [a, b] = Strained::place[s];
      const Vector3& v = grid_.cell().vector(i);
      sum[s] += 0.25 * (pull[a] * v[b] + pull[b] * v[a]) / (unit_ * unit_);
    }
  }
  return sum;
}

/// Sum of q times the gradient of what the tables make of all blocks, in their units.
Vector3 BlockField::pull_of_images(const BlockTables& tables) const {
  std::vector<double> local(multipole_.size()), derivative(3 * count_);
  tables.translate(stages_.m2l, multipole_, local, threads_);
  double* out[3] = {&derivative[0], &derivative[count_], &derivative[2 * count_]};
  Vector3 pull{};
  for (std::size_t begin = 0; begin < local.size(); begin += count_) {
    differentiate(convolution_, &local[begin], out);
    for (std::size_t a = 0; a < 3; ++a) pull[a] += std::inner_product(out[a], out[a] + count_, &multipole_[begin], 0.0);
  }
  return pull;
}

std::array<double, 6> BlockField::virial_of_lattice(const double* root, double second) const {
  std::array<double, 6> sum;
  for (std::size_t s = 0; s < sum.size(); ++s) {
    std::vector<double> local(count_);
    const double quadratic = straining_[s].apply(root, {second}, local.data());
    const double energy = std::inner_product(local.begin(), local.end(), root, quadratic * second);
    sum[s] = -0.5 * energy / root_edge_;
  }
  return sum;
}

void BlockField::add(const BlockedPoints& targets, double* potential, double* gradient) const {
  add(targets, local_, quadratic_, potential, gradient);
}
void BlockField::add_highest(const BlockedPoints& targets, double* potential, double* gradient) const {
  std::vector<double> highest = local_;
  const auto lower = static_cast<std::size_t>(laplace::count(std::max(degree() - 2, -1)));
  for (std::size_t begin = 0; begin < highest.size(); begin += count_) std::fill_n(highest.data() + begin, lower, 0.0);
  add(targets, highest, 0, potential, gradient);
}

void BlockField::add(const BlockedPoints& targets, const std::vector<double>& local, double quadratic,
                     double* potential, double* gradient) const {
  std::vector<double> derivatives(3 * local.size());
  const auto derivative = [&](std::size_t block, std::size_t axis) {
    return derivatives.data() + (3 * block + axis) * count_;
  };
  if (gradient)
    for (std::size_t block = 0; block < to_root_.size(); ++block) {
      double* out[3] = {derivative(block, 0), derivative(block, 1), derivative(block, 2)};
      differentiate(convolution_, local.data() + block * count_, out);
    }
  const Vector3 root = grid_.root_centre();
  const std::size_t sets = gradient ? 4 : 1;
#pragma omp parallel for schedule(dynamic) num_threads(threads_)
  for (std::size_t p = 0; p < targets.parts.size(); ++p) {
    const BlockedPoints::Part& part = targets.parts[p];
    const auto block = static_cast<std::size_t>(part.block);
    const double* of_block[4] = {local.data() + block * count_, derivative(block, 0), derivative(block, 1),
                                 derivative(block, 2)};
    PartRows rows(targets, part, grid_.centre(part.block), unit_);
    double values[4 * PartRows::most];
    while (rows.take()) {
      stages_.l2p({rows.view(degree(), recurrence_), of_block, static_cast<int>(sets), values});
      for (std::int64_t k = 0; k < rows.count(); ++k) {
        const std::uint32_t i = rows.point(k);
        const auto value = [&](std::size_t set) {
          return values[(static_cast<std::size_t>(k) / block_lanes * sets + set) * block_lanes +
                        static_cast<std::size_t>(k) % block_lanes];
        };
        const Vector3 v = scaled(difference(targets.place(i), root), 1 / root_edge_);
        if (potential) potential[i] += value(0) / unit_ + quadratic * dot(v, v) / root_edge_;
        for (std::size_t axis = 0; gradient && axis < 3; ++axis)
          gradient[3 * std::size_t{i} + axis] +=
              value(1 + axis) / (unit_ * unit_) + 2 * quadratic * v[axis] / (root_edge_ * root_edge_);
      }
    }
  }
}

}  // namespace farfield
