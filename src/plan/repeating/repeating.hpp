// Repeating: what a plan of points that repeat is made of: a plan of points that do not, and the far images.
#pragma once
#include <farfield/plan.hpp>
#include <memory>

namespace farfield {

class Repeating {
 public:
  virtual ~Repeating() = default;
  virtual void evaluate(const Strengths& strengths, const Outputs& outputs) = 0;
  virtual const Report& report() const = 0;
};

/// Throws Error(usage) for axes and cells that the kernel does not offer.
void validate_periodic(const Options& options);
/// Of such a plan at most, before its points are known: what it makes of the sources, and bytes beside the near plan's.
struct RepeatedBound {
  std::int64_t sources, bytes;
};
RepeatedBound bound_of_repeating(const Options& options, std::int64_t sources, std::int64_t targets);
std::unique_ptr<Repeating> make_repeating(const Options& options, const Points& sources, const Points* targets);

}  // namespace farfield
