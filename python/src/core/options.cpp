// Options by keyword: every option of options_list.h, by the same visit as the command line's.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

#include "core.hpp"

namespace farfield::python {

namespace {

/// What Python sees of an option: for signatures, stubs and documentation.
struct OptionInfo {
  std::string name, type;
  nb::object initial;
  std::vector<std::string> words;
  std::string help;
};

[[noreturn]] void refuse(const char* name, nb::handle value, const std::string& wanted) {
  throw Error(ErrorCode::usage, std::string(name) + " is " + nb::repr(value).c_str() + "; pass " + wanted);
}

/// NumPy's is no bool of Python's.
bool is_truth_value(nb::handle value) {
  if (PyBool_Check(value.ptr())) return true;
  const nb::object type = nb::getattr(value, "dtype", nb::none());
  return !type.is_none() && nb::repr(nb::getattr(type, "kind", nb::none())).equal(nb::str("'b'"));
}

void read(const char* name, nb::handle value, bool& option) {
  if (!is_truth_value(value)) refuse(name, value, "True or False");
  option = PyObject_IsTrue(value.ptr()) == 1;
}

template <class Whole>
requires std::is_integral_v<Whole>
void read(const char* name, nb::handle value, Whole& option) {
  if (PyBool_Check(value.ptr()) || !nb::try_cast<Whole>(value, option)) refuse(name, value, "a whole number");
}

void read(const char* name, nb::handle value, double& option) {
  const double number = PyUnicode_Check(value.ptr()) ? -1 : PyFloat_AsDouble(value.ptr());
  if (PyErr_Occurred() || PyUnicode_Check(value.ptr())) {
    PyErr_Clear();
    refuse(name, value, "a number");
  }
  option = number;
}

template <class Enum>
requires std::is_enum_v<Enum>
void read(const char* name, nb::handle value, Enum& option) {
  std::string word, words;
  const bool is_word = nb::try_cast<std::string>(value, word);
  for (const auto& one : words_of(Enum{})) {
    if (is_word && word == one.word) {
      option = one.value;
      return;
    }
    words += std::string(words.empty() ? "\"" : "\", \"") + one.word;
  }
  refuse(name, value, "one of " + words + "\"");
}

std::vector<std::string> words_for(const auto& value) {
  std::vector<std::string> words;
  if constexpr (std::is_enum_v<std::remove_cvref_t<decltype(value)>>)
    for (const auto& one : words_of(value)) words.emplace_back(one.word);
  return words;
}

nb::object as_python(const auto& value) {
  if constexpr (std::is_enum_v<std::remove_cvref_t<decltype(value)>>)
    return nb::str(word_of(value));
  else
    return nb::cast(value);
}

std::vector<OptionInfo> all_options() {
  std::vector<OptionInfo> all;
  const Options initial;
#define FARFIELD_INFO(type, name, ...) \
  all.push_back({#name, #type, as_python(initial.name), words_for(initial.name), {}});
  FARFIELD_OPTIONS(FARFIELD_INFO)
#undef FARFIELD_INFO
  auto info = all.begin();
  visit_options(initial, [&](const OptionText& text, const auto&) { (info++)->help = text.help; });
  return all;
}

[[noreturn]] void refuse_name(const std::string& name) {
  const nb::object close = nb::module_::import_("difflib").attr("get_close_matches");
  nb::list names;
  for (const OptionInfo& info : all_options()) names.append(info.name);
  const nb::object found = close(name, names, 1);
  const std::string hint =
      nb::len(found) ? "; did you mean " + nb::cast<std::string>(found[0]) + "?" : "; help(farfield.Plan) lists all";
  throw Error(ErrorCode::usage, "there is no option " + name + hint);
}

}  // namespace

Options options_of(const nb::dict& keywords) {
  Options options;
  std::size_t known = 0;
  visit_options(options, [&](const OptionText& text, auto& option) {
    if (!keywords.contains(text.name)) return;
    read(text.name, keywords[text.name], option);
    ++known;
  });
  if (known == keywords.size()) return options;
  for (const auto& [key, value] : keywords) {
    const std::string name = nb::cast<std::string>(key);
    bool found = false;
    visit_options(options, [&](const OptionText& text, auto&) { found = found || name == text.name; });
    if (!found) refuse_name(name);
  }
  return options;
}

CoulombOptions coulomb_options_of(const nb::dict& keywords) {
  CoulombOptions options;
  visit_coulomb_options(options, [&](const OptionText& text, auto& option) {
    if (keywords.contains(text.name)) read(text.name, keywords[text.name], option);
  });
  return options;
}

void bind_options(nb::module_& module) {
  nb::class_<OptionInfo>(module, "OptionInfo")
      .def_ro("name", &OptionInfo::name)
      .def_ro("type", &OptionInfo::type)
      .def_ro("initial", &OptionInfo::initial)
      .def_ro("words", &OptionInfo::words)
      .def_ro("help", &OptionInfo::help);
  module.def("options", &all_options, "Every option: name, type, default, words, line of help.");
  module.def(
      "kernels",
      [] {
        nb::dict formulas;
#define FARFIELD_FORMULA(name, NAME, Type, number, formula) formulas[#name] = formula;
        FARFIELD_KERNELS(FARFIELD_FORMULA)
#undef FARFIELD_FORMULA
        return formulas;
      },
      nb::sig("def kernels() -> dict[str, str]"), "Every kernel with its formula.");
}

}  // namespace farfield::python
