// A file that several processes write together, each its own rows at their place; it appears whole or not at all.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "io/parts/sink.hpp"
#include "io/temporary.hpp"

namespace farfield::io {

/// all_gather(mine, bytes, all): `bytes` bytes of every part go to all parts, those of part p to all + p * bytes.
/// Throws on all parts where one of them has thrown.
using AllGather = std::function<void(const void* mine, std::size_t bytes, void* all)>;

class SharedOutput final : public Sink {
 public:
  /// Throws Error(output) where nothing can be written beside `path`; all parts must see one file there.
  SharedOutput(const std::string& path, const Part& part, AllGather all_gather);
  ~SharedOutput() override;  ///< without `commit` nothing remains
  SharedOutput(const SharedOutput&) = delete;
  SharedOutput& operator=(const SharedOutput&) = delete;

  void write(std::string_view bytes) override;
  void begin_rows(std::uint64_t bytes) override;
  void write_rows(std::string_view bytes) override;
  bool in_parts() const override { return true; }
  Checksum of_all(const Checksum& own) override;
  bool of_first(bool own) override;
  void commit();  ///< by all parts; the first one names the file

 private:
  template <class T>
  std::vector<T> gather(const T& own) {
    std::vector<T> all(static_cast<std::size_t>(part_.of));
    all_gather_(&own, sizeof own, all.data());
    return all;
  }
  void open_first();
  void open_other(const std::string& name);
  void put(std::string_view bytes, std::uint64_t at);
  [[noreturn]] void fail(int trouble) const;

  std::string path_;
  Part part_;
  AllGather all_gather_;
  std::optional<Temporary> temporary_;  // of the first part; none where the path is a device
  int file_ = -1;
  std::uint64_t end_ = 0;  // of what all parts have written so far
  std::uint64_t row_ = 0;  // where this part's next rows go
};

}  // namespace farfield::io
