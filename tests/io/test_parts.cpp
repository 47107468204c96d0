// Parts of a file: what they read is the whole file's rows, what they write is the whole file.
#include <array>
#include <barrier>
#include <random>
#include <thread>

#include "archives.hpp"
#include "io/parts/mapping.hpp"
#include "io/parts/part.hpp"
#include "io/parts/write.hpp"

namespace farfield::io {
namespace {
using testing::archive;
using testing::array;
using testing::bytes_of;
using testing::content_of;
using testing::expect_error;
using testing::Folder;
using testing::npy;
using testing::npy_dict;
using Values = std::vector<double>;

/// Threads in the place of processes.
class Meeting {
 public:
  explicit Meeting(std::int64_t parts) : parts_(parts), barrier_(parts) {}
  AllGather of(std::int64_t part) {
    return [this, part](const void* mine, std::size_t bytes, void* all) {
      if (part == 0) bytes_.resize(static_cast<std::size_t>(parts_) * bytes);
      barrier_.arrive_and_wait();
      std::memcpy(bytes_.data() + static_cast<std::size_t>(part) * bytes, mine, bytes);
      barrier_.arrive_and_wait();
      std::memcpy(all, bytes_.data(), bytes_.size());
      barrier_.arrive_and_wait();
    };
  }
  void run(const std::function<void(const Part&, const AllGather&)>& work) {
    std::vector<std::jthread> threads;
    for (std::int64_t p = 0; p < parts_; ++p) threads.emplace_back([this, p, &work] { work({p, parts_}, of(p)); });
  }

 private:
  std::int64_t parts_;
  std::barrier<> barrier_;
  std::vector<char> bytes_;
};

class Parts : public ::testing::Test {
 protected:
  void SetUp() override { std::printf("seed %u\n", seed_); }
  Values numbers(std::size_t count) {
    Values values(count);
    for (double& value : values) value = std::uniform_real_distribution<>(-1, 1)(random_);
    return values;
  }

 private:
  unsigned seed_ = std::random_device()();
  std::mt19937 random_{seed_};
};

Values joined_columns(const std::vector<Bodies>& parts, std::size_t column) {
  Values all;
  for (const Bodies& part : parts)
    all.insert(all.end(), part.extra.at(column).values.begin(), part.extra.at(column).values.end());
  return all;
}
Values joined_lists(const std::vector<Bodies>& parts, Values Bodies::*list) {
  Values all;
  for (const Bodies& part : parts) all.insert(all.end(), (part.*list).begin(), (part.*list).end());
  return all;
}

/// The file in parts, one behind the other, is the file; its checksums are found right.
void expect_whole(const std::string& path, bool pieces_wanted) {
  Reading reading;
  reading.densities = true;
  const Bodies whole = read(path, reading);
  for (const std::int64_t of : {1, 2, 3, 7}) {
    std::vector<Bodies> parts;
    std::vector<Piece> pieces;
    std::vector<Checksum> seen;
    for (std::int64_t p = 0; p < of; ++p) {
      pieces.clear();
      parts.push_back(read_part(path, reading, {p, of}, pieces));
      for (const Piece& piece : pieces) seen.push_back(piece.own);
      EXPECT_EQ(parts.back().all(), whole.count());
      const Rows rows = rows_of({p, of}, whole.count());
      EXPECT_EQ(parts.back().count(), rows.end - rows.begin);
      EXPECT_EQ(parts.back().single, whole.single);
      EXPECT_EQ(parts.back().description, whole.description);
      EXPECT_EQ(parts.back().numbers, whole.numbers);
      ASSERT_EQ(parts.back().extra.size(), whole.extra.size());
    }
    EXPECT_EQ(!pieces.empty(), pieces_wanted);
    EXPECT_NO_THROW(require_checksums(path, pieces, seen));
    for (const auto list : {&Bodies::positions, &Bodies::strengths, &Bodies::reference_potential,
                            &Bodies::reference_gradient, &Bodies::reference_hessian})
      EXPECT_EQ(joined_lists(parts, list), whole.*list);
    for (std::size_t c = 0; c < whole.extra.size(); ++c) EXPECT_EQ(joined_columns(parts, c), whole.extra[c].values);
  }
}

TEST(Part, RowsFollowOneAnother) {
  for (const std::int64_t count : {0, 1, 5, 6, 7, 1000})
    for (const std::int64_t of : {1, 2, 3, 7}) {
      std::int64_t end = 0, least = count, most = 0;
      for (std::int64_t p = 0; p < of; ++p) {
        const Rows rows = rows_of({p, of}, count);
        EXPECT_EQ(rows.begin, end);
        end = rows.end, least = std::min(least, rows.end - rows.begin), most = std::max(most, rows.end - rows.begin);
      }
      EXPECT_EQ(end, count);
      EXPECT_LE(most - least, 1);
    }
}

TEST_F(Parts, OfNpy) {
  const Folder folder;
  for (const std::size_t n : {0u, 1u, 5u, 23u})
    for (const bool fortran : {false, true})
      for (const std::size_t width : {3u, 4u}) {
        const std::string shape = "(" + std::to_string(n) + ", " + std::to_string(width) + ")";
        expect_whole(folder.put("a.npy", npy(npy_dict("<f8", shape, fortran), bytes_of(numbers(n * width)))), false);
        const Values wide = numbers(n * width);
        const std::vector<float> narrow(wide.begin(), wide.end());
        expect_whole(folder.put("b.npy", npy(npy_dict(">f4", shape, fortran), bytes_of(narrow, true))), false);
      }
}

TEST_F(Parts, OfNpzWithAllThatItMayHold) {
  const Folder folder;
  for (const std::int64_t n : {0, 1, 5, 23}) {
    const auto size = static_cast<std::size_t>(n);
    const auto of = [&](const std::vector<std::int64_t>& shape, std::size_t each) {
      return array(shape, numbers(each * size));
    };
    const std::string columns = "(" + std::to_string(n) + ", 3)";
    expect_whole(archive(folder, {{"positions.npy", npy(npy_dict("<f8", columns, true), bytes_of(numbers(3 * size)))},
                                  {"strengths.npy", of({2, n}, 2)},
                                  {"dipoles.npy", of({2, n, 3}, 6)},
                                  {"potential.npy", of({n}, 1)},
                                  {"gradient.npy", of({n, 3}, 3)},
                                  {"hessian.npy", of({n, 6}, 6)},
                                  {"time.npy", array({}, {2.5})},
                                  {"id.npy", of({n}, 1)}}),
                 true);
    expect_whole(archive(folder, {{"velocities.npy", of({n, 3}, 3)},
                                  {"positions.npy", of({n, 2}, 2)},
                                  {"box.npy", array({3}, {1, 1, 1})},
                                  {"masses.npy", of({n}, 1)}}),
                 true);
  }
}

TEST_F(Parts, OfOtherFormatsAreKeptOfTheWhole) {
  const Folder folder;
  std::string text = "x,y,z,q,spin\n";
  for (const double value : numbers(11)) text += std::to_string(value) + ",1,2,3," + std::to_string(2 * value) + "\n";
  expect_whole(folder.put("a.csv", text), false);
  expect_whole(testing::gzip(text, folder / "a.csv.gz"), false);
}

TEST(Part, ADamagedArrayIsFoundByAllTogether) {
  const Folder folder;
  const auto path = archive(folder, {{"positions.npy", array({4, 3}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})},
                                     {"strengths.npy", array({4}, {1, 2, 3, 4})}});
  std::string content = content_of(path);
  content[content.find(bytes_of(Values{11}))] ^= 1;  // a number of the last row
  folder.put("made.npz", content);
  std::vector<Piece> pieces;
  std::vector<Checksum> seen;
  for (std::int64_t p = 0; p < 3; ++p) {
    pieces.clear();
    read_part(path, {}, {p, 3}, pieces);
    for (const Piece& piece : pieces) seen.push_back(piece.own);
  }
  expect_error(ErrorCode::input, "member 'positions.npy': its checksum is wrong",
               [&] { require_checksums(path, pieces, seen); });
  seen.pop_back();
  expect_error(ErrorCode::input, "not the same for all", [&] { require_checksums(path, pieces, seen); });
}

TEST(Part, RefusalsAreThoseOfTheWhole) {
  const Folder folder;
  std::vector<Piece> pieces;
  const auto refused = [&](const std::string& path, const std::string& part) {
    expect_error(ErrorCode::input, part, [&] { read_part(path, {}, {1, 2}, pieces); });
  };
  refused(folder / "none.npz", "there is no such file");
  refused(folder / "", "this is a directory");
  refused(folder.put("empty.npz", ""), "the file is empty");
  refused(folder.put("cut.npy", npy(npy_dict("<f8", "(5, 3)"), bytes_of(Values(12)))), "does not go with");
  refused(archive(folder, {{"strengths.npy", array({1}, {1})}}), "no array positions");
  refused("-", "cannot share a pipe");
}

Bodies rows_from(const Bodies& bodies, const Part& part) {
  Bodies own = bodies;
  keep_rows(own, rows_of(part, bodies.count()));
  return own;
}
Values rows_from(const Values& values, const Part& part, std::int64_t count, std::int64_t width, std::int64_t vectors) {
  Values own;
  const Rows rows = rows_of(part, count);
  for (std::int64_t v = 0; v < vectors; ++v)
    own.insert(own.end(), values.begin() + width * (v * count + rows.begin),
               values.begin() + width * (v * count + rows.end));
  return own;
}

TEST_F(Parts, WriteTheFileOfOne) {
  const Folder folder;
  for (const std::size_t n : {0u, 1u, 2u, 29u})
    for (const std::int64_t parts : {1, 2, 3, 5})
      for (const bool with_strengths : {true, false}) {
        Bodies bodies;
        bodies.positions = numbers(3 * n);
        bodies.single = n == 29;
        if (with_strengths) bodies.strengths = numbers(n);
        bodies.extra = {{"spin", numbers(n)}};
        const auto count = static_cast<std::int64_t>(n);
        const std::int64_t vectors = 2;
        const Values potential = numbers(vectors * n), gradient = numbers(3 * vectors * n);
        for (const std::string format : {"npz", "npy", "csv"}) {
          Results results{&bodies, &potential, &gradient};
          results.vectors = vectors;
          write(folder / "one", results, format);
          Meeting(parts).run([&](const Part& part, const AllGather& gather) {
            const Bodies own = rows_from(bodies, part);
            const Values own_potential = rows_from(potential, part, count, 1, vectors);
            const Values own_gradient = rows_from(gradient, part, count, 3, vectors);
            Results mine{&own, &own_potential, &own_gradient};
            mine.vectors = vectors;
            write_part(folder / "many", mine, format, part, gather);
          });
          EXPECT_EQ(content_of(folder / "many"), content_of(folder / "one")) << format << ", " << parts << " parts";
          EXPECT_EQ(folder.files(), 2u);
        }
      }
}

TEST_F(Parts, WriteBodiesWithoutResults) {
  const Folder folder;
  Bodies bodies;
  bodies.positions = numbers(3 * 10);
  bodies.strengths = numbers(10);
  write(folder / "one.npy", {&bodies});
  Meeting(3).run([&](const Part& part, const AllGather& gather) {
    const Bodies own = rows_from(bodies, part);
    write_part(folder / "many.npy", {&own}, "", part, gather);
  });
  EXPECT_EQ(content_of(folder / "many.npy"), content_of(folder / "one.npy"));
}

TEST(Part, WithoutCommitNothingRemains) {
  const Folder folder;
  Meeting(2).run([&](const Part& part, const AllGather& gather) {
    SharedOutput out(folder / "a.npz", part, gather);
    out.write("half of it");
    std::array<char, 2> words{};
    gather("w", 1, words.data());  // so that the first does not take the file away before the second has opened it
  });
  EXPECT_EQ(folder.files(), 0u);
}

}  // namespace
}  // namespace farfield::io
