#include "backends/cpu/evaluator.hpp"

#include "backends/cpu/steps.hpp"

namespace farfield::cpu {

int densities_of(const Decision& d) {
  const bool compiled = traits(d.kernel).differentiates && d.parts() <= with_gradient;
  const bool offered = compiled && d.method == Method::fmm && d.softening == 0 && !d.lengths;
  return offered ? densities_together : 1;
}

bool may_adopt(const Decision& own, const Decision& next) {
  return next.backend == own.backend && next.kernel == own.kernel && next.method == own.method &&
         next.precision == own.precision && next.simd == own.simd && next.parts() == own.parts();
}

std::unique_ptr<Evaluator> make_evaluator(const Decision& decision, int threads) {
  return make_sequenced<CpuSteps>(decision, threads, std::make_shared<Placed>());
}

}  // namespace farfield::cpu
