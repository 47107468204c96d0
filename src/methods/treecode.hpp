// The treecode, as a page: expansions on the side of the sources alone. Written once for all backends: S is the set of
// stages that a backend offers.
//
//   u(x) = sum_near q K(x, y) + sum over accepted boxes of their multipoles at x
//
//        leaves' sources --p2m--> multipoles --m2m--> multipoles of parents        (upward, to the root)
//                                     |  m2p      (every target leaf: boxes small beside their distance)
//                                  targets
//
// Barnes & Hut 1986. Which boxes a target leaf accepts, tree/acceptance.hpp says. With n sources, m targets and degree
// d: p2m O(n d^2), m2p O(m log(n) d^2 / theta^3): no work depends on targets but that of their own, so few targets
// among many sources, or far from them, cost little beside the upward pass.
#pragma once
#include <concepts>

namespace farfield {

template <class S>
concept TreecodeStages = requires(S& s, int level) {
  { s.levels() } -> std::convertible_to<int>;
  s.p2m();
  s.m2m(level);
  s.settle_centres();  ///< may move expansions to centres of mass, which what is accepted then follows
  s.p2p();
  s.m2p_boxes();  ///< m2p for long rows
};

// `time(name, work)` runs work and adds its time to the stage `name`.

template <TreecodeStages S, class Time>
void treecode(S& s, Time&& time) {
  time("p2m", [&] { s.p2m(); });  // M_i = sum q R_i(u)
  time("m2m", [&] {
    for (int level = s.levels() - 2; level >= 0; --level) s.m2m(level);  // M_parent = sum T M_child
    s.settle_centres();
  });
  time("p2p", [&] { s.p2p(); });        // u = sum q K(x, y)
  time("m2p", [&] { s.m2p_boxes(); });  // u += sum M_i S_i(u)
}

}  // namespace farfield
