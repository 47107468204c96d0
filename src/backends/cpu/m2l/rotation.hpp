// m2l by rotation as an Operator on panels: L = Z^T Y^T C Y Z M (Gumerov & Duraiswami 2008, section 2.2.2), where Z
// rotates the offset into the x-z plane, Y rotates it onto the z axis and C translates along the z axis. 2 d^3 + 4 d^2
// multiply-adds per translation against (d+1)^4 of the dense matrix.
#pragma once
#include "backends/cpu/far/panel.hpp"
#include "expansions/solid_shape.hpp"

namespace farfield::cpu::FARFIELD_ISA {

template <class Real>
class RotationOperator {
 public:
  explicit RotationOperator(const TablesView<Real>& tables) : degree_(tables.degree) {
    const int count = tables.coefficients;
    turned_ = panel_.need(2 * count * panel_pitch<Real>);
    shifted_ = turned_ + count * panel_pitch<Real>;
    by_degree_ = rows_.need(3 * count);
    by_azimuth_ = by_degree_ + count;
    ascending_ = by_azimuth_ + count;
    list_rows(count);
  }

  const Real* operator()(int vectors, Real* in) {
    turn_about_z(vectors, in, 1);
    turn_about_y(vectors, in, by_degree_, turned_, by_azimuth_, false);
    translate(vectors);
    turn_about_y(vectors, shifted_, by_azimuth_, turned_, by_degree_, true);
    turn_about_z(vectors, turned_, -1);
    return turned_;
  }
  RotationView<Real> rotation{};

 private:
  using Shape = SolidShape;

  // Entry first(n) + m (cosine, m = 0..n) or first(n) + n + m (sine, m = 1..n) of by_degree_ is the row of that
  // coefficient in the usual order. The same entry of by_azimuth_ is its row in the order in which C needs the
  // coefficients: all of one m together.
  void list_rows(int count) {
    for (int i = 0; i < count; ++i) ascending_[i] = i;
    int row = 0;
    for (int m = 0; m <= degree_; ++m) {
      for (int n = m; n <= degree_; ++n) {
        by_degree_[Shape::first(n) + m] = Shape::index(n, m);
        by_azimuth_[Shape::first(n) + m] = row++;
      }
      for (int n = m; m > 0 && n <= degree_; ++n) {
        by_degree_[Shape::first(n) + n + m] = Shape::index(n, -m);
        by_azimuth_[Shape::first(n) + n + m] = row++;
      }
    }
  }

  void turn_about_z(int vectors, Real* panel, Real direction) const {
    for (int n = 1; n <= degree_; ++n)
      for (int m = 1; m <= n; ++m) {
        Real* c = panel + Shape::index(n, m) * panel_pitch<Real>;
        Real* s = panel + Shape::index(n, -m) * panel_pitch<Real>;
        const Real cosine = rotation.cosine[m], sine = direction * rotation.sine[m];
        for (int v = 0; v < vectors * lanes<Real>; v += lanes<Real>) {
          const Vec<Real> a = load(c + v), b = load(s + v);
          store(c + v, cosine * a + sine * b);
          store(s + v, cosine * b - sine * a);
        }
      }
  }

  void turn_about_y(int vectors, const Real* in, const std::int32_t* in_row, Real* out, const std::int32_t* out_row,
                    bool back) const {
    const Real* block = rotation.blocks;
    for (int n = 0; n <= degree_; ++n)
      for (int size : {n + 1, n}) {
        const int first = Shape::first(n) + (size == n ? n + 1 : 0);
        const MatrixView<Real> a{block, back ? 1 : size, back ? size : 1, size, size};
        multiply(vectors, a, in, in_row + first, out, out_row + first);
        block += size * size;
      }
  }

  void translate(int vectors) const {
    const Real* block = rotation.shift;
    int row = 0;
    for (int m = 0; m <= degree_; ++m) {
      const int size = degree_ + 1 - m;
      const MatrixView<Real> a{block, size, 1, size, size};
      for (int part = 0; part < (m ? 2 : 1); ++part, row += size)
        multiply(vectors, a, turned_, ascending_ + row, shifted_, ascending_ + row);
      block += size * size;
    }
  }

  int degree_;
  Scratch<Real> panel_;
  Scratch<std::int32_t> rows_;
  Real *turned_, *shifted_;
  std::int32_t *by_degree_, *by_azimuth_, *ascending_;
};

}  // namespace farfield::cpu::FARFIELD_ISA
