// HarmonicSum: solid harmonics of many directions, weighted degree by degree and added up.
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "expansions/laplace_harmonics.hpp"
#include "expansions/periodic/strained.hpp"
#include "tree/cell/unit_cell.hpp"

namespace farfield {

/// How many numbers HarmonicSum takes at a time.
template <class Number>
struct HarmonicLanes {
  static constexpr int count = 2;
  typedef Number Type __attribute__((vector_size(count * sizeof(Number))));
  static void set(Type& lanes, int lane, const Number& value) { lanes[lane] = value; }
  static Number get(const Type& lanes, int lane) { return lanes[lane]; }
};
template <>
struct HarmonicLanes<Strained> {
  static constexpr int count = 1;
  using Type = Strained;
  static void set(Type& lanes, int, const Strained& value) { lanes = value; }
  static const Strained& get(const Type& lanes, int) { return lanes; }
};

/// Adds weight_l R_{l,m}(direction) of many directions. Number: double or Strained.
template <class Number>
class HarmonicSumOf {
 public:
  explicit HarmonicSumOf(int order)
      : order_(order), weights_(order + 1), sums_(static_cast<std::size_t>(laplace::count(order))) {
    const auto exact = laplace::recurrence_table<long double>(order);
    table_.assign(exact.begin(), exact.end());
  }
  /// weight(l) for l = 0 ... order
  template <class Weight>
  void add(const std::array<Number, 3>& direction, Weight&& weight) {
    for (int axis = 0; axis < 3; ++axis) Pack::set(point_[axis], filled_, direction[axis]);
    for (int l = 0; l <= order_; ++l) Pack::set(weights_[l], filled_, weight(l));
    if (++filled_ == lanes) flush();
  }
  /// weight(l) S_{l,m}(v): the harmonics of v's direction over |v|^(l+1).
  template <class Weight>
  void add_outer(const std::array<Number, 3>& v, Weight&& weight) {
    using std::sqrt;
    const Number inverse = 1 / sqrt(dot(v, v));
    Number power = 1;
    add({v[0] * inverse, v[1] * inverse, v[2] * inverse}, [&](int l) { return (power *= inverse) * weight(l); });
  }
  /// Adds all that was added since the last call to total[index(l, m)].
  void add_to(Number* total) {
    if (filled_ > 0) flush();
    for (Lanes& sum : sums_) {
      for (int lane = 0; lane < lanes; ++lane) *total += Pack::get(sum, lane);
      sum = Lanes{};
      ++total;
    }
  }
  std::vector<Number> total() {
    std::vector<Number> out(sums_.size());
    add_to(out.data());
    return out;
  }

 private:
  using Pack = HarmonicLanes<Number>;
  using Lanes = typename Pack::Type;
  static constexpr int lanes = Pack::count;

  struct Add {
    const Lanes* weight;
    Lanes* sum;
    Lanes cosine{}, sine{};
    int order = 0;
    void begin(int m, const Lanes& c, const Lanes& s) { order = m, cosine = c, sine = s; }
    void term(int n, const Lanes& q) {
      const Lanes value = weight[n] * q;
      sum[laplace::index(n, order)] += value * cosine;
      if (order > 0) sum[laplace::index(n, -order)] += value * sine;
    }
    void end(int) {}
  };
  void flush() {
    laplace::columns(order_, table_.data(), point_[0], point_[1], point_[2], Add{weights_.data(), sums_.data()});
    std::fill(weights_.begin(), weights_.end(), Lanes{});
    filled_ = 0;
  }

  int order_, filled_ = 0;
  std::vector<double> table_;
  std::vector<Lanes> weights_, sums_;
  Lanes point_[3] = {};
};
using HarmonicSum = HarmonicSumOf<double>;

}  // namespace farfield
