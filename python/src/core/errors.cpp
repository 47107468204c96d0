// farfield::Error as the exceptions of farfield/errors.py.
#include "core.hpp"

namespace farfield::python {

static const char* class_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::usage:
      return "UsageError";
    case ErrorCode::input:
      return "InputError";
    case ErrorCode::device:
      return "DeviceError";
    case ErrorCode::memory:
      return "OutOfMemoryError";
    case ErrorCode::output:
      return "OutputError";
    case ErrorCode::internal:
      return "InternalError";
    case ErrorCode::ok:
    case ErrorCode::accuracy:
      break;
  }
  return "Error";
}

void bind_errors(nb::module_&) {
  nb::register_exception_translator([](const std::exception_ptr& pointer, void*) {
    try {
      std::rethrow_exception(pointer);
    } catch (const Error& error) {
      const nb::object type = nb::module_::import_("farfield.errors").attr(class_of(error.code()));
      PyErr_SetString(type.ptr(), error.what());
    }
  });
}

}  // namespace farfield::python
