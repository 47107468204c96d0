#include <cmath>

#include "backends/cuda/levels/tables.hpp"

namespace farfield::cuda {

/// Levels 0 and 1 have no far boxes, but a treecode may expand them: else they share the set without translations.
/// Without screening all others share one.
template <class Real>
void LevelTables<Real>::build(const LevelScheme& scheme, cudaStream_t stream, int threads) {
  views_.clear();
  std::size_t made = 0;
  const auto add = [&](double edge) {
    if (made == sets_.size()) sets_.push_back(std::make_unique<Tables<Real>>(memory_));
    sets_[made]->build_level(scheme.kernel, scheme.degree, scheme.m2l, edge, stream, threads);
    views_.push_back(sets_[made++]->view());
  };
  const int first = scheme.m2l.translates ? 2 : 0;
  if (first > 0) {
    add(HUGE_VAL);
    views_.push_back(views_.back());
  }
  for (int level = first; level < scheme.levels; ++level)
    if (level > first && scheme.root == 0)
      views_.push_back(views_.back());
    else
      add(std::ldexp(scheme.root, -level));
  sets_.resize(made);
  upload(on_device_, views_.data(), static_cast<std::int64_t>(views_.size()), stream);
}

template <class Real>
void LevelTables<Real>::release() {
  sets_.clear(), views_.clear();
  on_device_.release();
}

template class LevelTables<float>;
template class LevelTables<double>;

}  // namespace farfield::cuda
