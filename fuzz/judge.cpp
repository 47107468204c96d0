#include "fuzz/judge.hpp"

#include <algorithm>

namespace farfield::fuzz {
namespace {

struct Exact {
  std::vector<long double> potential, gradient;
  bool defined = true;  ///< no pair so close that it may count as none: below 2^-1024 (tree/geometry.hpp)
};

/// r K and -r^3 K'/r of the cubic spline at u = r/h < 1, as GADGET writes it.
struct Spline {
  long double potential, slope;
};
Spline spline(long double u) {
  const long double u2 = u * u, u3 = u2 * u;
  if (u < 0.5L)
    return {u * (2.8L - u2 * (16 / 3.0L + u2 * (6.4L * u - 9.6L))), u3 * (32 / 3.0L + u2 * (32 * u - 38.4L))};
  return {u * (3.2L - 1 / (15 * u) - u2 * (32 / 3.0L + u * (-16 + u * (9.6L - 32 / 15.0L * u)))),
          u3 * (64 / 3.0L - 48 * u + 38.4L * u2 - 32 / 3.0L * u3 - 1 / (15 * u3))};
}

/// Adds source j: K = 1 / sqrt(r^2 + softening^2), or the spline. In long double neither overflows.
void add_pair(Exact& e, std::size_t i, const double* x, const double* y, long double q, const Options& o) {
  const bool by_spline = o.softening_kind == SofteningKind::spline;
  const long double softening = o.softening;
  long double d[3], r2 = by_spline ? 0 : softening * softening;
  for (int a = 0; a < 3; ++a) d[a] = static_cast<long double>(x[a]) - y[a], r2 += d[a] * d[a];
  if (r2 == 0) {
    if (softening > 0) e.potential[i] += q / softening;
    return;
  }
  if (r2 < 0x1p-2048L) e.defined = false;
  const long double r = std::sqrt(r2), w = q / r, u = r / (2.8L * softening);
  const Spline by = by_spline && softening > 0 && u < 1 ? spline(u) : Spline{1, 1};
  e.potential[i] += w * by.potential;
  for (std::size_t a = 0; a < 3; ++a) e.gradient[3 * i + a] -= w / r2 * by.slope * d[a];
}

/// exp(-r^2 / 2 bandwidth^2), of a point with itself as well.
void add_gauss(Exact& e, std::size_t i, const double* x, const double* y, long double q, const Options& o) {
  long double d[3], r2 = 0;
  for (int a = 0; a < 3; ++a) d[a] = (static_cast<long double>(x[a]) - y[a]) / o.bandwidth, r2 += d[a] * d[a];
  const long double w = q * std::exp(-r2 / 2);
  e.potential[i] += w;
  for (std::size_t a = 0; a < 3; ++a) e.gradient[3 * i + a] -= w * d[a] / o.bandwidth;
}

Exact sum(const Problem& p) {
  const std::vector<double>& where = p.apart ? p.targets : p.sources;
  const std::size_t targets = where.size() / 3;
  Exact e{std::vector<long double>(targets), std::vector<long double>(3 * targets)};
  const bool gauss = p.options.kernel == Kernel::gauss;
  const auto add = gauss ? add_gauss : add_pair;
  for (std::size_t i = 0; i < targets; ++i)
    for (std::size_t j = 0; j < p.strengths.size(); ++j)
      if (p.apart || gauss || i != j)
        add(e, i, &where[3 * i], &p.sources[3 * j], p.strengths[j] * (long double)p.options.scale, p.options);
  return e;
}

long double norm(const std::vector<long double>& values) {
  long double squared = 0;
  for (const long double v : values) squared += v * v;
  return std::sqrt(squared);
}

/// What the error of a result is relative to: its norm, or for Gaussians the sum of |strengths| at every target.
long double size_of(const Problem& p, const std::vector<long double>& exact) {
  if (p.options.kernel != Kernel::gauss) return norm(exact);
  long double all = 0;
  for (const double q : p.strengths) all += std::fabs(q * (long double)p.options.scale);
  const auto targets = static_cast<long double>((p.apart ? p.targets : p.sources).size() / 3);
  const bool gradient = exact.size() > (p.apart ? p.targets : p.sources).size() / 3;
  return all * std::sqrt(targets) / (gradient ? p.options.bandwidth : 1);
}

template <class T>
long double distance(const std::vector<T>& computed, const std::vector<long double>& exact) {
  long double squared = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) squared += std::pow(computed[i] - exact[i], 2.0L);
  return std::sqrt(squared);
}

/// What the output's type itself rounds away is no error of the library.
template <class T>
long double representable(const std::vector<long double>& exact) {
  return std::numeric_limits<T>::epsilon() * norm(exact) +
         std::numeric_limits<T>::denorm_min() * std::sqrt(static_cast<long double>(exact.size()));
}

/// Options and all sources, to see what a saved input is about.
std::string described(const Problem& p) {
  const Options& o = p.options;
  char text[200];
  std::snprintf(text, sizeof text,
                "; method %d, precision %d, %s, gradient %d, scale %g, leaf size %lld, %zu sources, %zu targets apart",
                static_cast<int>(o.method), static_cast<int>(o.precision), p.single ? "floats" : "doubles", o.gradient,
                o.scale, static_cast<long long>(o.leaf_size), p.strengths.size(), p.targets.size() / 3);
  std::string all = text;
  for (std::size_t i = 0; i < p.strengths.size(); ++i) {
    const double* x = &p.sources[3 * i];
    std::snprintf(text, sizeof text, "\n  %.17g %.17g %.17g  strength %.17g", x[0], x[1], x[2], p.strengths[i]);
    all += text;
  }
  for (std::size_t i = 0; i + 2 < p.targets.size(); i += 3) {
    std::snprintf(text, sizeof text, "\n  %.17g %.17g %.17g  a target", p.targets[i], p.targets[i + 1],
                  p.targets[i + 2]);
    all += text;
  }
  return all;
}

template <class T>
void judge_values(const Problem& p, const char* what, const std::vector<T>& computed,
                  const std::vector<long double>& exact) {
  if (computed.size() != exact.size()) broken(std::string(what) + " has another length than the targets");
  for (const T value : computed)
    if (!std::isfinite(value)) broken(std::string(what) + " is not finite, and no warning" + described(p));
  // A direct sum is not refused below the tolerance that double reaches, and does what it can.
  const long double error = distance(computed, exact), size = size_of(p, exact),
                    asked = std::max(p.options.tolerance, 1e-14);
  if (error <= asked * size + representable<T>(exact)) return;
  char text[160];
  std::snprintf(text, sizeof text, "%s: relative error %.3Lg, norm %.3Lg, asked %.3g, and no warning", what,
                error / size, size, p.options.tolerance);
  broken(text + described(p));
}

/// A check over all targets must not pass what is wrong a hundred times over, warned of or not.
template <class T>
void judge_check(const Problem& p, double reported, const std::vector<T>& computed,
                 const std::vector<long double>& exact) {
  const double tolerance = p.options.tolerance;
  if (distance(computed, exact) <= 100 * tolerance * size_of(p, exact) + 100 * representable<T>(exact)) return;
  if (reported <= tolerance) broken("the check passes a wrong result" + described(p));
}

template <class T>
Result<T> evaluate_as(const Problem& p) {
  const auto converted = [](const std::vector<double>& values) { return std::vector<T>(values.begin(), values.end()); };
  const std::vector<T> sources = converted(p.sources), targets = converted(p.targets),
                       strengths = converted(p.strengths);
  return p.apart ? Plan(points(sources), points(targets), p.options).evaluate(strengths)
                 : Plan(points(sources), p.options).evaluate(strengths);
}

template <class T>
void judge_as(const Problem& p) {
  const Result<T> r = evaluate_as<T>(p);
  require(p.finite(), "a NaN or an infinity was accepted");
  const Options& o = p.options;
  if (o.kernel == Kernel::count) return;
  const Exact exact = sum(p);
  if (!exact.defined) return;
  if (r.report.error && r.report.error->samples >= static_cast<std::int64_t>(r.potential.size())) {
    judge_check(p, r.report.error->potential, r.potential, exact.potential);
    if (o.gradient) judge_check(p, r.report.error->gradient, r.gradient, exact.gradient);
  }
  if (!r.report.warnings.empty() || o.degree >= 0) return;
  judge_values(p, "potential", r.potential, exact.potential);
  if (o.gradient) judge_values(p, "gradient", r.gradient, exact.gradient);
}

/// What the caller holds are floats.
Problem rounded(Problem p) {
  for (std::vector<double>* values : {&p.sources, &p.targets, &p.strengths})
    for (double& value : *values) value = static_cast<float>(value);
  return p;
}

}  // namespace

bool Problem::finite() const {
  const auto all = [](const std::vector<double>& values) {
    return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
  };
  return all(sources) && all(targets) && all(strengths);
}

void judge(const Problem& problem) {
  try {
    if (problem.single)
      judge_as<float>(rounded(problem));
    else
      judge_as<double>(problem);
  } catch (const Error& error) {
    require_manners(error);
  }
}

/// Translation tables of a high degree take a second, and a plan that may have 4096 threads starts them.
Options affordable(Options o) {
  if (o.threads >= 0 && o.threads <= 4096) o.threads = 1;
  if (o.degree <= 60) o.degree = std::min(o.degree, 10);
  if (o.method == Method::fmm && o.tolerance >= 1e-13 && o.tolerance < 1e-4) o.tolerance = 1e-4;
  return o;
}

void require_manners(const Error& error) {
  const ErrorCode code = error.code();
  require(*error.what(), "an Error without a sentence");
  if (code != ErrorCode::usage && code != ErrorCode::input && code != ErrorCode::device && code != ErrorCode::memory)
    broken("Error code " + std::to_string(static_cast<int>(code)) + ": " + error.what());
}

}  // namespace farfield::fuzz
