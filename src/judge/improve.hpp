// Improve: the decision with which to evaluate again, from the quality of an evaluation.
#pragma once
#include <optional>
#include <string>

#include "judge/quality.hpp"

namespace farfield {

/// The decision with which to evaluate again where the quality does not keep the tolerance: another degree, double,
/// pairs summed to all bits, m2l of more terms or without 16-bit operands, or direct sums. Nothing where the quality
/// suffices, or where the caller chose degree and kernel himself.
std::optional<Decision> improved(const Decision& ran, const Quality& quality);

/// Do both sum the same tree alike, but for the scheme of m2l?
bool same_arithmetic(const Decision& a, const Decision& b);

/// One sentence on what changed between two decisions, for the report.
std::string difference(const Decision& first, const Decision& second);

}  // namespace farfield
