// What a file of results is written to: by one process, or by several that have a part of the rows each.
#pragma once
#include <string_view>

#include "io/parts/part.hpp"

namespace farfield::io {

/// With one part all there is to do is write. With several each calls the same functions in the same order.
class Sink {
 public:
  virtual ~Sink() = default;
  /// What is once in the file: the same bytes in all parts.
  virtual void write(std::string_view bytes) = 0;
  /// The rows of all parts come next, and `bytes` bytes of them are given to write_rows by this part.
  virtual void begin_rows(std::uint64_t /*bytes*/) {}
  virtual void write_rows(std::string_view bytes) { write(bytes); }
  virtual bool in_parts() const { return false; }
  virtual Checksum of_all(const Checksum& own) { return own; }  ///< of the parts' rows together
  virtual bool of_first(bool own) { return own; }               ///< what the first part says; no part is longer
};

}  // namespace farfield::io
