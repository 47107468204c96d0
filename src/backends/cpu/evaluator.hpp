// The interface of the CPU backend to the plan layer.
#pragma once
#include <memory>

#include "backends/evaluator.hpp"

namespace farfield::cpu {

/// An evaluator for the decision's kernel, precision, method and instruction set.
std::unique_ptr<Evaluator> make_evaluator(const Decision& decision, int threads);

/// May the evaluator of a decision be built anew for the next one? Kernel, method, precision, instruction set and results
/// are those of its arrays.
bool may_adopt(const Decision& own, const Decision& next);

/// Vectors of strengths of a call that are summed together, in one pass of every stage, where they carry no dipoles: as
/// many as stages are compiled for. Each keeps the bits that it has alone.
int densities_of(const Decision& decision);

/// Upper bound of the bytes such an evaluator holds at one time for these counts.
std::int64_t memory_bound(const Decision& decision, std::int64_t sources, std::int64_t targets, bool alike);

}  // namespace farfield::cpu
