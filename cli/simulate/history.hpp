// The diagnostics of all steps: energy.csv as the run goes on, and a picture of them at its end.
#pragma once
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "motion/diagnostics.hpp"

namespace farfield::cli {

struct Row {
  std::int64_t step = 0;
  double time = 0;
  motion::Diagnostics d;
  double change = 0;  ///< of the energy since step 0, relative
};

class History {
 public:
  /// Begins the file anew, or after the rows before step `from` where it is there and the run goes on. Throws
  /// Error(output), or Error(input) for a file that is another.
  History(const std::string& path, std::int64_t from);

  void add(const Row& row);
  void flush();  ///< for those who look at the file meanwhile
  const std::vector<Row>& rows() const { return rows_; }

  /// Energies, their change and the virial ratio over time.
  void draw(const std::string& path, const std::string& title) const;

 private:
  void keep(const std::string& text, std::int64_t before);
  void write(const std::string& text);
  [[noreturn]] void fail() const;

  std::string path_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_{nullptr, &std::fclose};
  std::vector<Row> rows_;
};

}  // namespace farfield::cli
