// Every reader of io/: the first bytes tell npy, npz, GADGET, xml and gzip apart, and csv is what remains. A file is
// refused in one sentence, or gives bodies that are whole, the same in parts, and survive being written and read again.
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <farfield/error.hpp>
#include <filesystem>
#include <fstream>

#include "fuzz/bytes.hpp"
#include "io/bodies.hpp"
#include "io/columns/densities.hpp"
#include "io/parts/part.hpp"
#include "io/results.hpp"

namespace farfield::fuzz {
namespace {

/// A file that goes with the process, in memory where the system offers that.
class Scratch {
 public:
  explicit Scratch(const std::string& ending) {
    const std::string folder = std::filesystem::exists("/dev/shm") ? "/dev/shm" : "/tmp";
    path_ = folder + "/farfield-fuzz-" + std::to_string(getpid()) + ending;
  }
  ~Scratch() { std::filesystem::remove(path_); }
  const std::string& path() const { return path_; }
  void fill(const std::uint8_t* data, std::size_t size) const {
    std::ofstream(path_, std::ios::binary).write(reinterpret_cast<const char*>(data), static_cast<long>(size));
  }

 private:
  std::string path_;
};

void require_manners(const Error& error) {
  const std::string sentence = error.what();
  require(error.code() == ErrorCode::input || error.code() == ErrorCode::memory, "an Error of another code");
  if (sentence.size() <= 10 || sentence.find('\n') != sentence.npos) broken("no sentence: " + sentence);
}

void require_whole(const io::Bodies& bodies) {
  const std::size_t n = bodies.positions.size() / 3;
  const auto fits = [n](const std::vector<double>& v) { return v.empty() || v.size() == n; };
  require(bodies.positions.size() == 3 * n && fits(bodies.strengths) && fits(bodies.reference_potential),
          "arrays of different lengths");
  require(bodies.reference_gradient.empty() || bodies.reference_gradient.size() == 3 * n,
          "a gradient of another length");
  require(bodies.reference_hessian.empty() || bodies.reference_hessian.size() == 6 * n, "a Hessian of another length");
  for (const io::Column& column : bodies.extra) require(column.values.size() == n, "a column of another length");
  const io::Densities all = io::densities_of(bodies);
  const std::size_t sums = n * static_cast<std::size_t>(all.vectors);
  require(all.strengths.size() == sums, "densities of different lengths");
  require(all.dipoles.empty() || all.dipoles.size() == 3 * sums, "dipoles of another length");
}

/// The same bits, or both not a number.
bool same(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double x, double y) {
    return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y) || (std::isnan(x) && std::isnan(y));
  });
}

void require_return(const io::Bodies& bodies, const Scratch& copy) {
  io::write(copy.path(), {&bodies, nullptr, nullptr});
  const io::Bodies again = io::read(copy.path());
  if (!same(bodies.positions, again.positions)) broken("positions changed on the way to " + copy.path());
  if (!same(bodies.strengths, again.strengths)) broken("strengths changed on the way to " + copy.path());
}

io::Bodies read_part(const std::string& path, const io::Reading& reading, const io::Part& part) {
  std::vector<io::Piece> pieces;
  return io::read_part(path, reading, part, pieces);
}

/// Two parts, the second behind the first, are the whole.
void require_parts(const io::Bodies& bodies, const std::string& path, const io::Reading& reading) {
  io::Bodies first = read_part(path, reading, {0, 2});
  const io::Bodies second = read_part(path, reading, {1, 2});
  require(first.all() == bodies.count() && second.all() == bodies.count(), "parts of another number of bodies");
  require(first.extra.size() == bodies.extra.size() && second.extra.size() == bodies.extra.size(),
          "parts with other columns");
  const auto join = [](std::vector<double>& to, const std::vector<double>& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  join(first.positions, second.positions);
  join(first.strengths, second.strengths);
  for (std::size_t c = 0; c < first.extra.size(); ++c) join(first.extra[c].values, second.extra[c].values);
  if (!same(first.positions, bodies.positions)) broken("positions of parts are others");
  if (!same(first.strengths, bodies.strengths)) broken("strengths of parts are others");
  for (std::size_t c = 0; c < first.extra.size(); ++c)
    if (!same(first.extra[c].values, bodies.extra[c].values)) broken("a column of parts is another");
}

/// A part may pass over damage that the checksums of all parts show.
void require_manners_of_parts(const std::string& path, const io::Reading& reading) {
  try {
    require_whole(read_part(path, reading, {1, 3}));
  } catch (const Error& error) {
    require_manners(error);
  }
}

/// libhdf5 is not ours to mend: it does not survive what libFuzzer writes.
bool for_libhdf5(const std::uint8_t* data, std::size_t size) {
  return size >= 4 && std::memcmp(data, "\x89HDF", 4) == 0;
}

void run(const std::uint8_t* data, std::size_t size) {
  if (for_libhdf5(data, size)) return;
  static const Scratch input(".csv"), csv("-copy.csv"), npz("-copy.npz");
  input.fill(data, size);
  io::Bodies bodies;
  io::Reading reading;
  reading.densities = true;
  try {
    bodies = io::read(input.path(), reading);
  } catch (const Error& error) {
    require_manners(error);
    return require_manners_of_parts(input.path(), reading);
  }
  require_whole(bodies);
  require_parts(bodies, input.path(), reading);
  if (bodies.count() > 0 && bodies.count() < 100) require_return(bodies, size % 2 ? csv : npz);
}

}  // namespace
}  // namespace farfield::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  farfield::fuzz::run(data, size);
  return 0;
}
