// HarmonicSum: solid harmonics of many directions, weighted degree by degree and added up.
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "expansions/laplace_harmonics.hpp"
#include "tree/cell/unit_cell.hpp"

namespace farfield {

/// Adds weight_l R_{l,m}(direction) of many directions, several at a time.
class HarmonicSum {
 public:
  explicit HarmonicSum(int order)
      : order_(order), weights_(order + 1), sums_(static_cast<std::size_t>(laplace::count(order))) {
    const auto exact = laplace::recurrence_table<long double>(order);
    table_.assign(exact.begin(), exact.end());
  }
  /// weight(l) for l = 0 ... order
  template <class Weight>
  void add(const Vector3& direction, Weight&& weight) {
    for (int axis = 0; axis < 3; ++axis) point_[axis][filled_] = direction[axis];
    for (int l = 0; l <= order_; ++l) weights_[l][filled_] = weight(l);
    if (++filled_ == lanes) flush();
  }
  /// weight(l) S_{l,m}(v): the harmonics of v's direction over |v|^(l+1).
  template <class Weight>
  void add_outer(const Vector3& v, Weight&& weight) {
    const double inverse = 1 / std::sqrt(dot(v, v));
    double power = 1;
    add({v[0] * inverse, v[1] * inverse, v[2] * inverse}, [&](int l) { return (power *= inverse) * weight(l); });
  }
  /// Adds all that was added since the last call to total[index(l, m)].
  void add_to(double* total) {
    if (filled_ > 0) flush();
    for (Lanes& sum : sums_) {
      for (int lane = 0; lane < lanes; ++lane) *total += sum[lane];
      sum = Lanes{};
      ++total;
    }
  }
  std::vector<double> total() {
    std::vector<double> out(sums_.size());
    add_to(out.data());
    return out;
  }

 private:
  static constexpr int lanes = 2;
  typedef double Lanes __attribute__((vector_size(lanes * sizeof(double))));

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

}  // namespace farfield
