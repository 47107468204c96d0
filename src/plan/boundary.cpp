#include "plan/boundary.hpp"

#include <farfield/error.hpp>
#include <new>
#include <stdexcept>
#include <string>

namespace farfield {

/// Made when the library is loaded: copies of an Error share its sentence, so that throwing one takes no memory.
static const Error& shortage() {
  static const Error error(ErrorCode::memory,
                           "not enough memory; use fewer points, a larger tolerance or precision single");
  return error;
}
[[maybe_unused]] static const Error& made_on_loading = shortage();

static Error unexpected(const std::exception& e) {
  try {
    return {ErrorCode::internal, std::string("unexpected failure: ") + e.what() + "; please report it"};
  } catch (const std::bad_alloc&) {
    return shortage();
  }
}

void rethrow_as_error() {
  try {
    throw;
  } catch (const Error&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw shortage();
  } catch (const std::length_error&) {  // more elements than any memory holds
    throw shortage();
  } catch (const std::exception& e) {
    throw unexpected(e);
  }
}

}  // namespace farfield
