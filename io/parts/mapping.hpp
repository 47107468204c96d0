// A file as bytes in memory that are fetched when they are looked at: who reads a part of it reads no more.
#pragma once
#include <string>
#include <string_view>

namespace farfield::io {

/// Of a regular file. As with every mapping, the file must not be cut short while it is looked at.
class Mapping {
 public:
  /// Throws Error(input) where the file cannot be opened or is empty.
  explicit Mapping(const std::string& path);
  ~Mapping();
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  std::string_view view() const { return {static_cast<const char*>(data_), size_}; }

 private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace farfield::io
