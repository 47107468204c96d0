// The functions of NCCL, looked up when a plan first wants them: what was built with NCCL also runs where there is
// none.
#pragma once
#include <nccl.h>

namespace farfield::distributed {

#define FARFIELD_NCCL_FUNCTIONS(F) \
  F(GetVersion)                    \
  F(GetErrorString)                \
  F(GetUniqueId)                   \
  F(CommInitRankConfig)            \
  F(CommGetAsyncError)             \
  F(CommFinalize)                  \
  F(CommDestroy)                   \
  F(CommAbort)                     \
  F(GroupStart)                    \
  F(Send)                          \
  F(Recv)                          \
  F(GroupEnd)

/// Each under NCCL's name without the prefix.
struct NcclLibrary {
#define FARFIELD_NCCL_FUNCTION(name) decltype(&::nccl##name) name = nullptr;
  FARFIELD_NCCL_FUNCTIONS(FARFIELD_NCCL_FUNCTION)
#undef FARFIELD_NCCL_FUNCTION
};

/// Null where this process finds no NCCL, or one that lacks any of these.
const NcclLibrary* nccl_library();

}  // namespace farfield::distributed
