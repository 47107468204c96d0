// The fast multipole method, as a page. Written once for all backends: S is the set of stages that a backend offers.
//
//   u(x) = sum_near q K(x, y) + sum_far: the near field is summed pair by pair, the far field reaches x through
//   expansions. Neither sum needs the other before l2p: a backend may run p2p at the same time as the next stages, and
//   m2p behind it, which needs no locals.
//
//        leaves' sources --p2m--> multipoles --m2m--> multipoles of parents        (upward)
//                                     |  m2l                                       (across, every level)
//        leaves' targets <--l2p-- locals <--l2l-- locals of parents                (downward)
//
// Gumerov & Duraiswami 2008, section 2.1; m2p and p2l serve neighbours of different levels in adaptive trees.
// With s sources per leaf, degree d and n sources: p2m, l2p O(n d^2); m2l 189 n/s translations of O(d^3) (rotation) or
// O(d^4) (dense); p2p 27 n s pairs. The leaf size balances the last two.
#pragma once
#include <concepts>

namespace farfield {

template <class S>
concept FmmStages = requires(S& s, int level) {
  { s.levels() } -> std::convertible_to<int>;
  s.p2m();
  s.m2m(level);
  s.m2l();
  s.p2l();
  s.l2l(level);
  s.l2p();
  s.m2p();
  s.p2p();
  s.exchange();  ///< fetches multipoles from other parts of the tree; does nothing on one device
};

inline constexpr int coarsest = 2;  ///< all boxes of levels 0 and 1 touch each other: none are far

// `time(name, work)` runs work and adds its time to the stage `name`.

/// Multipoles of all boxes, from the sources up.
template <FmmStages S, class Time>
void upward(S& s, Time&& time) {
  time("p2m", [&] { s.p2m(); });  // M_i = sum q R_i(u)
  time("m2m", [&] {
    for (int level = s.levels() - 2; level >= coarsest; --level) s.m2m(level);  // M_parent = sum T M_child
  });
}

/// Locals of all boxes, then what the targets receive from expansions.
template <FmmStages S, class Time>
void downward(S& s, Time&& time) {
  time("m2l", [&] { s.m2l(); });  // L = sum K(t) M
  time("p2l", [&] { s.p2l(); });  // L += sum q S_i(u)
  time("l2l", [&] {
    for (int level = coarsest; level < s.levels(); ++level) s.l2l(level);  // L_child += T^t L_parent
  });
  time("m2p", [&] { s.m2p(); });  // u += sum M_i S_i(u)
  time("l2p", [&] { s.l2p(); });  // u += sum L_i R_i(u)
}

template <FmmStages S, class Time>
void fmm(S& s, Time&& time) {
  time("p2p", [&] { s.p2p(); });  // u  = sum q K(x, y)
  upward(s, time);
  s.exchange();
  downward(s, time);
}

}  // namespace farfield
