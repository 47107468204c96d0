// One line on standard error that says what is going on; nothing where no person looks.
#pragma once
#include <string>

namespace farfield::cli {

class Progress {
 public:
  explicit Progress(bool quiet);
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void operator()(const std::string& what);  ///< replaces the line
  void clear();                              ///< before anything else is printed

 private:
  bool shown_, dirty_ = false;
};

}  // namespace farfield::cli
