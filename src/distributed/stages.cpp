#include "distributed/stages.hpp"

#include <algorithm>

#include "methods/fmm.hpp"

namespace farfield::distributed {

template <class Real>
void RankStages<Real>::pack(const Real* from, std::int64_t pitch, BoxId box, Real* row) const {
  for (int v = 0; v < own.densities; ++v)
    std::copy_n(from + v * pitch + box * own.tables.stride, own.tables.coefficients, row + v * own.tables.coefficients);
}

/// What lies between the coefficients of two boxes is 0.
template <class Real>
void RankStages<Real>::unpack(const Real* row, Real* to, std::int64_t pitch, BoxId box) const {
  for (int v = 0; v < own.densities; ++v) {
    Real* const at = to + v * pitch + box * own.tables.stride;
    std::copy_n(row + v * own.tables.coefficients, own.tables.coefficients, at);
    std::fill(at + own.tables.coefficients, at + own.tables.stride, Real(0));
  }
}

/// One part for each other rank: the boxes that the top needs, then the ghosts.
template <class Real>
void RankStages<Real>::send_and_receive() {
  const auto own_rank = static_cast<std::size_t>(ranks.rank());
  std::vector<std::int64_t> sent, received;
  for (std::size_t r = 0; r < share.sends.size(); ++r) {
    const bool other = r != own_rank;
    sent.push_back(other ? std::ssize(share.top.own) + std::ssize(share.sends[r].boxes) : 0);
    received.push_back(other ? std::ssize(share.top.of_rank[r]) + std::ssize(share.receives[r].boxes) : 0);
  }
  const Begins sent_from = begins_of(sent), received_from = begins_of(received);
  std::vector<Real> out(static_cast<std::size_t>(sent_from.back() * width())),
      in(static_cast<std::size_t>(received_from.back() * width()));
  Real* row = out.data();
  for (std::size_t r = 0; r < share.sends.size(); ++r) {
    if (r == own_rank) continue;
    for (const std::vector<BoxId>* boxes : {&share.top.own, &share.sends[r].boxes})
      for (const BoxId box : *boxes) pack(own.multipole, own.expansion_pitch, box, row), row += width();
  }
  ranks.exchange(out.data(), sent_from, in.data(), received_from, width());
  const Real* from = in.data();
  for (std::size_t r = 0; r < share.sends.size(); ++r) {
    if (r == own_rank) continue;
    for (const BoxId box : share.top.of_rank[r]) unpack(from, top.multipole, top.expansion_pitch, box), from += width();
    for (const BoxId box : share.receives[r].boxes)
      unpack(from, work.multipole, work.expansion_pitch, box), from += width();
  }
}

template <class Real>
void RankStages<Real>::sum_top() {
  const std::vector<BoxId>& made = share.top.of_rank[static_cast<std::size_t>(ranks.rank())];
  for (std::size_t k = 0; k < made.size(); ++k)
    for (int v = 0; v < own.densities; ++v)
      std::copy_n(own.multipole + v * own.expansion_pitch + share.top.own[k] * own.tables.stride, own.tables.stride,
                  top.multipole + v * top.expansion_pitch + made[k] * own.tables.stride);
  for (int level = top.tree.levels - 2; level >= coarsest; --level) stage.m2m(top, level);
}

template <class Real>
void RankStages<Real>::copy(const cpu::Work<Real>& from, BoxId box, BoxId to) const {
  for (int v = 0; v < own.densities; ++v)
    std::copy_n(from.multipole + v * from.expansion_pitch + box * own.tables.stride, own.tables.stride,
                work.multipole + v * work.expansion_pitch + to * own.tables.stride);
}

template <class Real>
void RankStages<Real>::join() const {
  if (!holds()) return;
#pragma omp parallel for num_threads(work.threads)
  for (BoxId box = work.tree.level_begin[std::min(coarsest, work.tree.levels)]; box < work.tree.boxes; ++box) {
    const auto i = static_cast<std::size_t>(box);
    if (const BoxId from = share.essential.from_own[i]; from != no_box) copy(own, from, box);
    if (const BoxId from = share.essential.from_top[i]; from != no_box) copy(top, from, box);
  }
}

template <class Real>
void RankStages<Real>::exchange() {
  send_and_receive();
  sum_top();
  join();
}

template struct RankStages<float>;
template struct RankStages<double>;

}  // namespace farfield::distributed
