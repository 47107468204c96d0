// What XLA calls, by its foreign function interface: jaxlib's headers, a C interface, and nothing of jaxlib to link.
// Arguments: sources, then targets, strengths, dipoles as far as the attributes say that they are there. All options
// are attributes, so that a compiled program that JAX has stored on disk says the same in another process.
#include <xla/ffi/api/ffi.h>

#include <charconv>

#include "../core.hpp"
#include "sums.hpp"

namespace farfield::python {

namespace ffi = xla::ffi;

namespace {

Plans& plans() {
  static Plans all;
  return all;
}

template <class Value>
Value attribute(const ffi::Dictionary& attributes, std::string_view name) {
  const auto found = attributes.get<Value>(name);
  if (found.has_error()) throw Error(ErrorCode::internal, "attribute " + std::string(name) + " is of another type");
  return *found;
}

void read(const ffi::Dictionary& attributes, std::string_view name, bool& option) {
  option = attribute<bool>(attributes, name);
}
void read(const ffi::Dictionary& attributes, std::string_view name, double& option) {
  option = attribute<double>(attributes, name);
}
template <class Whole>
requires std::is_integral_v<Whole>
void read(const ffi::Dictionary& attributes, std::string_view name, Whole& option) {
  option = static_cast<Whole>(attribute<std::int64_t>(attributes, name));
}
template <class Enum>
requires std::is_enum_v<Enum>
void read(const ffi::Dictionary& attributes, std::string_view name, Enum& option) {
  const auto word = attribute<std::string_view>(attributes, name);
  for (const auto& one : words_of(Enum{}))
    if (word == one.word) option = one.value;
}

std::string text_of(const auto& value) {
  if constexpr (std::is_enum_v<std::remove_cvref_t<decltype(value)>>) {
    return word_of(value);
  } else if constexpr (std::is_same_v<std::remove_cvref_t<decltype(value)>, bool>) {
    return value ? "1" : "0";
  } else {
    char digits[32];
    return {digits, std::to_chars(digits, digits + sizeof digits, value).ptr};
  }
}

void read_options(const ffi::Dictionary& attributes, Request& request) {
  visit_options(request.options, [&](const OptionText& text, auto& option) {
    if (!attributes.contains(text.name)) return;
    read(attributes, text.name, option);
    request.options_text += std::string(text.name) + "=" + text_of(option) + " ";
  });
}

Operand operand(const ffi::AnyBuffer& buffer, int own) {
  const auto shape = buffer.dimensions();
  const Scalar scalar = buffer.element_type() == ffi::DataType::F32 ? Scalar::float32 : Scalar::float64;
  return {static_cast<std::byte*>(buffer.untyped_data()), {shape.begin(), shape.size()}, own, scalar};
}

/// The arguments that are there, one after another.
class Arguments {
 public:
  explicit Arguments(const ffi::RemainingArgs& all) : all_(all) {}
  Operand next(int own) { return operand(*all_.get<ffi::AnyBuffer>(next_++), own); }
  std::optional<Operand> next_if(bool given, int own) {
    if (!given) return {};
    return next(own);
  }

 private:
  const ffi::RemainingArgs& all_;
  std::size_t next_ = 0;
};

Request requested(const ffi::RemainingArgs& given, const ffi::RemainingRets& results,
                  const ffi::Dictionary& attributes) {
  Arguments arguments(given);
  Request request{.options = {},
                  .options_text = {},
                  .sources = arguments.next(2),
                  .targets = {},
                  .strengths = {},
                  .dipoles = {},
                  .results = {}};
  read_options(attributes, request);
  request.targets = arguments.next_if(attribute<bool>(attributes, "targets"), 2);
  request.strengths = arguments.next_if(attribute<bool>(attributes, "strengths"), 2);
  request.dipoles = arguments.next_if(request.options.dipoles, 3);
  for (std::size_t i = 0; i < results.size(); ++i)
    request.results.push_back(operand(**results.get<ffi::AnyBuffer>(i), i == 0 ? 2 : 3));
  return request;
}

/// Nothing is thrown through XLA, which was not written for it.
ffi::Error computed(const auto& make_request) {
  try {
    sum(make_request(), plans());
    return ffi::Error::Success();
  } catch (const Error& error) {
    const bool of_caller = error.code() == ErrorCode::usage || error.code() == ErrorCode::input;
    return {of_caller ? ffi::ErrorCode::kInvalidArgument : ffi::ErrorCode::kInternal, error.what()};
  } catch (const std::exception& error) {
    return {ffi::ErrorCode::kInternal, error.what()};
  }
}

ffi::Error on_host(const ffi::RemainingArgs& given, const ffi::RemainingRets& results,
                   const ffi::Dictionary& attributes) {
  return computed([&] { return requested(given, results, attributes); });
}

ffi::Error on_device(void* stream, const ffi::RemainingArgs& given, const ffi::RemainingRets& results,
                     const ffi::Dictionary& attributes) {
  return computed([&] {
    Request request = requested(given, results, attributes);
    request.space = MemorySpace::device;
    request.stream = stream;
    return request;
  });
}

XLA_FFI_DEFINE_HANDLER(host_handler, on_host, ffi::Ffi::Bind().RemainingArgs().RemainingRets().Attrs());
XLA_FFI_DEFINE_HANDLER(device_handler, on_device,
                       ffi::Ffi::Bind().Ctx<ffi::PlatformStream<void*>>().RemainingArgs().RemainingRets().Attrs());

/// The options that were given, each of its own type.
nb::dict attributes_of(const nb::dict& keywords) {
  nb::dict attributes;
  const Options options = options_of(keywords);
  visit_options(options, [&](const OptionText& text, const auto& option) {
    if (!keywords.contains(text.name)) return;
    if constexpr (std::is_enum_v<std::remove_cvref_t<decltype(option)>>)
      attributes[text.name] = word_of(option);
    else
      attributes[text.name] = nb::cast(option);
  });
  return attributes;
}

}  // namespace

void bind_jax(nb::module_& module) {
  module.def("jax_handlers", [] {
    nb::dict handlers;
    handlers["cpu"] = nb::capsule(reinterpret_cast<void*>(host_handler));
    if (built_with_cuda()) handlers["CUDA"] = nb::capsule(reinterpret_cast<void*>(device_handler));
    return handlers;
  });
  module.def("jax_attributes", &attributes_of, nb::arg("options"));
  module.def("jax_forget", [] { plans().clear(); });
}

}  // namespace farfield::python
