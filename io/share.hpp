// How far reading or writing has come, for whoever shows it: another thread may look at any time.
#pragma once
#include <atomic>

namespace farfield::io {

/// From 0 to 1 of the file in hand; below 0 where its reader or writer does not say.
inline std::atomic<double> share_done{-1};

}  // namespace farfield::io
