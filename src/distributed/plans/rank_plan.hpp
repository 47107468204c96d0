// RankPlan: what distributed::Plan does for its caller, for points that repeat and for points that do not. All
// functions but count and report are called by all ranks, within Ranks::together.
#pragma once
#include <array>

#include "distributed/partition/partition.hpp"
#include "distributed/route/rows.hpp"

namespace farfield::distributed {

/// Where results are parts of larger arrays: points of these from one vector to the next; 0: they are not.
struct WholeArrays {
  std::int64_t targets = 0, sources = 0;
};

class RankPlan {
 public:
  virtual ~RankPlan() = default;
  Capacity capacity;  ///< of this rank

  virtual void build(const Given& given) = 0;
  virtual void set_cell(const std::array<double, 9>& vectors) = 0;
  virtual void forget() = 0;
  virtual void evaluate(const Strengths& strengths, const Outputs& outputs, Order order, const WholeArrays& whole) = 0;
  virtual const Report& report() const = 0;

  /// Of this rank's points.
  virtual std::int64_t count(Set set, Order order) const = 0;
  virtual std::vector<Origin> origins(Set set) = 0;
  virtual void carry(const Rows& rows, Set set, Order wanted) = 0;
};

inline constexpr const char* one_order = "ranks pass arrays in different orders; pass the same order on all";
inline constexpr const char* one_set = "some ranks name the sources and others the targets; name one set on all";
inline constexpr const char* one_kind_of_targets =
    "some ranks pass targets and others none; pass targets, perhaps none, on all";
inline constexpr const char* as_many_vectors = "ranks pass different numbers of strength vectors; pass the same on all";
inline constexpr const char* one_scalar = "ranks want results of different types; pass the same on all";

/// Throws on all ranks what differs between them.
void require_same(Ranks& ranks, const farfield::Options& options, const Given& given);

/// Gathers what each rank held and did in an evaluation that took so long here.
void account(Ranks& ranks, RankReport own, double seconds, Report& report);

}  // namespace farfield::distributed
