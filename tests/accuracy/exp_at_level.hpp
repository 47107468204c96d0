// e^x, 1 - e^-x and E1(x) + log min(x, 1) of one number by the vectors of one instruction set, each compiled in a file of its
// own: nothing but these functions may use instructions that the processor may lack, not even what registers a test.
#pragma once

namespace farfield::testing {

template <class Real>
struct ExpFunctions {
  Real (*exp)(Real);
  Real (*one_minus_exp)(Real);
  Real (*exponential_integral)(Real);
};

struct ExpAtLevel {
  ExpFunctions<double> doubles;
  ExpFunctions<float> singles;
};

namespace baseline {
extern const ExpAtLevel exp_at_level;
}
namespace avx2 {
extern const ExpAtLevel exp_at_level;
}
namespace avx512 {
extern const ExpAtLevel exp_at_level;
}

}  // namespace farfield::testing
