// Improve: from the quality of an evaluation to the decision to evaluate again with.
#pragma once
#include <optional>
#include <string>

#include "judge/quality.hpp"

namespace farfield {

/// The decision to evaluate again with where that quality does not keep the tolerance: another degree, double, pairs to
/// all bits, or all pairs. Nothing where it suffices, or where the caller chose degree and kernel himself.
std::optional<Decision> improved(const Decision& ran, const Quality& quality);

/// One sentence on what changed between two decisions, for the report.
std::string difference(const Decision& first, const Decision& second);

}  // namespace farfield
