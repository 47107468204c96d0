#include "plan/report/replays.hpp"

namespace farfield {

void require_captured_move(bool was_captured) {
  if (was_captured) return;
  throw Error(
      ErrorCode::usage,
      "a move that a CUDA graph captures keeps the tree: take method fmm, give the plan a skin, as many points in device "
      "memory, and evaluate it after its last move outside of the graph; where a vector was evaluated again, move and "
      "evaluate once more");
}

void require_captured_evaluation(bool was_captured) {
  if (was_captured) return;
  throw Error(ErrorCode::usage,
              "an evaluation that a CUDA graph captures repeats the last one: evaluate the plan once before, without "
              "check and virial; where a vector was evaluated again, move and evaluate once more");
}

void require_captured_memory(const Strengths& strengths, const Outputs& outputs) {
  if (outputs.space == MemorySpace::device && outputs.stream == strengths.stream) return;
  throw Error(
      ErrorCode::usage,
      "results of an evaluation that a CUDA graph captures lie in device memory, in the order of the stream that "
      "is captured; pass such outputs");
}

static const char* sentence(Met met) {
  if (met == Met::other_strengths)
    return "in a replay of the graph the largest strength was more than twice or less than a sixteenth of that before "
           "the capture, or one was no finite number; evaluate and capture again";
  return "in a replay of the graph a point was farther than the skin from where it was when the tree was built, or no "
         "number; go back to where check_replays last passed, move, evaluate and capture again";
}

void require_nothing_met(Met met) {
  if (met != Met::nothing) throw Error(ErrorCode::input, sentence(met));
}

}  // namespace farfield
