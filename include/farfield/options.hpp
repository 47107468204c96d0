// Options: what is asked for and, in the expert part, how to reach it. Meaning and default of each option:
// options_list.h, from which this header is made.
#pragma once
#include <farfield/kernels.h>
#include <farfield/options_list.h>

#include <cstdint>

namespace farfield {

#define FARFIELD_ENUMERATOR(name, NAME, number, ...) name = number,
#define FARFIELD_KERNEL_ENUMERATOR(name, NAME, Type, number, formula) name = number,

/// u(x) = sum_j q_j K(x, y_j) with K of kernels.h times Options::scale; pairs at distance zero contribute nothing (but
/// see `count`, `gauss` and Options::softening).
enum class Kernel : int { FARFIELD_KERNELS(FARFIELD_KERNEL_ENUMERATOR) };
enum class Method : int { FARFIELD_METHOD(FARFIELD_ENUMERATOR) };
enum class SofteningKind : int { FARFIELD_SOFTENING_KIND(FARFIELD_ENUMERATOR) };
enum class Precision : int { FARFIELD_PRECISION(FARFIELD_ENUMERATOR) };
enum class Backend : int { FARFIELD_BACKEND(FARFIELD_ENUMERATOR) };
enum class Core : int { FARFIELD_CORE(FARFIELD_ENUMERATOR) };
enum class Axes : int { FARFIELD_AXES(FARFIELD_ENUMERATOR) };
enum class ToleranceFor : int { FARFIELD_TOLERANCE_FOR(FARFIELD_ENUMERATOR) };
enum class M2l : int { FARFIELD_M2L(FARFIELD_ENUMERATOR) };
enum class Stencil : int { FARFIELD_STENCIL(FARFIELD_ENUMERATOR) };
enum class Simd : int { FARFIELD_SIMD(FARFIELD_ENUMERATOR) };

#undef FARFIELD_KERNEL_ENUMERATOR
#undef FARFIELD_ENUMERATOR

/// A value of an option that is a word, and its word in reports and on the command line.
template <class Enum>
struct Word {
  Enum value;
  const char* word;
};

#define FARFIELD_WORD(name, NAME, number, word) {Own::name, word},
#define FARFIELD_KERNEL_WORD(name, NAME, Type, number, formula) {Own::name, #name},
#define FARFIELD_WORDS_OF(Enum, LIST, WORD)                                                \
  inline constexpr auto words_of(Enum) {                                                   \
    using Own = Enum;                                                                      \
    struct All {                                                                           \
      Word<Enum> all[0 LIST(FARFIELD_COUNT_ONE)];                                          \
      constexpr const Word<Enum>* begin() const { return all; }                            \
      constexpr const Word<Enum>* end() const { return all + sizeof all / sizeof all[0]; } \
    };                                                                                     \
    return All{{LIST(WORD)}};                                                              \
  }
#define FARFIELD_COUNT_ONE(...) +1
/// words_of(Method{}) and so on: all values of an enum with their words, from number 0 on.
FARFIELD_WORDS_OF(Kernel, FARFIELD_KERNELS, FARFIELD_KERNEL_WORD)
FARFIELD_WORDS_OF(Method, FARFIELD_METHOD, FARFIELD_WORD)
FARFIELD_WORDS_OF(SofteningKind, FARFIELD_SOFTENING_KIND, FARFIELD_WORD)
FARFIELD_WORDS_OF(Precision, FARFIELD_PRECISION, FARFIELD_WORD)
FARFIELD_WORDS_OF(Backend, FARFIELD_BACKEND, FARFIELD_WORD)
FARFIELD_WORDS_OF(Core, FARFIELD_CORE, FARFIELD_WORD)
FARFIELD_WORDS_OF(Axes, FARFIELD_AXES, FARFIELD_WORD)
FARFIELD_WORDS_OF(ToleranceFor, FARFIELD_TOLERANCE_FOR, FARFIELD_WORD)
FARFIELD_WORDS_OF(M2l, FARFIELD_M2L, FARFIELD_WORD)
FARFIELD_WORDS_OF(Stencil, FARFIELD_STENCIL, FARFIELD_WORD)
FARFIELD_WORDS_OF(Simd, FARFIELD_SIMD, FARFIELD_WORD)
#undef FARFIELD_COUNT_ONE
#undef FARFIELD_WORDS_OF
#undef FARFIELD_KERNEL_WORD
#undef FARFIELD_WORD

/// The word of a value; null for a number that is not a value of the enum.
template <class Enum>
constexpr const char* word_of(Enum value) {
  for (const Word<Enum>& one : words_of(Enum{}))
    if (one.value == value) return one.word;
  return nullptr;
}

namespace option {  // the types of options_list.h, and the groups of the command line
using flag = bool;
using whole = int;
using count = std::int64_t;
using seed = std::uint64_t;
using real = double;
using farfield::Axes, farfield::Backend, farfield::Core, farfield::Kernel, farfield::M2l, farfield::Method,
    farfield::Precision, farfield::Simd, farfield::SofteningKind, farfield::Stencil, farfield::ToleranceFor;
enum class Where { general, expert, interface_only };
}  // namespace option

struct Options {
#define FARFIELD_FIELD(type, name, initial, ...) option::type name = initial;
  FARFIELD_OPTIONS(FARFIELD_FIELD)
#undef FARFIELD_FIELD
};

/// What options_list.h states of an option beside type and default.
struct OptionText {
  const char* name;
  option::Where where;
  const char *sign, *help;
};

/// visit(OptionText, options.member) for every option, in the order of the list.
template <class AnyOptions, class Visit>
void visit_options(AnyOptions& options, Visit&& visit) {
#define FARFIELD_VISIT(type, name, initial, where, sign, help) \
  visit(OptionText{#name, option::Where::where, sign, help}, options.name);
  FARFIELD_OPTIONS(FARFIELD_VISIT)
#undef FARFIELD_VISIT
}

}  // namespace farfield
