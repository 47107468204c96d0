#include "output.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "farfield/error.hpp"

namespace farfield::io {
namespace fs = std::filesystem;

Output::Output(const std::string& path) : path_(path) {
  static std::atomic<int> serial{0};  // two outputs of one process must not share a temporary name
  std::error_code ignored;
  const auto status = fs::status(path, ignored);
  if (fs::is_directory(status)) {
    throw Error(ErrorCode::output, fmt::format("{}: this is a directory; name a file in it.", path));
  }
  if (fs::is_symlink(fs::symlink_status(path, ignored))) {  // write through a link, do not replace it
    const auto real = fs::weakly_canonical(path, ignored);
    if (!ignored) path_ = real.string();
  }
  const bool special = fs::exists(status) && !fs::is_regular_file(status);
  temporary_ = special ? path_ : fmt::format("{}.{}-{}.part", path_, ::getpid(), serial++);
  file_ = std::fopen(temporary_.c_str(), special ? "wb" : "wbx");
  if (!file_) fail(std::strerror(errno));
}

Output::~Output() {
  if (!file_) return;
  std::fclose(file_);
  if (temporary_ != path_) std::remove(temporary_.c_str());
}

void Output::fail(const std::string& what) const {
  throw Error(
      ErrorCode::output,
      fmt::format("{}: cannot be written ({}); check the folder, its permissions and the space left.", path_, what));
}

void Output::write(std::string_view bytes) {
  if (!bytes.empty() && std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) fail(std::strerror(errno));
}

void Output::commit() {
  std::FILE* const file = std::exchange(file_, nullptr);
  const bool flushed = std::fflush(file) == 0 && std::ferror(file) == 0;
  const bool closed = std::fclose(file) == 0;
  const int trouble = errno;
  if (flushed && closed && (temporary_ == path_ || std::rename(temporary_.c_str(), path_.c_str()) == 0)) return;
  const int reason = flushed && closed ? errno : trouble;
  if (temporary_ != path_) std::remove(temporary_.c_str());
  fail(std::strerror(reason));
}

}  // namespace farfield::io
