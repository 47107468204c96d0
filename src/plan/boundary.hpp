// The boundary of the C++ interface: whatever fails within a public function leaves it as an Error.
#pragma once

namespace farfield {

/// Throws the exception that is being handled as an Error: a shortage of memory with code memory, others of the
/// standard library with code internal. Needs no memory itself. To be called in a handler.
[[noreturn]] void rethrow_as_error();

/// Runs body(); rethrows any exception as an Error.
template <class Body>
decltype(auto) guarded(const Body& body) {
  try {
    return body();
  } catch (...) {
    rethrow_as_error();
  }
}

}  // namespace farfield
