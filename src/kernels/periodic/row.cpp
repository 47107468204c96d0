#include "kernels/periodic/row.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace farfield {

using Number = std::complex<double>;
using Long = std::complex<long double>;

/// Without the care for infinities and nan that the language asks of the operator.
static Number times(Number a, Number b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// pi cot(pi w) - 1/w for |Re w| <= 1/2.
static Long without_pole(Long w) {
  constexpr long double pi = std::numbers::pi_v<long double>;
  if (std::abs(w) < 0.05L) {  // -2 sum zeta(2k) w^(2k-1)
    constexpr long double zeta[] = {1.644934066848226436472L, 1.082323233711138191516L, 1.017343061984449139714L,
                                    1.004077356197944339378L, 1.000994575127818085337L, 1.000246086553308048299L,
                                    1.000061248135058704830L};
    Long sum = 0;
    for (int k = 6; k >= 0; --k) sum = sum * w * w + zeta[k];
    return -2.0L * w * sum;
  }
  const long double y = w.imag();
  if (std::fabs(y) > 8) return Long(0, y > 0 ? -pi : pi) - 1.0L / w;  // e^(-16 pi) is below rounding
  return pi / std::tan(pi * w) - 1.0L / w;
}

Long far_images(Long z) {
  const long double nearest = std::nearbyint(z.real());
  Long sum = without_pole(z - nearest);
  for (int n = -1; n <= 1; ++n)
    if (static_cast<long double>(n) != nearest) sum -= 1.0L / (z - static_cast<long double>(n));
  return std::fabs(nearest) > 1 ? sum + 1.0L / (z - nearest) : sum;
}

long double far_logarithm(long double y) {
  constexpr long double pi = std::numbers::pi_v<long double>;
  y = std::fabs(y);
  const long double over_y = y > 0 ? -std::expm1(-2 * pi * y) / y : 2 * pi;  // 2 sinh(pi y) = e^(pi y) over_y y
  return pi * y + std::log(over_y) - std::log1p(y * y);
}

/// c_m for m = 0 ... last at the point iy, by the integral over a circle of radius 1.5 around it, which leaves out
/// the poles: 256 points err by (1.5/2)^256.
static void taylor_at(double y, int last, Number* coefficient) {
  constexpr int points = 256;
  constexpr long double radius = 1.5L;
  std::vector<Long> value(points), root(points);
  for (int k = 0; k < points; ++k) {
    root[k] = std::polar(1.0L, 2 * std::numbers::pi_v<long double> * k / points);
    value[k] = far_images(Long(0, y) + radius * root[k]);
  }
  for (int m = 0; m <= last; ++m) {
    Long sum = 0;
    for (int k = 0; k < points; ++k) sum += value[k] * std::conj(root[m * k % points]);
    coefficient[m] = Number(sum / (points * std::pow(radius, static_cast<long double>(m))));
  }
}

static constexpr double strip_height = 0.5, ratio = 0.56;

std::int64_t RowSum::strips_of(double cell, double low, double high) {
  const double strips = std::floor((high - low) / (strip_height * cell)) + 1;
  return strips < 1e9 ? std::max<std::int64_t>(1, static_cast<std::int64_t>(strips)) : 1'000'000'000;
}

RowSum::RowSum(double cell, double left, double low, double high, double error, bool logarithm)
    : cell_(cell),
      centre_(left + cell / 2),
      low_(low),
      strips_(strips_of(cell, low, high)),
      degree_(std::clamp(static_cast<int>(std::ceil(std::log(error) / std::log(ratio))), 4, 60) + logarithm),
      logarithm_(logarithm) {
  const int terms = 2 * degree_ + 1;
  factorial_.assign(static_cast<std::size_t>(terms), 1);
  for (std::size_t n = 1; n < factorial_.size(); ++n) factorial_[n] = factorial_[n - 1] * static_cast<double>(n);
  taylor_.resize(static_cast<std::size_t>((2 * strips_ - 1) * terms));
  for (std::int64_t apart = 1 - strips_; apart < strips_; ++apart) {
    Number* const own = &taylor_[static_cast<std::size_t>((apart + strips_ - 1) * terms)];
    const double y = static_cast<double>(apart) * strip_height;
    taylor_at(y, degree_ - logarithm_, own + logarithm_);
    for (int m = degree_; logarithm_ && m > 0; --m) own[m] /= m;
    if (logarithm_) own[0] = static_cast<double>(far_logarithm(y));
    for (int m = 0; m <= degree_; ++m) own[m] *= factorial_[static_cast<std::size_t>(m)];
  }
  const auto all = static_cast<std::size_t>(strips_ * (degree_ + 1));
  moment_.resize(all), local_.resize(all), filled_.resize(static_cast<std::size_t>(strips_));
}

std::int64_t RowSum::strip_of(double y) const {
  const double strip = std::floor((y - low_) / (strip_height * cell_));
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(strip), 0, strips_ - 1);
}

Number RowSum::place(double x, double y, std::int64_t strip) const {
  return {(x - centre_) / cell_, (y - low_) / cell_ - strip_height * (static_cast<double>(strip) + 0.5)};
}

void RowSum::set(const std::vector<double>& x, const std::vector<double>& y, const std::vector<double>& q,
                 int threads) {
  const int terms = degree_ + 1;
  std::fill(moment_.begin(), moment_.end(), Number(0));
  std::fill(filled_.begin(), filled_.end(), false);
  for (std::size_t j = 0; j < q.size(); ++j) {
    const std::int64_t strip = strip_of(y[j]);
    const Number z = place(x[j], y[j], strip);
    Number* const own = &moment_[static_cast<std::size_t>(strip * terms)];
    Number power = q[j];
    for (int k = 0; k < terms; ++k, power = times(power, z)) own[k] += power;
    filled_[static_cast<std::size_t>(strip)] = true;
  }
#pragma omp parallel for schedule(dynamic) num_threads(threads)
  for (std::int64_t target = 0; target < strips_; ++target) make_local(target);
}

/// C(Z + u - v) = sum c_m (u - v)^m: b_l = 1/l! sum over k of (c_{k+l} (k+l)!) (-1)^k a_k / k!.
void RowSum::make_local(std::int64_t target) {
  const int terms = degree_ + 1, pitch = 2 * degree_ + 1;
  Number* const local = &local_[static_cast<std::size_t>(target * terms)];
  std::fill_n(local, terms, Number(0));
  for (std::int64_t source = 0; source < strips_; ++source) {
    if (!filled_[static_cast<std::size_t>(source)]) continue;
    const Number* const c = &taylor_[static_cast<std::size_t>((target - source + strips_ - 1) * pitch)];
    const Number* const a = &moment_[static_cast<std::size_t>(source * terms)];
    for (int k = 0; k < terms; ++k) {
      const Number own = a[k] * ((k % 2 ? -1 : 1) / factorial_[static_cast<std::size_t>(k)]);
      for (int l = 0; k + l < terms; ++l) local[l] += times(c[k + l], own);
    }
  }
  for (int l = 0; l < terms; ++l) local[l] /= factorial_[static_cast<std::size_t>(l)];
}

RowSum::Sums RowSum::at(double x, double y) const {
  const std::int64_t strip = strip_of(y);
  const Number z = place(x, y, strip);
  const Number* const local = &local_[static_cast<std::size_t>(strip * (degree_ + 1))];
  Number sum = 0;
  if (!logarithm_) {
    for (int l = degree_; l >= 0; --l) sum = times(sum, z) + local[l];
    return {sum / cell_, 0};
  }
  for (int l = degree_; l > 0; --l) sum = times(sum, z) + static_cast<double>(l) * local[l];
  Number logarithm = 0;
  for (int l = degree_; l >= 0; --l) logarithm = times(logarithm, z) + local[l];
  return {sum / cell_, logarithm.real()};
}

}  // namespace farfield
