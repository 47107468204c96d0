#include "io/parts/mapping.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "io/binary/bytes.hpp"

namespace farfield::io {

Mapping::Mapping(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) refuse(path, "", fmt::format("cannot be opened ({}); check its permissions", std::strerror(errno)));
  struct stat status {};
  const bool told = ::fstat(file, &status) == 0;
  size_ = told ? static_cast<std::size_t>(status.st_size) : 0;
  data_ = size_ > 0 ? ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;
  const int trouble = errno;
  ::close(file);  // the mapping stays
  if (told && size_ == 0) refuse(path, "", "the file is empty; write the bodies to it first");
  if (data_ == MAP_FAILED)
    refuse(path, "", fmt::format("cannot be mapped ({}); copy it to another disk", std::strerror(trouble)));
}

Mapping::~Mapping() { ::munmap(data_, size_); }

}  // namespace farfield::io
