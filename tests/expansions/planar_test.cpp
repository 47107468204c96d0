// The planar expansions: translations and derivatives against -log r, and the rate at which the error of a chain
// p2m, m2m, m2l, l2l, l2p falls with the degree.
#include "expansions/expansion_test.hpp"
#include "expansions/planar/basis.hpp"

namespace farfield::testing {
namespace {

using Basis = PlanarBasis;
constexpr int unit = Basis::unit_coefficient;

struct Store {
  Vector value;
  double real = 0, imaginary = 0;
  void begin(int /*n*/, double re, double im) { real = re, imaginary = im; }
  void term(int n, double q) {
    value[PlanarShape::index(n, -n)] = q * imaginary;
    value[PlanarShape::index(n, n)] = q * real;
  }
  void end(int) {}
};

/// R at u in a box of that edge.
Vector regular_at(int degree, const Point& u, double edge) {
  const Vector table = Basis::recurrence_table(degree);
  Store store{Vector(static_cast<std::size_t>(PlanarShape::count(degree)))};
  Basis::columns(degree, table.data(), u[0], u[1], u[2], store);
  store.value[0] = 1, store.value[unit] = -std::log(edge);
  return store.value;
}
/// S likewise.
Vector singular_at(int degree, const Point& u) {
  Point v = u;
  double weight = 0;
  Basis::invert(v[0], v[1], v[2], weight, 1 / norm(u));
  Vector value = regular_at(degree, v, 1);
  for (double& x : value) x *= weight;
  value[0] += Basis::excess(u[0], u[1]), value[unit] = 1;
  return value;
}

double minus_log(const Point& a, const Point& b) { return -std::log(std::hypot(a[0] - b[0], a[1] - b[1])); }

TEST(PlanarFunctions, AddUpToTheLogarithm) {
  Random random(1);
  for (const double edge : {0.3, 1.0, 7.0})
    for (int k = 0; k < 20; ++k) {
      const Point v = random.point(0.2), u{1.3 + random.uniform(0, 1), random.uniform(-1, 1), 0};
      const double exact = minus_log(u, v) - std::log(edge);
      EXPECT_NEAR(dot(regular_at(40, v, edge), singular_at(40, u)), exact, 1e-14 * (1 + std::fabs(exact)));
    }
}

TEST(PlanarM2m, IsExactAtEveryDegree) {
  Random random(2);
  for (const int degree : {0, 1, 2, 7, 20}) {
    const Point u = random.point(0.5);
    const Point seen{u[0] / 2 + 0.25, u[1] / 2 + 0.25, 0};
    const Vector parent = multiply(Basis::m2m(degree), regular_at(degree, u, 1));
    const Vector exact = regular_at(degree, seen, 2);
    for (std::size_t i = 0; i < exact.size(); ++i) EXPECT_NEAR(parent[i], exact[i], 1e-15) << degree << ' ' << i;
  }
}

TEST(PlanarSymmetry, IsWhatAnIsometryDoes) {
  Random random(3);
  const int degree = 9;
  for (int id = 0; id < 16; ++id) {
    const Symmetry g = Basis::symmetry(degree, id);
    const Point u = random.point(0.5), t{2, -3, 0}, moved_t = moved(id, t);
    const Vector expected = permuted(g, regular_at(degree, u, 3)), found = regular_at(degree, moved(id, u), 3);
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-15) << id << ' ' << i;
    const Vector m = random.vector(PlanarShape::count(degree));
    const Vector l = multiply(Basis::m2l(degree, moved_t.data(), 1), m);
    const Vector by = permuted(g, multiply(Basis::m2l(degree, t.data(), 1), permuted_back(g, m)));
    for (std::size_t i = 0; i < l.size(); ++i)
      EXPECT_NEAR(l[i], by[i], 1e-13 * (1 + std::fabs(l[i]))) << id << ' ' << i;
  }
}

TEST(PlanarGradient, IsTheDerivative) {
  Random random(4);
  const int degree = 12;
  const double h = 1e-6;
  const Vector l = random.vector(PlanarShape::count(degree)), m = random.vector(PlanarShape::count(degree));
  const Point u{0.3, -0.2, 0}, w{1.4, 0.6, 0};
  for (int axis = 0; axis < 3; ++axis) {
    const auto step = [&](Point p, double by) { return p[axis] += by, p; };
    const double inner =
        (dot(l, regular_at(degree, step(u, h), 1)) - dot(l, regular_at(degree, step(u, -h), 1))) / (2 * h);
    const double outer = (dot(m, singular_at(degree, step(w, h))) - dot(m, singular_at(degree, step(w, -h)))) / (2 * h);
    const auto a = static_cast<std::size_t>(axis);
    EXPECT_NEAR(dot(multiply(Basis::local_gradient(degree)[a], l), regular_at(degree, u, 1)), inner, 1e-8);
    Vector derived = multiply(Basis::multipole_gradient(degree)[a], m);
    EXPECT_EQ(derived[0], 0);
    EXPECT_NEAR(dot(derived, singular_at(degree + 1, w)), outer, 1e-8);
  }
}

/// Error of the chain; the target box has edge `edge`, the source box edge/target_edge, both points in octant 3 or 7 of
/// their boxes.
struct Case {
  Point t;
  double target_edge, edge;
  Point source, target;  ///< in the children's units
};
double chain_error(const Case& c, int degree) {
  const double source_edge = c.edge / c.target_edge;
  const auto in_parent = [](const Point& u) { return Point{u[0] / 2 + 0.25, u[1] / 2 + 0.25, 0}; };
  const Vector multipole = multiply(Basis::m2m(degree), regular_at(degree, c.source, source_edge / 2));
  const Vector local = multiply(Basis::m2l(degree, c.t.data(), c.target_edge), multipole);
  const Vector child = multiply_transposed(Basis::m2m(degree), local);
  const Point s = in_parent(c.source), u = in_parent(c.target);
  Point x{};
  for (int axis = 0; axis < 2; ++axis) x[axis] = source_edge * (c.t[axis] - s[axis]) + c.edge * u[axis];
  return std::fabs(Basis::l2l_scale * dot(child, regular_at(degree, c.target, c.edge / 2)) + std::log(norm(x)));
}

TEST(PlanarChain, ErrorFallsAsGeometryPredicts) {
  // source and target on the line between the centres, in the corner of the far child: only the source side counts
  const Case cases[] = {{{-2, -2, 0}, 1, 1, {0.5, 0.5, 0}, {-0.5, -0.5, 0}},
                        {{-2, -2, 0}, 1, 1e-3, {0.5, 0.5, 0}, {-0.5, -0.5, 0}},
                        {{-2.5, -2.5, 0}, 2, 40, {0.5, 0.5, 0}, {-0.5, -0.5, 0}}};
  for (const Case& c : cases) {
    const double predicted = std::log(std::hypot(0.5, 0.5) / norm(c.t));  // the target is at its box' centre
    const double found = std::log(chain_error(c, 14) * 15 / (chain_error(c, 4) * 5)) / 10;
    EXPECT_NEAR(found / predicted, 1, 0.05);
    EXPECT_LT(chain_error(c, 50), 1e-14 * (1 + std::fabs(std::log(c.edge))));
  }
}

}  // namespace
}  // namespace farfield::testing
