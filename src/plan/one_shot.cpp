// One-shot functions: a plan that lives for one evaluation.
#include <algorithm>
#include <farfield/plan.hpp>

#include "model/options/validate.hpp"

namespace farfield {

/// Leaves are chosen for as many densities as there are, unless the caller names a number.
static Options for_densities(Options options, std::int64_t vectors) {
  if (options.densities == 1)
    options.densities = static_cast<int>(std::clamp<std::int64_t>(vectors, 1, most_densities));
  return options;
}
template <class T>
static Options for_densities(const Options& options, std::span<const T> strengths, const Points& sources) {
  return for_densities(options, std::ssize(strengths) / std::max<std::int64_t>(1, sources.count));
}

template <Real T>
Result<T> evaluate(const Points& sources, std::span<const T> strengths, const Options& options) {
  return Plan(sources, for_densities(options, strengths, sources)).evaluate(strengths);
}

template <Real T>
Result<T> evaluate(const Points& sources, std::span<const T> strengths, const Points& targets, const Options& options) {
  return Plan(sources, targets, for_densities(options, strengths, sources)).evaluate(strengths);
}

/// The options for what the sources carry.
static Options for_strengths(Options options, const Strengths& strengths) {
  options.dipoles = options.dipoles || strengths.dipoles;
  return for_densities(options, strengths.vectors);
}

template <Real T>
Result<T> evaluate(const Points& sources, const Strengths& strengths, const Options& options) {
  return Plan(sources, for_strengths(options, strengths)).evaluate<T>(strengths);
}

template <Real T>
Result<T> evaluate(const Points& sources, const Strengths& strengths, const Points& targets, const Options& options) {
  return Plan(sources, targets, for_strengths(options, strengths)).evaluate<T>(strengths);
}

/// Options with method direct, in the precision of the caller's results unless they say which.
static Options direct_options(Options options, Scalar scalar) {
  options.method = Method::direct;
  if (options.precision == Precision::automatic)
    options.precision = scalar == Scalar::float32 ? Precision::single_ : Precision::double_;
  return options;
}

static bool same_view(const Points& a, const Points& b) {
  return a.axis == b.axis && a.count == b.count && a.stride == b.stride && a.scalar == b.scalar && a.space == b.space &&
         a.softening == b.softening;
}

/// Targets given by the sources' own view are the sources: a softened sum leaves a particle out of its own field.
static Plan direct_plan(const Points& sources, const Points& targets, const Options& options, Scalar scalar) {
  const Options direct = direct_options(options, scalar);
  if (same_view(sources, targets) && !options.at_sources) return Plan(sources, direct);
  return Plan(sources, targets, direct);
}

void direct_sum(const Points& sources, const Strengths& strengths, const Points& targets, const Outputs& outputs,
                const Options& options) {
  direct_plan(sources, targets, for_strengths(options, strengths), outputs.scalar).evaluate(strengths, outputs);
}

template <Real T>
Result<T> direct_sum(const Points& sources, std::span<const T> strengths, const Points& targets,
                     const Options& options) {
  return direct_plan(sources, targets, options, scalar_of<T>).evaluate(strengths);
}

template <Real T>
Result<T> direct_sum(const Points& sources, const Strengths& strengths, const Points& targets, const Options& options) {
  return direct_plan(sources, targets, for_strengths(options, strengths), scalar_of<T>).template evaluate<T>(strengths);
}

#define FARFIELD_ONE_SHOT(T)                                                                          \
  template Result<T> evaluate<T>(const Points&, std::span<const T>, const Options&);                  \
  template Result<T> evaluate<T>(const Points&, std::span<const T>, const Points&, const Options&);   \
  template Result<T> direct_sum<T>(const Points&, std::span<const T>, const Points&, const Options&); \
  template Result<T> evaluate<T>(const Points&, const Strengths&, const Options&);                    \
  template Result<T> evaluate<T>(const Points&, const Strengths&, const Points&, const Options&);     \
  template Result<T> direct_sum<T>(const Points&, const Strengths&, const Points&, const Options&);
FARFIELD_ONE_SHOT(float)
FARFIELD_ONE_SHOT(double)

}  // namespace farfield
