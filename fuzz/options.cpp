// Options of any value over forty well-behaved points, and the memory bound of any counts.
#include "fuzz/judge.hpp"

namespace farfield::fuzz {
namespace {

/// Mostly a value that is listed, sometimes any.
template <class Enum>
Enum word(Bytes& bytes, int listed) {
  return static_cast<Enum>(bytes.below(16) == 0 ? bytes.take<std::int32_t>() : bytes.below(listed));
}

/// Mostly the default, else small or any.
template <class Number>
Number number(Bytes& bytes, Number usual) {
  switch (bytes.below(8)) {
    case 0:
      return bytes.take<Number>();
    case 1:
      return static_cast<Number>(bytes.take<std::int8_t>());
    default:
      return usual;
  }
}

Options options_from(Bytes& bytes) {
  Options o;
  o.tolerance = bytes.flag() ? std::pow(10.0, -bytes.between(1, 14)) : bytes.real();
  o.gradient = bytes.flag();
  o.kernel = word<Kernel>(bytes, 2);
  if (bytes.below(4) == 0) o.scale = bytes.real();
  if (bytes.below(4) == 0) o.softening = bytes.real();
  if (o.softening != 0) o.softening_kind = word<SofteningKind>(bytes, 2);
  o.method = word<Method>(bytes, 6);
  o.precision = word<Precision>(bytes, 3);
  o.backend = word<Backend>(bytes, 2);
  o.threads = number(bytes, 1);
  o.at_sources = bytes.flag();
  o.check = number<std::int64_t>(bytes, 0);
  o.seed = bytes.take<std::uint16_t>();
  o.degree = number(bytes, -1);
  o.leaf_size = number<std::int64_t>(bytes, 0);
  o.depth = number(bytes, -1);
  o.m2l = word<M2l>(bytes, 3);
  o.stencil = word<Stencil>(bytes, 3);
  o.simd = word<Simd>(bytes, 4);
  if (bytes.below(4) == 0) {
    o.kernel = Kernel::gauss;
    o.bandwidth = bytes.flag() ? std::pow(10.0, bytes.between(-6, 3)) : bytes.real();
    o.softening = 0;
    o.method = word<Method>(bytes, 6);
  }
  return affordable(o);
}

std::vector<double> usual_numbers(int count) {
  std::vector<double> numbers;
  std::uint32_t state = 1;
  for (int i = 0; i < count; ++i) numbers.push_back((state = state * 1664525 + 1013904223) * 0x1p-32);
  return numbers;
}

void bound(const Options& options, std::int64_t sources, std::int64_t targets) {
  try {
    const std::int64_t bytes = Plan::memory_bound(sources, targets, options);
    require(sources >= 0 && targets >= 0, "memory_bound accepts a negative count");
    require(bytes >= 0, "memory_bound is negative");
  } catch (const Error& error) {
    require_manners(error);
  }
}

void run(Bytes bytes) {
  const Options options = options_from(bytes);
  bound(options, number<std::int64_t>(bytes, 1000), number<std::int64_t>(bytes, 0));
  Problem p;
  p.options = options;
  p.single = bytes.below(4) == 0;
  p.apart = bytes.flag();
  p.sources = usual_numbers(3 * 40);
  if (p.apart) p.targets = usual_numbers(3 * 50);
  p.strengths = usual_numbers(40);
  judge(p);
}

}  // namespace
}  // namespace farfield::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  farfield::fuzz::run({data, size});
  return 0;
}
