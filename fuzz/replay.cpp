// The plain driver: runs a fuzz target over saved inputs, so that any compiler can repeat them. replay_X FILE|FOLDER...
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

static std::vector<std::string> files_of(const std::filesystem::path& path) {
  if (!std::filesystem::is_directory(path)) return {path.string()};
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path))
    if (entry.is_regular_file()) files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

int main(int count, char** arguments) {
  std::size_t run = 0;
  for (int i = 1; i < count; ++i)
    for (const std::string& file : files_of(arguments[i])) {
      std::fprintf(stderr, "%s\n", file.c_str());  // the last one is to blame when the program dies
      std::ifstream stream(file, std::ios::binary);
      const std::vector<char> bytes{std::istreambuf_iterator<char>(stream), {}};
      LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
      ++run;
    }
  std::printf("%zu inputs\n", run);
  return run > 0 ? 0 : 1;
}
