// Replays: calls that are captured in a CUDA graph, and what its replays met.
#pragma once
#include <farfield/error.hpp>
#include <farfield/views.hpp>
#include <string>

#include "backends/met.hpp"

namespace farfield {

/// Throw Error(usage) where a call could not be captured.
void require_captured_move(bool was_captured);
void require_captured_evaluation(bool was_captured);
/// Results go to device memory, in the order of the stream from which the graph is captured.
void require_captured_memory(const Strengths& strengths, const Outputs& outputs);

/// Throws Error(input) where replays met something.
void require_nothing_met(Met met);
/// The sentence that check() throws; empty where it throws none.
template <class Check>
std::string met_by_replays(const Check& check) {
  try {
    check();
  } catch (const Error& met) {
    return met.what();
  }
  return {};
}

}  // namespace farfield
