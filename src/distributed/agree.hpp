// Agree: what all ranks of a plan have alike, the survey of all their points, and what is not offered.
#pragma once
#include <string>

#include "backends/cpu/transfer/survey.hpp"
#include "distributed/partition/partition.hpp"

namespace farfield::distributed {

/// A survey of all ranks' points.
class OtherRanks final : public cpu::OtherParts {
 public:
  explicit OtherRanks(Ranks& ranks) : ranks_(ranks) {}
  void join(cpu::Found& found) override;
  void join(std::vector<std::uint64_t>& occupied) override;

 private:
  Ranks& ranks_;
};

/// Throws Error(usage): `what`, and that it is not offered yet.
[[noreturn]] void refuse(const std::string& what);
void require_offered(const Decision& decision);

/// A number that other options would hardly have; of options that must be the same on all ranks.
std::int64_t fingerprint(const farfield::Options& options);
/// What `options` say must be the same on all ranks, or they would part ways.
void require_same(Ranks& ranks, const farfield::Options& options);
/// Throws Error(usage) with this sentence where a number differs between ranks.
void require_same(Ranks& ranks, std::int64_t own, const char* sentence);

}  // namespace farfield::distributed
