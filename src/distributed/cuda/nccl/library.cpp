#include "distributed/cuda/nccl/library.hpp"

#include <dlfcn.h>

namespace farfield::distributed {
namespace {

/// First by its name, which is also that of a library that the process has already, as PyTorch's; then the one that was
/// found when Farfield was built. It stays open: its threads may run until the process ends.
void* open_nccl() {
  if (void* const library = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL)) return library;
  const char* const found = FARFIELD_NCCL_FOUND;
  return *found ? dlopen(found, RTLD_NOW | RTLD_LOCAL) : nullptr;
}

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

struct Opened {
  NcclLibrary functions;
  bool whole = false;
  Opened() {
    void* const library = open_nccl();
    if (!library) return;
    whole = true;
#define FARFIELD_NCCL_FUNCTION(name) whole = find(library, "nccl" #name, functions.name) && whole;
    FARFIELD_NCCL_FUNCTIONS(FARFIELD_NCCL_FUNCTION)
#undef FARFIELD_NCCL_FUNCTION
  }
};

}  // namespace

const NcclLibrary* nccl_library() {
  static const Opened opened;
  return opened.whole ? &opened.functions : nullptr;
}

}  // namespace farfield::distributed
