// The last plans of farfield.jax, so that a step that moves no point plans nothing.
#pragma once
#include <cstddef>
#include <farfield/farfield.hpp>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace farfield::python {

/// Points of one sum: each coordinate follows the other, without gaps.
struct PointSet {
  Points view;
  std::span<const std::byte> bytes;
};

class Plans {
 public:
  struct Kept {
    std::string options;  ///< as text
    std::vector<std::byte> sources, targets;
    bool own_targets;
    Plan plan;
  };

  /// A plan for these points, which is nobody else's until it is given back. In host memory one of the same points is
  /// taken as it is; in device memory one of the same options is moved, since its points were not looked at.
  std::unique_ptr<Kept> take(const std::string& text, const Options& options, const PointSet& sources,
                             const std::optional<PointSet>& targets);
  void give_back(std::unique_ptr<Kept> kept);
  void clear();

 private:
  std::mutex lock_;
  std::list<std::unique_ptr<Kept>> kept_;
};

}  // namespace farfield::python
