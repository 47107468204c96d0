#include "io/parts/shared_output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "farfield/error.hpp"
#include "io/output.hpp"

namespace farfield::io {

SharedOutput::SharedOutput(const std::string& path, const Part& part, AllGather all_gather)
    : path_(path), part_(part), all_gather_(std::move(all_gather)) {
  using Name = std::array<char, 4096>;
  Name name{};
  if (part_.number == 0) {
    open_first();
    const std::string to = temporary_ ? temporary_->name() : path_;
    if (to.size() >= name.size()) fail(ENAMETOOLONG);
    std::memcpy(name.data(), to.c_str(), to.size());
  }
  const std::vector<Name> names = gather(name);
  if (part_.number > 0) open_other(names.front().data());
}

SharedOutput::~SharedOutput() {
  if (file_ >= 0) ::close(file_);
}

void SharedOutput::fail(int trouble) const { fail_to_write(path_, std::strerror(trouble)); }

void SharedOutput::open_first() {
  const Destination to = destination_of(path_);
  path_ = to.path;
  if (to.special) return open_other(path_);
  temporary_.emplace(path_, Temporary::Name::always);  // by which the others open it
  const int theirs = temporary_->descriptor();
  file_ = theirs < 0 ? -1 : ::fcntl(theirs, F_DUPFD_CLOEXEC, 0);
  if (file_ < 0) fail(errno);
}

void SharedOutput::open_other(const std::string& name) {
  file_ = ::open(name.c_str(), O_WRONLY | O_CLOEXEC);
  if (file_ < 0) fail(errno);
}

void SharedOutput::put(std::string_view bytes, std::uint64_t at) {
  while (!bytes.empty()) {
    const ssize_t done = ::pwrite(file_, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) fail(done < 0 ? errno : ENOSPC);
    bytes.remove_prefix(static_cast<std::size_t>(done));
    at += static_cast<std::uint64_t>(done);
  }
}

void SharedOutput::write(std::string_view bytes) {
  if (part_.number == 0) put(bytes, end_);
  end_ += bytes.size();
}

void SharedOutput::begin_rows(std::uint64_t bytes) {
  const std::vector<std::uint64_t> all = gather(bytes);
  for (std::size_t part = 0; part < all.size(); ++part) {
    if (static_cast<std::int64_t>(part) == part_.number) row_ = end_;
    end_ += all[part];
  }
}

void SharedOutput::write_rows(std::string_view bytes) {
  put(bytes, row_);
  row_ += bytes.size();
}

Checksum SharedOutput::of_all(const Checksum& own) {
  Checksum whole;
  for (const Checksum& part : gather(own)) whole = joined(whole, part);
  return whole;
}

bool SharedOutput::of_first(bool own) { return gather(own ? 1 : 0).front() != 0; }

void SharedOutput::commit() {
  if (::close(std::exchange(file_, -1)) != 0) fail(errno);
  gather(0);  // all parts have written all that they have
  if (temporary_ && !temporary_->publish()) fail(errno);
}

}  // namespace farfield::io
