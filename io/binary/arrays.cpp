#include "io/arrays.hpp"

#include <charconv>

#include "io/binary/npy.hpp"
#include "io/binary/zip.hpp"
#include "io/output.hpp"
#include "io/results.hpp"

namespace farfield::io {
namespace {

std::string_view bytes_of(const Array& array) {
  return {reinterpret_cast<const char*>(array.values.data()), array.values.size() * sizeof(double)};
}

void write_npz(Output& out, const std::vector<Array>& arrays) {
  ZipWriter zip(out);
  for (const Array& array : arrays) zip.add(array.name + ".npy", npy_header("f8", array.shape), bytes_of(array));
  zip.finish();
}

void write_csv(Output& out, const Table& table) {
  constexpr std::size_t chunk = std::size_t{1} << 20;
  const std::size_t columns = table.names.size();
  std::string text;
  for (std::size_t c = 0; c < columns; ++c) text += table.names[c] + (c + 1 < columns ? ',' : '\n');
  for (std::size_t i = 0; i < table.values.size(); ++i) {
    char digits[32];
    text.append(digits, std::to_chars(digits, digits + sizeof(digits), table.values[i]).ptr);
    text += (i + 1) % columns == 0 ? '\n' : ',';
    if (text.size() < chunk) continue;
    out.write(text);
    text.clear();
  }
  out.write(text);
}

}  // namespace

void write_arrays(const std::string& path, const std::string& format, const std::vector<Array>& arrays,
                  const Table& table) {
  const std::string known = output_format(path, format);
  Output out(path);
  if (known == "npz") write_npz(out, arrays);
  if (known == "csv") write_csv(out, table);
  if (known == "npy") {
    out.write(npy_header("f8", arrays.front().shape));
    out.write(bytes_of(arrays.front()));
  }
  out.commit();
}

}  // namespace farfield::io
