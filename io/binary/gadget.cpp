// GADGET snapshots of formats 1 and 2 in either byte order: Fortran records, each framed by its length before and
// behind. In format 2 a record of 8 bytes stands before each, with a label of four letters and the other's length.
#include <fmt/format.h>

#include <array>
#include <numeric>

#include "io/binary/bytes.hpp"
#include "io/formats.hpp"
#include "io/text/text.hpp"

namespace farfield::io {
namespace {

constexpr std::size_t types = 6, marker = 4, header_bytes = 256, label_bytes = 8;
constexpr std::array<const char*, types> type_names = {"gas", "halo", "disc", "bulge", "stars", "boundary"};

class Records {
 public:
  Records(const std::string& path, std::string_view bytes, std::endian order, int format)
      : path_(path), bytes_(bytes), order_(order), format_(format) {}

  bool more() const { return at_ < bytes_.size(); }
  int format() const { return format_; }

  /// The next record, which in format 2 must have this label; an empty one stands for any.
  std::string_view next(const std::string& what, std::string_view label) {
    if (format_ == 2) {
      const std::size_t at = at_;
      const std::string_view own = framed("the label of " + what);
      if (own.size() != label_bytes) fail(at, fmt::format("the label of {} has not 8 bytes", what));
      if (!label.empty() && !own.starts_with(label))
        fail(at, fmt::format("the record {} stands where {} are due", shown(own.substr(0, 4)), what));
    }
    return framed(what);
  }
  [[noreturn]] void fail(std::size_t at, const std::string& what) const {
    refuse(path_, fmt::format("byte {}", at),
           fmt::format("{}; fetch or write the snapshot again (GADGET, format {})", what, format_));
  }
  std::size_t position() const { return at_; }
  std::endian order() const { return order_; }

 private:
  std::string_view framed(const std::string& what) {
    const std::size_t length = length_at(at_, what), start = at_ + marker;
    if (length > bytes_.size() - start) fail(at_, fmt::format("the file ends within the record of {}", what));
    if (length_at(start + length, what) != length)
      fail(start + length, fmt::format("the two lengths around the record of {} differ", what));
    at_ = start + length + marker;
    return bytes_.substr(start, length);
  }
  std::size_t length_at(std::size_t at, const std::string& what) const {
    if (bytes_.size() < marker || at > bytes_.size() - marker)
      fail(at, fmt::format("the file ends before the record of {} does", what));
    return number_at<std::uint32_t>(bytes_, at, order_);
  }
  const std::string& path_;
  std::string_view bytes_;
  std::endian order_;
  int format_;
  std::size_t at_ = 0;
};

struct Header {
  std::array<std::size_t, types> count{};
  std::array<double, types> mass{};
  double box = 0;
  int files = 0;
  std::size_t total() const { return std::accumulate(count.begin(), count.end(), std::size_t{0}); }
};

Header read_header(Records& records, std::size_t file_size) {
  const std::string_view bytes = records.next("the header", "HEAD");
  if (bytes.size() != header_bytes) records.fail(0, "the header has not 256 bytes");
  Header header;
  for (std::size_t t = 0; t < types; ++t) {
    header.count[t] = number_at<std::uint32_t>(bytes, 4 * t, records.order());
    header.mass[t] = number_at<double>(bytes, 24 + 8 * t, records.order());
  }
  header.files = number_at<std::int32_t>(bytes, 124, records.order());
  header.box = number_at<double>(bytes, 128, records.order());
  if (header.total() > file_size / 12)
    records.fail(4, fmt::format("the header promises {} bodies, more than the file can hold", header.total()));
  if (header.files > 1)
    records.fail(4 + 124, fmt::format("this is one of {} files of a snapshot, which are not joined", header.files));
  return header;
}

// A record of `count` numbers, float32 or float64 as its length tells.
std::vector<double> read_floats(Records& records, const std::string& what, std::string_view label, std::size_t count,
                                bool* single = nullptr) {
  const std::size_t at = records.position();
  const std::string_view bytes = records.next(what, label);
  const bool narrow = bytes.size() == 4 * count;
  if (!narrow && bytes.size() != 8 * count)
    records.fail(at, fmt::format("the record of {} has {} bytes where {} or {} are due", what, bytes.size(), 4 * count,
                                 8 * count));
  if (single) *single = narrow;
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i)
    values[i] =
        narrow ? number_at<float>(bytes, 4 * i, records.order()) : number_at<double>(bytes, 8 * i, records.order());
  return values;
}

std::vector<double> read_ids(Records& records, std::size_t count) {
  const std::size_t at = records.position();
  const std::string_view bytes = records.next("identifiers", "ID");
  const bool narrow = bytes.size() == 4 * count;
  if (!narrow && bytes.size() != 8 * count) records.fail(at, "the record of identifiers has a wrong length");
  std::vector<double> ids(count);
  for (std::size_t i = 0; i < count; ++i)
    ids[i] = static_cast<double>(narrow ? number_at<std::uint32_t>(bytes, 4 * i, records.order())
                                        : number_at<std::uint64_t>(bytes, 8 * i, records.order()));
  return ids;
}

// Masses stand in the header, per type; a type whose entry is 0 has them one by one in a record of its own.
std::vector<double> read_masses(Records& records, const Header& header) {
  std::size_t listed = 0;
  for (std::size_t t = 0; t < types; ++t)
    if (header.mass[t] == 0) listed += header.count[t];
  const auto list = listed > 0 ? read_floats(records, "masses", "MASS", listed) : std::vector<double>{};
  std::vector<double> masses;
  masses.reserve(header.total());
  auto next = list.begin();
  for (std::size_t t = 0; t < types; ++t) {
    if (header.mass[t] != 0) {
      masses.insert(masses.end(), header.count[t], header.mass[t]);
    } else {
      masses.insert(masses.end(), next, next + static_cast<std::ptrdiff_t>(header.count[t]));
      next += static_cast<std::ptrdiff_t>(header.count[t]);
    }
  }
  return masses;
}

void add_columns(const Header& header, const std::vector<double>& velocities, std::vector<double> ids, Bodies& bodies) {
  const std::size_t n = header.total();
  const char* const names[3] = {"vx", "vy", "vz"};
  for (std::size_t c = 0; c < 3; ++c) {
    Column column{names[c], std::vector<double>(n)};
    for (std::size_t i = 0; i < n; ++i) column.values[i] = velocities[3 * i + c];
    bodies.extra.push_back(std::move(column));
  }
  bodies.extra.push_back({"id", std::move(ids)});
  Column type{"type", {}};
  for (std::size_t t = 0; t < types; ++t)
    type.values.insert(type.values.end(), header.count[t], static_cast<double>(t));
  bodies.extra.push_back(std::move(type));
}

std::string describe(const Header& header, int format) {
  std::string text = fmt::format("GADGET-{} snapshot, {} bodies (", format, header.total());
  const char* separator = "";
  for (std::size_t t = 0; t < types; ++t) {
    if (header.count[t] == 0) continue;
    text += fmt::format("{}{} {}", separator, header.count[t], type_names[t]);
    separator = ", ";
  }
  return text + "); kpc/h, 1e10 Msun/h, km/s";
}

// The length of the first record tells format and byte order: a header of 256 bytes, or in format 2 a label of 8.
Records open_records(const std::string& path, std::string_view bytes) {
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    const std::size_t first = bytes.size() >= marker ? number_at<std::uint32_t>(bytes, 0, order) : 0;
    if (first == header_bytes || first == label_bytes) return {path, bytes, order, first == header_bytes ? 1 : 2};
  }
  Records(path, bytes, std::endian::native, 1)
      .fail(0, "a GADGET-1 snapshot begins with a record of 256 bytes, this file does not");
}

}  // namespace

Bodies read_gadget(const Origin& origin, std::string_view bytes) {
  Records records = open_records(origin.path, bytes);
  const Header header = read_header(records, bytes.size());
  const std::size_t n = header.total();
  Bodies bodies;
  bodies.positions = read_floats(records, "positions", "POS", 3 * n, &bodies.single);
  const auto velocities = read_floats(records, "velocities", "VEL", 3 * n);
  auto ids = read_ids(records, n);
  bodies.strengths = read_masses(records, header);
  while (records.more()) records.next("further data", "");  // gas energies and the like: only their frames are checked
  add_columns(header, velocities, std::move(ids), bodies);
  bodies.description = describe(header, records.format());
  if (header.box > 0)
    bodies.warnings.push_back(
        fmt::format("The snapshot has a box of {:g} kpc/h and may be periodic; it is summed as open.", header.box));
  return bodies;
}

}  // namespace farfield::io
