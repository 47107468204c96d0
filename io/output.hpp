// A file that appears whole or not at all: it gets its name when it is complete.
#pragma once
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include "io/temporary.hpp"

namespace farfield::io {

class Output {
 public:
  /// Throws Error(output) where nothing can be written beside `path`. "-" is standard output.
  explicit Output(const std::string& path);
  ~Output();  ///< without `commit` nothing remains
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void write(std::string_view bytes);
  void commit();
  std::FILE* handle() { return file_; }  ///< for libpng

 private:
  [[noreturn]] void fail(const std::string& what) const;
  std::string path_;
  std::optional<Temporary> temporary_;  // none where the path is a device or a pipe, which must not be replaced
  std::FILE* file_ = nullptr;
};

}  // namespace farfield::io
