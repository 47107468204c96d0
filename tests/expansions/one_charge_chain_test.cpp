// The one-charge chain: p2m, m2m, m2l, l2l, l2p against 1/r, and the rate at which the error falls with the degree.
//
// m2m and l2l are exact at finite degree, so the chain errs like m2l between the two boxes: with the source at distance
// a from its centre and the target at distance b from its own, both on the line between the centres (distance r, and
// towards each other, so that all terms are positive and nothing oscillates), dropping n > degree costs
//   source side: (a / (r - b))^(degree+1),  target side: (b / (r - a))^(degree+1),
// and what is dropped on both sides, about (4ab / r^2)^degree, is smaller. The larger of the two ratios is the slope.
#include "expansions/expansion_test.hpp"

namespace farfield::testing {
namespace {

struct Case {
  const char* name;
  Point t;             ///< target centre - source centre, source edges
  double target_edge;  ///< in source edges
  Point source;        ///< in source units, seen from the source box' centre
  Point target;        ///< in target units, seen from the target box' centre
};

/// Which child of its box a point lies in, and where, in the child's units. m2m and l2l know octant 7; the others
/// follow by the reflection `octant ^ 7`.
struct InChild {
  int reflection;
  Point u;
};
InChild in_child(const Point& u) {
  InChild child{0, {}};
  for (int axis = 0; axis < 3; ++axis) {
    if (u[axis] < 0) child.reflection |= 1 << axis;
    child.u[axis] = 2 * (u[axis] - (u[axis] < 0 ? -0.25 : 0.25));
  }
  return child;
}

/// Multipole of a box from a unit charge in one of its children: p2m, m2m.
Vector multipole_of(int degree, const Point& u) {
  const InChild child = in_child(u);
  const Symmetry g = LaplaceBasis::symmetry(degree, child.reflection);
  return permuted(g, multiply(LaplaceBasis::m2m(degree), permuted(g, regular(degree, child.u))));
}

/// Potential in a box of edge 1 at a point of one of its children: l2l, l2p.
double potential_of(int degree, const Vector& local, const Point& u) {
  const InChild child = in_child(u);
  const Symmetry g = LaplaceBasis::symmetry(degree, child.reflection);
  const Vector l = permuted(g, multiply_transposed(LaplaceBasis::m2m(degree), permuted(g, local)));
  return LaplaceBasis::potential_scale(0.5) * LaplaceBasis::l2l_scale * dot(l, regular(degree, child.u));
}

enum class Scheme { dense, rotation };

/// Relative error of the chain; the target box has edge 1 here, the source box 1 / target_edge.
double chain_error(const Case& c, int degree, Scheme scheme) {
  const Vector m = multipole_of(degree, c.source);
  const Vector local = scheme == Scheme::dense
                           ? multiply(LaplaceBasis::m2l(degree, c.t.data(), c.target_edge), m)
                           : rotated_m2l(LaplaceBasis::m2l_rotation(degree, c.t.data(), c.target_edge), degree, m);
  Point d;
  for (int axis = 0; axis < 3; ++axis) d[axis] = (c.t[axis] - c.source[axis]) / c.target_edge + c.target[axis];
  return std::abs(potential_of(degree, local, c.target) * norm(d) - 1);
}

double predicted_ratio(const Case& c) {
  const double r = norm(c.t), a = norm(c.source), b = norm(c.target) * c.target_edge;
  return std::max(a / (r - b), b / (r - a));
}

/// Least squares slope of log(error) against the degree.
double slope(const Case& c, Scheme scheme) {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (int degree = 4; degree <= 24; degree += 4) {
    const double e = std::log(chain_error(c, degree, scheme));
    n += 1, x += degree, y += e, xx += degree * degree, xy += degree * e;
  }
  return (n * xy - x * y) / (n * xx - x * x);
}

/// The smaller terms that the prediction leaves out bend the line by less than this share (measured: 1 %).
constexpr double slope_share = 0.05;

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

class OneChargeChain : public ::testing::TestWithParam<Case> {};

TEST_P(OneChargeChain, ErrorFallsAsGeometryPredicts) {
  const Case& c = GetParam();
  const double predicted = std::log(predicted_ratio(c));
  for (Scheme scheme : {Scheme::dense, Scheme::rotation}) {
    const double found = slope(c, scheme);
    EXPECT_NEAR(found / predicted, 1, slope_share) << c.name << ' ' << static_cast<int>(scheme) << " slope " << found;
    RecordProperty(scheme == Scheme::dense ? "dense" : "rotation", std::to_string(found / predicted));
  }
}

// Corner towards corner for the diagonal offsets (the largest a and b there are), faces for the others.
const Case cases[] = {
    {"corners_equal_boxes", {2, 2, 2}, 1, {0.5, 0.5, 0.5}, {-0.5, -0.5, -0.5}},
    {"corners_equal_boxes_mirrored", {-2, 2, -2}, 1, {-0.5, 0.5, -0.5}, {0.5, -0.5, 0.5}},
    {"faces_equal_boxes", {2, 0, 0}, 1, {0.5, 0, 0}, {-0.5, 0, 0}},
    {"faces_below", {0, 0, -2}, 1, {0, 0, -0.5}, {0, 0, 0.5}},
    {"edges_equal_boxes", {0, -2, 2}, 1, {0, -0.5, 0.5}, {0, 0.5, -0.5}},
    {"corners_to_parent", {2.5, 2.5, 2.5}, 2, {0.5, 0.5, 0.5}, {-0.5, -0.5, -0.5}},
    {"line_to_parent", {2.5, -1.5, 1.5}, 2, {0.5, -0.3, 0.3}, {-0.5, 0.3, -0.3}},
};
INSTANTIATE_TEST_SUITE_P(Geometries, OneChargeChain, ::testing::ValuesIn(cases),
                         [](const auto& test) { return std::string(test.param.name); });

/// The worst pair of the far list, corners that face each other across the one box between. Off the line between the
/// centres what is dropped on both sides wins: its sum over n, n' > degree is ruled by the zero of
/// |t + mu v - lambda u|^2 with the smallest |lambda mu|, which is 4/3 here (lambda, mu = 2/3 -+ i sqrt(8)/3), so that
/// the error falls like (3/4)^degree / degree: slower than either side alone, (3/11)^(degree/2). Asymptotic from about
/// degree 16; this is the rate by which a degree has to be chosen.
TEST(OneChargeChainWorstPair, FallsByThreeQuartersPerDegree) {
  const Case c{"nearest corners", {2, 0, 0}, 1, {0.5, 0.5, 0.5}, {-0.5, 0.5, 0.5}};
  constexpr int low = 16, high = 40;
  for (Scheme scheme : {Scheme::dense, Scheme::rotation}) {
    const double found =
        std::log(chain_error(c, high, scheme) * high / (chain_error(c, low, scheme) * low)) / (high - low);
    EXPECT_NEAR(found / std::log(0.75), 1, slope_share) << static_cast<int>(scheme) << " slope " << found;
  }
}

}  // namespace
}  // namespace farfield::testing
