// Step 8: its translations. A multipole about a box's centre c becomes one about the centre C of the box's parent
// (m2m). Far away, all multipoles become one polynomial about the centre Z of the targets' box, its local expansion
// (m2l), and that becomes one about the centre z of a child (l2l), whose targets it serves (l2p). Each is Taylor's
// theorem again:
//
//     m2m   M_k(C) = sum_{j <= k} (C - c)^(k-j) / (k-j)!  M_j(c)                        exact
//     m2l   L_l(Z) = sum_k M_k(C) D_{k+l}(Z - C),  degrees of k and l together <= p     the only one that errs
//     l2l   L_l(z) = sum_{k >= l} (z - Z)^(k-l) / (k-l)!  L_k(Z)                        exact
//     l2p   u(x)   = sum_l L_l(z) (x - z)^l / l!
//
// What m2l leaves out are the terms above degree p of 1/|Z - C + h|, h = (C - y) + (x - Z). So its bound is that of
// step 7 with the sum of both radii, a of the sources and b of the targets, in place of a: ((a+b)/R)^(p+1) / (R - a -
// b).
#include "taylor.hpp"

using namespace course;

Series p2m(const Bodies& bodies, Vec centre) {
  Series m{};
  for (const Body& b : bodies) {
    const Series p = powers(centre - b.at, highest);
    for (std::size_t t = 0; t < m.size(); ++t) m[t] += b.q * p[t];
  }
  return m;
}

Series m2m(const Series& m, Vec d) {
  Series sum{};
  for_translation(d, highest, [&](int above, int below, double factor) { sum[above] += factor * m[below]; });
  return sum;
}

Series m2l(const Series& m, Vec d, int degree) {
  const Series derivative = derivatives(d, degree);
  Series sum{};
  for_terms(degree, [&](int i, int j, int k) {
    for_terms(degree - (i + j + k), [&](int a, int b, int c) {
      sum[place(i, j, k)] += m[place(a, b, c)] * derivative[place(i + a, j + b, k + c)];
    });
  });
  return sum;
}

Series l2l(const Series& l, Vec d) {
  Series sum{};
  for_translation(d, highest, [&](int above, int below, double factor) { sum[below] += factor * l[above]; });
  return sum;
}

double l2p(const Series& l, Vec d) {
  const Series p = powers(d, highest);
  double u = 0;
  for (std::size_t t = 0; t < l.size(); ++t) u += l[t] * p[t];
  return u;
}

/// The largest error of the whole chain, from child to parent, to the other parent, to its child, to the targets.
double chain_error(const Bodies& sources, const Bodies& targets, Vec c, Vec C, Vec Z, Vec z, int degree) {
  const Series local = l2l(m2l(m2m(p2m(sources, c), C - c), Z - C, degree), z - Z);
  double worst = 0;
  for (const Body& t : targets) {
    double exact = 0;
    for (const Body& s : sources) exact += s.q / length(t.at - s.at);
    worst = std::fmax(worst, std::fabs(l2p(local, t.at - z) - exact));
  }
  return worst;
}

int main(int argc, char** argv) {
  const auto [n, seed, figure] = arguments(argc, argv, 200);
  Bodies sources = random_bodies(n, seed), targets = sources;
  const Vec c{0.5, 0.5, 0.5}, C{1, 1, 1}, Z{5, 1, 1}, z{4.5, 0.5, 1.5};  // boxes of edge 1, parents of edge 2, R = 4
  double a = 0, b = 0, mass = 0, over = 0, sharp = 0;
  for (Body& t : targets) t.at = t.at + Vec{4, 0, 1}, b = std::fmax(b, length(t.at - Z));
  for (const Body& s : sources) a = std::fmax(a, length(s.at - C)), mass += s.q;
  std::printf("degree     error     bound\n");
  for (int p = 0; p <= highest; p += 2) {
    const double error = chain_error(sources, targets, c, C, Z, z, p) / mass;
    const double bound = std::pow((a + b) / 4, p + 1) / (4 - a - b);
    std::printf("%6d  %8.1e  %8.1e\n", p, error, bound);
    over = std::fmax(over, error / bound);
    // One source and one target that face each other: all that is left out has the same sign.
    const double facing = chain_error({{C + Vec{a, 0, 0}, 1}}, {{Z - Vec{b, 0, 0}, 1}}, c, C, Z, z, p);
    sharp = std::fmax(sharp, std::fabs(facing / bound - 1));
  }
  const Series moved = m2m(p2m(sources, c), C - c), direct = p2m(sources, C);
  const Series local = m2l(direct, Z - C, highest), child = l2l(local, z - Z);
  std::vector<double> by_parent, by_child;
  for (const Body& t : targets) by_parent.push_back(l2p(local, t.at - Z)), by_child.push_back(l2p(child, t.at - z));
  return judge("m2m against p2m of step 7",
               relative_error(std::vector<double>(moved.begin(), moved.end()), {direct.begin(), direct.end()}), 1e-13) +
         judge("l2l against the parent's polynomial", relative_error(by_child, by_parent), 1e-13) +
         judge("error of the chain against step 1 over the bound", over, 1) +
         judge("one source facing one target: error against the bound", sharp, 1e-6);
}
