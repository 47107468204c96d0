// Files that are not there yet: what is written gets its name only when it is whole.
#pragma once
#include <string>

namespace farfield::io {

/// A file without a name where the system offers that (Linux, most file systems): nothing of it outlives the process,
/// however that ends. Elsewhere one named ".farfield-PID-N.part" in the same folder, which SIGINT, SIGTERM and SIGHUP
/// remove.
class Temporary {
 public:
  enum class Name { if_needed, always };
  /// For a file to appear at `path`. `descriptor()` is -1 where that cannot be, with the reason in errno.
  explicit Temporary(const std::string& path, Name name = Name::if_needed);
  ~Temporary();  ///< what was not published is gone
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;

  const std::string& name() const { return name_; }  ///< that it has until it is published, with Name::always
  int descriptor() const { return descriptor_; }     ///< stays this object's: write to a duplicate
  /// Gives the file its name, in place of any that had it. False: errno says why.
  bool publish();

 private:
  std::string path_, name_;
  int descriptor_ = -1, slot_ = -1;
  bool named_ = false;
};

}  // namespace farfield::io
