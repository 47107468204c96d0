// One-shot functions: a plan that lives for one evaluation.
#include <farfield/plan.hpp>

namespace farfield {

template <Real T>
Result<T> evaluate(const Points& sources, std::span<const T> strengths, const Options& options) {
  return Plan(sources, options).evaluate(strengths);
}

template <Real T>
Result<T> evaluate(const Points& sources, std::span<const T> strengths, const Points& targets, const Options& options) {
  return Plan(sources, targets, options).evaluate(strengths);
}

static Options with_dipoles_of(Options options, const Strengths& strengths) {
  options.dipoles = options.dipoles || strengths.dipoles;
  return options;
}

template <Real T>
Result<T> evaluate(const Points& sources, const Strengths& strengths, const Options& options) {
  return Plan(sources, with_dipoles_of(options, strengths)).evaluate<T>(strengths);
}

template <Real T>
Result<T> evaluate(const Points& sources, const Strengths& strengths, const Points& targets, const Options& options) {
  return Plan(sources, targets, with_dipoles_of(options, strengths)).evaluate<T>(strengths);
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
  direct_plan(sources, targets, with_dipoles_of(options, strengths), outputs.scalar).evaluate(strengths, outputs);
}

template <Real T>
Result<T> direct_sum(const Points& sources, std::span<const T> strengths, const Points& targets,
                     const Options& options) {
  return direct_plan(sources, targets, options, scalar_of<T>).evaluate(strengths);
}

template <Real T>
Result<T> direct_sum(const Points& sources, const Strengths& strengths, const Points& targets, const Options& options) {
  return direct_plan(sources, targets, with_dipoles_of(options, strengths), scalar_of<T>)
      .template evaluate<T>(strengths);
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
