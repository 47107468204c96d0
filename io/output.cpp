#include "io/output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "farfield/error.hpp"

namespace farfield::io {
namespace fs = std::filesystem;

Destination destination_of(const std::string& path) {
  std::error_code ignored;
  const auto status = fs::status(path, ignored);
  if (fs::is_directory(status)) {
    throw Error(ErrorCode::output, fmt::format("{}: this is a directory; name a file in it.", path));
  }
  Destination to{path, fs::exists(status) && !fs::is_regular_file(status)};
  if (!to.special && fs::is_symlink(fs::symlink_status(path, ignored))) {
    const auto real = fs::weakly_canonical(path, ignored);
    if (!ignored) to.path = real.string();
  }
  return to;
}

void fail_to_write(const std::string& path, const std::string& why) {
  throw Error(
      ErrorCode::output,
      fmt::format("{}: cannot be written ({}); check the folder, its permissions and the space left.", path, why));
}

Output::Output(const std::string& path) : path_(path) {
  if (path == "-") {
    path_ = "standard output";
    file_ = ::fdopen(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0), "wb");
    if (!file_) fail(std::strerror(errno));
    return;
  }
  const Destination to = destination_of(path);
  path_ = to.path;
  if (to.special) {
    file_ = std::fopen(path_.c_str(), "wb");
  } else {
    temporary_.emplace(path_);
    const int theirs = temporary_->descriptor();
    const int own = theirs < 0 ? -1 : ::fcntl(theirs, F_DUPFD_CLOEXEC, 0);
    if (own >= 0) file_ = ::fdopen(own, "wb");
  }
  if (!file_) fail(std::strerror(errno));
}

Output::~Output() {
  if (file_) std::fclose(file_);
}

void Output::fail(const std::string& what) const { fail_to_write(path_, what); }

void Output::write(std::string_view bytes) {
  if (!bytes.empty() && std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) fail(std::strerror(errno));
}

void Output::commit() {
  std::FILE* const file = std::exchange(file_, nullptr);
  const bool flushed = std::fflush(file) == 0 && std::ferror(file) == 0;
  const int trouble = errno;
  const bool closed = std::fclose(file) == 0;
  if (flushed && closed && (!temporary_ || temporary_->publish())) return;
  fail(std::strerror(flushed ? errno : trouble));
}

}  // namespace farfield::io
