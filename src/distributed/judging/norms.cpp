#include "distributed/judging/norms.hpp"

namespace farfield::distributed {

/// The targets of the last piece, whose results of these parts lie on several ranks.
template <class Real>
struct LastPiece {
  std::vector<Real> part[most_parts];
  ResultArrays<Real> result;

  LastPiece(Ranks& ranks, const Aligned& pieces, const ResultArrays<Real>& own, PartRange range) {
    for (int p = range.first; p < range.end; ++p) {
      part[p] = pieces.last_of(ranks, static_cast<const Real*>(own.part[p]));
      result.part[p] = part[p].data();
    }
  }
};

template <class Real>
Norms norms_of(Ranks& ranks, const Aligned& pieces, const ResultArrays<Real>& result) {
  return norms_with(result, [&]<class Sum>(Sum, PartRange range) {
    const LastPiece<Real> last(ranks, pieces, result, range);
    std::vector<NormPart<Sum>> parts;
    for (std::int64_t i = pieces.begin(); i < pieces.end(); i += norm_grain)
      parts.push_back(norm_part<Sum>(result, range, i, i + norm_grain));
    if (pieces.last() > 0) parts.push_back(norm_part<Sum>(last.result, range, 0, pieces.last()));
    return norm_from(ranks.gather_all(parts));
  });
}

template Norms norms_of<float>(Ranks&, const Aligned&, const ResultArrays<float>&);
template Norms norms_of<double>(Ranks&, const Aligned&, const ResultArrays<double>&);

}  // namespace farfield::distributed
