#include "io/temporary.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>

namespace farfield::io {
namespace {

// What a signal has to remove. A handler may neither allocate nor lock: fixed slots, each taken by one temporary.
constexpr std::size_t slots = 16, longest = 4096;
std::array<std::array<char, longest>, slots> names;
std::array<std::atomic<int>, slots> states;  // 0: free, 1: being filled, 2: to remove

void remove_and_die(int signal) {
  for (std::size_t s = 0; s < slots; ++s)
    if (states[s] == 2) ::unlink(names[s].data());
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

/// A signal that is ignored, as under nohup, or handled by the program stays so.
void watch_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction old {};
    if (::sigaction(signal, nullptr, &old) != 0 || old.sa_handler != SIG_DFL) continue;
    struct sigaction mine {};
    mine.sa_handler = remove_and_die;
    ::sigaction(signal, &mine, nullptr);
  }
}

/// -1 where all are taken or the name is too long: the file is then removed by its destructor alone.
int remember(const std::string& name) {
  watch_signals();
  for (std::size_t s = 0; s < slots && name.size() < longest; ++s) {
    int free = 0;
    if (!states[s].compare_exchange_strong(free, 1)) continue;
    std::memcpy(names[s].data(), name.c_str(), name.size() + 1);
    states[s] = 2;
    return static_cast<int>(s);
  }
  return -1;
}

int unnamed_in([[maybe_unused]] const std::string& folder) {
#ifdef O_TMPFILE
  if (::access("/proc/self/fd", X_OK) == 0) return ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
#endif
  return -1;
}

/// What would only be found when the file gets its name, after the work.
bool too_long(const std::string& path) {
  struct stat ignored {};
  return ::lstat(path.c_str(), &ignored) != 0 && errno == ENAMETOOLONG;
}

bool link_as(int descriptor, const std::string& name) {
  const std::string self = "/proc/self/fd/" + std::to_string(descriptor);
  return ::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
}

}  // namespace

Temporary::Temporary(const std::string& path, Name name) : path_(path) {
  static std::atomic<int> serial{0};
  const auto folder = std::filesystem::path(path).parent_path();
  // Short: a path whose last part is as long as the system allows must still find room.
  name_ = (folder / (".farfield-" + std::to_string(::getpid()) + "-" + std::to_string(serial++) + ".part")).string();
  if (too_long(path)) return;
  if (name == Name::if_needed) descriptor_ = unnamed_in(folder.empty() ? "." : folder.string());
  if (descriptor_ >= 0) return;
  slot_ = remember(name_);
  descriptor_ = ::open(name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  named_ = descriptor_ >= 0;
}

bool Temporary::publish() {
  if (!named_) {
    if (link_as(descriptor_, path_)) return true;
    if (errno != EEXIST) return false;
    slot_ = remember(name_);  // linking replaces nothing, renaming does
    if (!link_as(descriptor_, name_)) return false;
    named_ = true;
  }
  if (std::rename(name_.c_str(), path_.c_str()) != 0) return false;
  named_ = false;
  return true;
}

Temporary::~Temporary() {
  if (named_) ::unlink(name_.c_str());
  if (descriptor_ >= 0) ::close(descriptor_);
  if (slot_ >= 0) states[static_cast<std::size_t>(slot_)] = 0;
}

}  // namespace farfield::io
