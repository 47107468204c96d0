// What the tests of file formats share: a folder for a test's files, made-up files of each format, and refusals.
#pragma once
#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>

#include "farfield/error.hpp"
#include "io/bodies.hpp"

namespace farfield::io::testing {

/// An empty folder that goes away with the test.
class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "farfield-io-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no folder for temporary files");
    path_ = pattern;
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
  }
  std::string put(const std::string& name, const std::string& content) const {
    std::ofstream(*this / name, std::ios::binary) << content;
    return *this / name;
  }

 private:
  std::filesystem::path path_;
};

inline std::string content_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

/// The action throws Error(code) whose sentence is one line, ends with a full stop and holds `part`.
inline void expect_error(ErrorCode code, const std::string& part, const std::function<void()>& action) {
  try {
    action();
    ADD_FAILURE() << "nothing was thrown; expected: " << part;
  } catch (const Error& error) {
    const std::string sentence = error.what();
    EXPECT_EQ(error.code(), code) << sentence;
    EXPECT_NE(sentence.find(part), sentence.npos) << sentence << "\nlacks: " << part;
    EXPECT_EQ(sentence.find('\n'), sentence.npos) << sentence;
    EXPECT_TRUE(sentence.ends_with('.')) << sentence;
  }
}

inline void expect_refusal(const std::string& path, const std::string& part) {
  expect_error(ErrorCode::input, part, [&] { read(path); });
}

/// Raw bytes of numbers, in this machine's order or turned round.
template <class T>
std::string bytes_of(const std::vector<T>& values, bool swap = false) {
  std::string bytes(values.size() * sizeof(T), '\0');
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  if (swap)
    for (std::size_t at = 0; at < bytes.size(); at += sizeof(T))
      std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                   bytes.begin() + static_cast<std::ptrdiff_t>(at + sizeof(T)));
  return bytes;
}

/// An npy file with the given dict and data.
inline std::string npy(const std::string& dict, const std::string& data, int version = 1) {
  std::string head = std::string("\x93NUMPY") + static_cast<char>(version) + '\0';
  for (int byte = 0; byte < (version == 1 ? 2 : 4); ++byte)
    head.push_back(static_cast<char>((dict.size() + 1) >> (8 * byte)));
  return head + dict + "\n" + data;
}

inline std::string npy_dict(const std::string& descr, const std::string& shape, bool fortran = false) {
  return "{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") + ", 'shape': " + shape + ", }";
}

inline std::string gzip(const std::string& text, const std::string& path) {
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  return path;
}

/// A GADGET-1 snapshot of two halo bodies (mass 0.5 in the header) and one disc body (mass 2 in the mass record).
std::string gadget_snapshot(bool swap);

/// A ScaFaCoS document of two charges.
std::string scafacos_document(const std::string& periodicity = "0 0 0");

/// The path of a real file, or empty where the folder of real files is absent: then skip with `no_real_files`.
inline std::string real_file(const std::string& name) {
  const auto path = std::filesystem::path(FARFIELD_TEST_DATA) / name;
  return std::filesystem::exists(path) ? path.string() : "";
}
inline constexpr const char* no_real_files = "Skipped: FARFIELD_TEST_DATA names no folder with the real input files.";

}  // namespace farfield::io::testing
