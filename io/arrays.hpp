// Named arrays of any shape as npz, npy or csv.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace farfield::io {

struct Array {
  std::string name;
  std::vector<double> values;
  std::vector<std::int64_t> shape;  ///< in C order; empty: one number
};

/// What a csv file has of them: n values each, one below the other.
struct Table {
  std::vector<std::string> names;
  std::vector<double> values;  ///< rows one behind the other
};

/// npz: all `arrays`; npy: the first of them; csv: `table`. `format` is one of these words, or empty: then the
/// extension tells, and csv goes to standard output, which is "-". A file appears whole or not at all. Throws
/// Error(output), or Error(usage) for another format.
void write_arrays(const std::string& path, const std::string& format, const std::vector<Array>& arrays,
                  const Table& table);

}  // namespace farfield::io
