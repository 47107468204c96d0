// The other half of a node: a device that sums near pairs, and the far field of its share of the targets, while the
// cores sum the rest. It works on the host's tree, so that both halves have the same boxes and the same order of
// points. on_device.hpp makes one; the tests have one on the host.
#pragma once
#include <cstdint>
#include <farfield/report.hpp>
#include <initializer_list>
#include <memory>
#include <string>
#include <type_traits>

#include "backends/cpu/work.hpp"
#include "core/array.hpp"
#include "model/decision.hpp"
#include "tree/built_tree.hpp"

namespace farfield::hybrid {

using HostTree = BuiltTree<Array>;

/// Softening lengths of sorted points; empty where all have the same.
struct HostLengths {
  const Array<double>&sources, &targets;
};

/// Of methods/fmm.hpp, as a report names them.
inline constexpr std::initializer_list<const char*> upward_stages{"p2m", "m2m"},
    downward_stages{"m2l", "p2l", "l2l", "l2p", "m2p"};
inline double seconds_of(const Report& report, std::initializer_list<const char*> stages) {
  double sum = 0;
  for (const char* name : stages)
    if (const StageReport* stage = report.stage(name)) sum += stage->seconds;
  return sum;
}

/// What the other half's work of one evaluation took, in seconds.
struct HalfSeconds {
  double near = 0;  ///< p2p
  double up = 0;    ///< p2m and m2m, for its share
  double down = 0;  ///< m2l and the stages behind it, for its share
};

/// Sums of one precision over the points of a Half.
template <class Real>
class HalfSums {
 public:
  virtual ~HalfSums() = default;
  /// After each build: makes what depends on the tree and on the decision, but on no strengths. There is no share then.
  virtual void prepare(const Decision& decision) = 0;
  /// From now on it sums the far field of targets [0, targets), too, which end with a box. false: it cannot, for want
  /// of memory, and has no share.
  virtual bool take_share(const Decision& decision, const cpu::Work<Real>& work, std::int64_t targets) = 0;
  /// Reads the strengths of `work` and starts its sums; returns before they are done.
  virtual void start(const cpu::Work<Real>& work) = 0;
  /// Waits for them, adds them to the results of `work`, and writes the locals of its share.
  virtual HalfSeconds join(const cpu::Work<Real>& work) = 0;
};

/// The points and boxes there, which the sums of several degrees and precisions share.
class Half {
 public:
  virtual ~Half() = default;
  /// Copies points, boxes and lists of a tree that was built anew.
  virtual void place(const HostTree& tree, const HostLengths& lengths) = 0;
  /// Copies the points alone, which have moved in the boxes that they had.
  virtual void move(const HostTree& tree) = 0;
  virtual std::unique_ptr<HalfSums<float>> single_sums() = 0;
  virtual std::unique_ptr<HalfSums<double>> double_sums() = 0;
  virtual std::string name() const = 0;
  virtual std::int64_t most_bytes() const = 0;  ///< that it held at one time

  template <class Real>
  std::unique_ptr<HalfSums<Real>> sums() {
    if constexpr (std::is_same_v<Real, float>)
      return single_sums();
    else
      return double_sums();
  }
};

}  // namespace farfield::hybrid
