// What every function of the C interface does: exceptions become codes and a sentence, views and options are converted.
#pragma once
#include <farfield/farfield.h>

#include <cstddef>
#include <cstring>
#include <exception>
#include <farfield/farfield.hpp>
#include <new>
#include <string>
#include <type_traits>
#include <vector>

namespace farfield::c {

/// Keeps the sentence for farfield_last_error; gives the code.
int fail(ErrorCode code, const char* sentence) noexcept;

template <class Body>
int guarded(Body&& body) noexcept {
  try {
    body();
    return FARFIELD_OK;
  } catch (const Error& error) {
    return fail(error.code(), error.what());
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::memory, "not enough memory; use fewer points or a larger tolerance");
  } catch (const std::exception& error) {
    return fail(ErrorCode::internal, error.what());
  } catch (...) {
    return fail(ErrorCode::internal, "an exception of unknown type left the library; please report it");
  }
}

template <class T>
T& required(T* pointer, const char* name) {
  if (!pointer) throw Error(ErrorCode::input, std::string(name) + " is a null pointer");
  return *pointer;
}

template <class Enum>
Enum checked(int value, Enum last, const char* name) {
  if (value < 0 || value > static_cast<int>(last))
    throw Error(ErrorCode::usage, std::string(name) + " has the unknown value " + std::to_string(value) +
                                      "; use a constant of farfield.h, from 0 to " +
                                      std::to_string(static_cast<int>(last)));
  return static_cast<Enum>(value);
}

inline Scalar scalar_from(int value) { return checked(value, Scalar::float64, "scalar"); }
inline MemorySpace space_from(int value) { return checked(value, MemorySpace::device, "space"); }

inline Points points_from(const farfield_points& c) {
  return {{c.axis[0], c.axis[1], c.axis[2]},
          c.count,
          c.stride,
          scalar_from(c.scalar),
          space_from(c.space),
          c.stream,
          c.softening};
}

template <class Sum>
Sum made(const Points& sources, const farfield_points* targets, const Options& options) {
  return targets ? Sum(sources, points_from(*targets), options) : Sum(sources, options);
}
template <class Sum>
void move_to(Sum& sum, const Points& sources, const farfield_points* targets) {
  if (targets)
    sum.move(sources, points_from(*targets));
  else
    sum.move(sources);
}

inline Strengths strengths_from(const farfield_strengths& c) {
  return {c.data,
          c.count,
          c.vectors,
          c.stride,
          c.pitch,
          scalar_from(c.scalar),
          space_from(c.space),
          c.stream,
          c.dipoles,
          c.dipole_stride ? c.dipole_stride : 3,
          c.dipole_pitch};
}

inline Outputs outputs_from(const farfield_outputs& c) {
  return {c.potential,         c.gradient, c.source_potential, c.source_gradient, scalar_from(c.scalar),
          space_from(c.space), c.stream,   c.hessian,          c.source_hessian,  c.virial};
}

// from_c: one option of C as that of C++.
template <class Value>
void from_c(Value given, Value& value, const char*) {
  value = given;
}
inline void from_c(int given, bool& value, const char*) { value = given != 0; }
template <class Enum>
requires std::is_enum_v<Enum>
void from_c(int given, Enum& value, const char* name) {
  const auto words = words_of(Enum{});
  value = checked(given, (words.end() - 1)->value, name);
}

inline farfield_options defaults() {
  const Options o;
  farfield_options c{};
  c.struct_size = sizeof c;
#define FARFIELD_TO_C(type, name, ...) c.name = static_cast<farfield_##type>(o.name);
  FARFIELD_OPTIONS(FARFIELD_TO_C)
#undef FARFIELD_TO_C
  return c;
}

inline Options options_from(const farfield_options* given) {
  if (!given) return {};
  farfield_options c = defaults();
  if (given->struct_size < offsetof(farfield_options, gradient))
    throw Error(ErrorCode::usage, "farfield_options.struct_size is not set; call farfield_options_init first");
  if (given->struct_size > sizeof c)
    throw Error(ErrorCode::usage, "farfield_options is that of a later version than this library, " FARFIELD_VERSION
                                  "; link the library that belongs to the header");
  std::memcpy(&c, given, given->struct_size);
  Options o;
#define FARFIELD_FROM_C(type, name, ...) from_c(c.name, o.name, #name);
  FARFIELD_OPTIONS(FARFIELD_FROM_C)
#undef FARFIELD_FROM_C
  return o;
}

inline const char* warning_at(const std::vector<std::string>& warnings, std::int64_t index) {
  return index >= 0 && index < std::ssize(warnings) ? warnings[static_cast<std::size_t>(index)].c_str() : nullptr;
}

}  // namespace farfield::c
