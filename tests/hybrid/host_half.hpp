// A half of a node that is no device: sums on the host, over its own copy of strengths and results, by the stages of
// the cores. What a device's sums are joined with is tested with it wherever there is none.
#pragma once
#include "backends/cpu/bound_stages.hpp"
#include "backends/hybrid/half.hpp"
#include "backends/hybrid/share.hpp"
#include "methods/fmm.hpp"

namespace farfield::testing {

/// What a test gives to a HostHalf, and what it has done.
struct Told {
  hybrid::HalfSeconds seconds;  ///< that it says its sums have taken
  bool refuses = false;         ///< a share, for want of memory
  int placed = 0, moved = 0;
  std::int64_t share = 0;  ///< targets of the last one that it was given
};

template <class Real>
class HostSums final : public hybrid::HalfSums<Real> {
 public:
  explicit HostSums(Told& told) : told_(told) {}

  void prepare(const Decision& decision) override {
    stages_ = cpu::stages<Real>(decision.kernel, decision.simd);
    share_ = 0;
  }
  bool take_share(const Decision&, const cpu::Work<Real>&, std::int64_t targets) override {
    share_ = told_.share = told_.refuses ? 0 : targets;
    return share_ == targets;
  }

  void start(const cpu::Work<Real>& from) override {
    own_ = from;
    own_.strength = strength_.copy(from.strength, from.densities * from.strength_pitch);
    for (int axis = 0; axis < 3; ++axis)
      own_.dipole[axis] = from.dipole[axis] ? dipole_[axis].copy(from.dipole[axis], from.strength_pitch) : nullptr;
    for (int part = 0; part < most_parts; ++part)
      own_.result.part[part] =
          from.result.part[part] ? result_[part].room(from.densities * from.result_pitch) : nullptr;
    stages_.p2p(own_);
    if (share_ > 0) sum_share();
  }
  hybrid::HalfSeconds join(const cpu::Work<Real>& to) override {
    for (int part = 0; part < most_parts; ++part)
      for (std::int64_t i = 0; to.result.part[part] && i < to.densities * to.result_pitch; ++i)
        to.result.part[part][i] += own_.result.part[part][i];
    for (BoxId box = 0; box < to.tree.boxes && share_ > 0; ++box)
      if (to.tree.level[box] >= coarsest && to.tree.target_begin[box] < share_)
        for (int v = 0; v < to.densities; ++v)
          std::copy_n(own_.local + v * to.expansion_pitch + box * to.tables.stride, to.tables.stride,
                      to.local + v * to.expansion_pitch + box * to.tables.stride);
    return told_.seconds;
  }

 private:
  class Numbers {
   public:
    Real* room(std::int64_t count) {
      numbers_.resize(count + padding);
      return numbers_.data();
    }
    const Real* copy(const Real* from, std::int64_t count) { return std::copy_n(from, count, room(count)) - count; }

   private:
    Array<Real> numbers_;
  };

  void sum_share() {
    own_.multipole = multipole_.room(own_.densities * own_.expansion_pitch);
    own_.local = local_.room(own_.densities * own_.expansion_pitch);
    cpu::Work<Real> share = own_;
    share.tree = clipped_.of(own_.tree, 0, share_, own_.threads);
    cpu::BoundStages<Real> stages{stages_, share};
    const auto untimed = [](const char*, auto&& work) { work(); };
    upward(stages, untimed);
    downward(stages, untimed);
  }

  Told& told_;
  cpu::Stages<Real> stages_;
  std::int64_t share_ = 0;
  cpu::Work<Real> own_;
  hybrid::ClippedTree clipped_;
  Numbers strength_, dipole_[3], result_[most_parts], multipole_, local_;
};

class HostHalf final : public hybrid::Half {
 public:
  explicit HostHalf(Told& told) : told_(told) {}
  void place(const hybrid::HostTree&, const hybrid::HostLengths&) override { ++told_.placed; }
  void move(const hybrid::HostTree&) override { ++told_.moved; }
  std::unique_ptr<hybrid::HalfSums<float>> single_sums() override { return std::make_unique<HostSums<float>>(told_); }
  std::unique_ptr<hybrid::HalfSums<double>> double_sums() override { return std::make_unique<HostSums<double>>(told_); }
  std::string name() const override { return "a half on the host"; }
  std::int64_t most_bytes() const override { return 1 << 20; }

 private:
  Told& told_;
};

}  // namespace farfield::testing
