// Small sums over positions and strengths of any bits: subnormal, huge, duplicate, one ulp apart, not a number.
#include "fuzz/judge.hpp"

namespace farfield::fuzz {
namespace {

constexpr int most = 40;

Options options_from(Bytes& bytes) {
  Options o;
  o.tolerance = std::pow(10.0, -bytes.between(1, 13));
  o.gradient = bytes.flag();
  o.method = static_cast<Method>(bytes.below(3));
  o.precision = static_cast<Precision>(bytes.below(3));
  o.leaf_size = o.method == Method::fmm ? bytes.below(8) : 0;
  if (bytes.below(8) == 0) o.scale = bytes.real();
  if (bytes.below(4) == 0) o.check = most;
  if (bytes.below(4) == 0) {
    o.kernel = Kernel::gauss;
    o.bandwidth = std::pow(10.0, bytes.between(-6, 3));
    o.method = static_cast<Method>(bytes.below(6));
  }
  return affordable(o);
}

Problem problem_from(Bytes bytes) {
  Problem p;
  p.options = options_from(bytes);
  p.single = bytes.below(4) == 0;
  p.apart = bytes.below(4) == 0;
  const int sources = bytes.below(most + 1);
  p.sources = bytes.points(sources);
  if (p.apart) p.targets = bytes.points(bytes.below(most + 1));
  const bool alike = bytes.flag();
  for (int i = 0; i < sources; ++i) p.strengths.push_back(alike ? 1 : bytes.real());
  return p;
}

}  // namespace
}  // namespace farfield::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  farfield::fuzz::judge(farfield::fuzz::problem_from({data, size}));
  return 0;
}
