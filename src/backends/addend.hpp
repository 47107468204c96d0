// Addend: what else the results of a plan of images get on their way to the caller, in a CUDA graph.
#pragma once

namespace farfield {

namespace cuda {
class HomeBoxes;
}

/// In device memory, of the results' scalar and in their order. The strengths of the evaluation are those of the
/// points, which their images share with them. Events are CUDA's.
struct Addend {
  const void *potential, *gradient;
  void* ready;                       ///< the event after which they are there; null: nothing is added to results
  void* strengths_ready = nullptr;   ///< the same of the strengths, if that is before the call's turn in its stream
  void* crowded_until = nullptr;     ///< that until which what makes them leaves no multiprocessor empty
  cuda::HomeBoxes* boxes = nullptr;  ///< to whose local expansions far images are added, in place of the results
};

}  // namespace farfield
