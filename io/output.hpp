// A file that appears whole or not at all: it gets its name when it is complete.
#pragma once
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include "io/parts/sink.hpp"
#include "io/temporary.hpp"

namespace farfield::io {

/// Where a file is to appear. Throws Error(output) for a directory.
struct Destination {
  std::string path;      ///< behind a link, which is written through and not replaced
  bool special = false;  ///< a device or a pipe, which is written as it is
};
Destination destination_of(const std::string& path);
[[noreturn]] void fail_to_write(const std::string& path, const std::string& why);

class Output final : public Sink {
 public:
  /// Throws Error(output) where nothing can be written beside `path`. "-" is standard output.
  explicit Output(const std::string& path);
  ~Output() override;  ///< without `commit` nothing remains
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void write(std::string_view bytes) override;
  void commit();
  std::FILE* handle() { return file_; }  ///< for libpng

 private:
  [[noreturn]] void fail(const std::string& what) const;
  std::string path_;
  std::optional<Temporary> temporary_;  // none where the path is a device or a pipe, which must not be replaced
  std::FILE* file_ = nullptr;
};

}  // namespace farfield::io
