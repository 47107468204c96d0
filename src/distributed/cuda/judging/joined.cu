#include <algorithm>
#include <cmath>

#include "backends/cuda/judge/direct_sums.hpp"
#include "distributed/cuda/judging/joined.hpp"

namespace farfield::distributed {

using Found = farfield::cuda::Judge::Found;

/// Not a number if one of them is not.
static void join(Norm& all, const Norm& own) {
  all.l2 = std::hypot(all.l2, own.l2);
  if (!(own.largest <= all.largest)) all.largest = own.largest;
}

Found joined(Ranks& ranks, const Found& own) {
  Found sum{};
  sum.norms.with_potential = own.norms.with_potential;
  for (const Found& one : ranks.all_gather(own)) {
    for (int k = 0; k < orders; ++k) join(sum.norms.order[k], one.norms.order[k]);
    sum.truncation += one.truncation, sum.operands += one.operands;
  }
  return sum;
}

static void add(DirectSum& sum, const DirectSum& one) {
  for (int k = 0; k < orders; ++k) sum.absolute[k] += one.absolute[k], sum.square[k] += one.square[k];
  for (int part = 0; part < most_parts; ++part)
    sum.part[part] += one.part[part], sum.missing[part] += one.missing[part];
}

std::vector<DirectSum> joined(Ranks& ranks, std::vector<DirectSum> own, std::size_t targets) {
  own.resize(targets);
  const std::vector<DirectSum> all = ranks.all_gather(own.data(), targets);
  std::vector<DirectSum> sums(targets);
  for (std::size_t i = 0; i < all.size(); ++i) add(sums[i % targets], all[i]);
  return sums;
}

std::vector<DirectSum> direct_sums_of(const farfield::cuda::NearWork<double>& work, const Decision& decision,
                                      const std::vector<std::int64_t>& at, farfield::cuda::DeviceMemory& memory) {
  constexpr std::ptrdiff_t most = 16384;  // of a launch: any axis of a grid may have as many blocks
  std::vector<DirectSum> sums;
  for (auto first = at.begin(); first != at.end();) {
    const auto end = first + std::min(most, at.end() - first);
    const std::vector<DirectSum> part =
        farfield::cuda::direct_sums(work, decision.parts(), {first, end}, decision.kernel, memory);
    sums.insert(sums.end(), part.begin(), part.end());
    first = end;
  }
  return sums;
}

void join(Ranks& ranks, std::vector<DirectSum>& own) {
  std::vector<double> sums;
  for (const DirectSum& one : own) sums.insert(sums.end(), one.part, one.part + most_parts);
  ranks.add(sums);
  for (std::size_t k = 0; k < own.size(); ++k)
    std::copy_n(sums.begin() + static_cast<std::ptrdiff_t>(k * most_parts), most_parts, own[k].part);
}

}  // namespace farfield::distributed
