#include "exp_at_level.hpp"

#include "backends/cpu/runtime/simd.hpp"
#include "core/exponential_integral.hpp"

namespace farfield::testing::FARFIELD_ISA {
namespace {

namespace isa = cpu::FARFIELD_ISA;

template <class Real>
Real last_of(isa::Vec<Real> values) {
  return values[isa::lanes<Real> - 1];
}

template <class Real>
constexpr ExpFunctions<Real> functions{
    [](Real x) { return last_of<Real>(isa::exp(isa::broadcast(x))); },
    [](Real x) { return last_of<Real>(isa::one_minus_exp(isa::broadcast(x))); },
    [](Real x) { return last_of<Real>(exponential_integral(isa::broadcast(x))); }};

}  // namespace

constexpr ExpAtLevel exp_at_level{functions<double>, functions<float>};

}  // namespace farfield::testing::FARFIELD_ISA
