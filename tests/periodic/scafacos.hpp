// ScaFaCoS' test files as far as these tests need them: one configuration, attributes on the lines of their particles.
#pragma once
#include <cstdio>
#include <filesystem>
#include <string>

#include "support/ewald.hpp"

namespace farfield::testing {

struct ScafacosFile {
  Rows cell;
  Axes axes;
  std::vector<Vec> x, field;
  std::vector<double> q, potential;
};

/// The three numbers of name="..." in `line`; zeros behind the end.
inline Vec numbers(const std::string& line, const std::string& name) {
  Vec v{};
  const std::size_t at = line.find(name + "=\"");
  if (at == std::string::npos) return v;
  const char* text = line.c_str() + at + name.size() + 2;
  for (Real& value : v) {
    char* end = nullptr;
    value = std::strtold(text, &end);
    text = end;
  }
  return v;
}

/// Empty where the file is not there.
inline ScafacosFile read_scafacos(const std::string& path) {
  ScafacosFile file{};
  if (!std::filesystem::exists(path)) return file;
  FILE* pipe = popen(("gzip -dc '" + path + "'").c_str(), "r");
  std::string text;
  for (int c = 0; pipe && (c = std::fgetc(pipe)) != EOF;) text += static_cast<char>(c);
  if (pipe) pclose(pipe);
  for (std::size_t at = 0; (at = text.find('<', at)) != std::string::npos; ++at) {
    const std::string line = text.substr(at, text.find('>', at) - at);
    if (line.starts_with("<configuration")) {
      const char* names[] = {"box_a", "box_b", "box_c"};
      for (int i = 0; i < 3; ++i) {
        const Vec row = numbers(line, names[i]);
        for (int a = 0; a < 3; ++a) file.cell[i][a] = static_cast<double>(row[a]);
        file.axes[i] = numbers(line, "periodicity")[i] != 0;
      }
    }
    if (!line.starts_with("<particle")) continue;
    file.x.push_back(numbers(line, "position"));
    file.q.push_back(static_cast<double>(numbers(line, " q")[0]));
    file.potential.push_back(static_cast<double>(numbers(line, "potential")[0]));
    file.field.push_back(numbers(line, "field"));
  }
  return file;
}

}  // namespace farfield::testing
