#include "files.hpp"
#include "io/binary/npy.hpp"
#include "io/results.hpp"

namespace farfield::io {
namespace {
using testing::bytes_of;
using testing::expect_refusal;
using testing::Folder;
using testing::npy;
using testing::npy_dict;
using Values = std::vector<double>;

const bool little = std::endian::native == std::endian::little;
const Values six{1, 2, 3, 4, 5, 6};

TEST(Npy, PositionsHaveUnitStrengths) {
  const Folder folder;
  for (const int version : {1, 2, 3}) {
    const auto bodies = read(folder.put("a.npy", npy(npy_dict("=f8", "(2, 3)"), bytes_of(six), version)));
    EXPECT_EQ(bodies.positions, six);
    EXPECT_EQ(bodies.strengths, (Values{1, 1}));
    EXPECT_FALSE(bodies.single);
    EXPECT_NE(bodies.description.find("unit strengths"), std::string::npos);
  }
}

TEST(Npy, FourColumnsHoldStrengths) {
  const Folder folder;
  const auto bodies =
      read(folder.put("a.npy", npy(npy_dict("=f8", "(2, 4)"), bytes_of(Values{1, 2, 3, 9, 4, 5, 6, 8}))));
  EXPECT_EQ(bodies.positions, six);
  EXPECT_EQ(bodies.strengths, (Values{9, 8}));
}

TEST(Npy, FortranOrderIsTurned) {
  const Folder folder;
  const auto file = npy(npy_dict("=f8", "(2, 3)", true), bytes_of(Values{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(read(folder.put("a.npy", file)).positions, six);
}

TEST(Npy, BothByteOrdersAndWidths) {
  const Folder folder;
  for (const bool swap : {false, true}) {
    const std::string order = little == swap ? ">" : "<";
    const std::vector<float> narrow(six.begin(), six.end());
    const std::vector<std::int32_t> whole(six.begin(), six.end());
    const std::vector<std::int64_t> wide(six.begin(), six.end());
    const auto from = [&](const char* type, const std::string& data) {
      return read(folder.put("a.npy", npy(npy_dict(order + type, "(2, 3)"), data)));
    };
    EXPECT_EQ(from("f8", bytes_of(six, swap)).positions, six);
    EXPECT_EQ(from("f4", bytes_of(narrow, swap)).positions, six);
    EXPECT_TRUE(from("f4", bytes_of(narrow, swap)).single);
    EXPECT_EQ(from("i4", bytes_of(whole, swap)).positions, six);
    EXPECT_EQ(from("i8", bytes_of(wide, swap)).positions, six);
  }
}

TEST(Npy, ShortIntegersAndTruthValues) {
  const Folder folder;
  const auto from = [&](const char* type, const std::string& data) {
    return read(folder.put("a.npy", npy(npy_dict(type, "(2, 3)"), data))).positions;
  };
  EXPECT_EQ(from("|i1", bytes_of(std::vector<std::int8_t>{-1, 2, 3, 4, 5, -128})), (Values{-1, 2, 3, 4, 5, -128}));
  EXPECT_EQ(from("|u1", bytes_of(std::vector<std::uint8_t>{1, 2, 3, 4, 5, 255})), (Values{1, 2, 3, 4, 5, 255}));
  EXPECT_EQ(from("|b1", std::string("\0\1\1\0\0\1", 6)), (Values{0, 1, 1, 0, 0, 1}));
  for (const bool swap : {false, true}) {
    const std::string order = little == swap ? ">" : "<";
    EXPECT_EQ(from((order + "i2").c_str(), bytes_of(std::vector<std::int16_t>{1, -2, 3, 4, 5, 32767}, swap)),
              (Values{1, -2, 3, 4, 5, 32767}));
    EXPECT_EQ(from((order + "u2").c_str(), bytes_of(std::vector<std::uint16_t>{1, 2, 3, 4, 5, 65535}, swap)),
              (Values{1, 2, 3, 4, 5, 65535}));
  }
}

// What numpy.load gives for results written as npy: shape (N,), or (N, 4) with the gradient.
TEST(Npy, WritesResults) {
  const Folder folder;
  Bodies bodies;
  bodies.positions = six;
  bodies.strengths = {9, 8};
  const Values potential{0.5, -1}, gradient{1, 2, 3, 4, 5, 6};
  const auto written = [&](const Results& results) {
    write(folder / "out.npy", results);
    return testing::content_of(folder / "out.npy");
  };
  EXPECT_EQ(written({&bodies, &potential}), npy_header("f8", {2}) + bytes_of(potential));
  EXPECT_EQ(written({&bodies, &potential, &gradient}),
            npy_header("f8", {2, 4}) + bytes_of(Values{0.5, 1, 2, 3, -1, 4, 5, 6}));
  EXPECT_EQ(written({&bodies}), npy_header("f8", {2, 4}) + bytes_of(Values{1, 2, 3, 9, 4, 5, 6, 8}));
  EXPECT_EQ(read(folder / "out.npy").strengths, bodies.strengths);
  bodies.strengths.clear();
  EXPECT_EQ(written({&bodies}), npy_header("f8", {2, 3}) + bytes_of(six));
  const Bodies none;
  const Values empty;
  EXPECT_EQ(written({&none, &empty}), npy_header("f8", {0}));
  EXPECT_EQ(written({&none, &empty, &empty}), npy_header("f8", {0, 4}));
}

TEST(Npy, NoBodies) {
  const Folder folder;
  EXPECT_EQ(read(folder.put("a.npy", npy(npy_dict("=f8", "(0, 3)"), ""))).count(), 0);
}

TEST(Npy, RefusesWhatMakesNoSense) {
  const Folder folder;
  const auto refused = [&](const std::string& file, const char* part) {
    expect_refusal(folder.put("bad.npy", file), part);
  };
  const std::string data = bytes_of(six);
  refused(npy(npy_dict("=f8", "(6,)"), data), "its shape is (6,)");
  refused(npy(npy_dict("=f8", "(3, 2)"), data), "its shape is (3, 2)");
  refused(npy(npy_dict("=f8", "(1, 2, 3)"), data), "its shape is (1, 2, 3)");
  refused(npy(npy_dict("=f8", "()"), data), "its shape is ()");
  refused(npy(npy_dict("=f8", "(3, 3)"), data), "does not go with the 48 bytes");
  refused(npy(npy_dict("=f8", "(1, 3)"), data), "does not go with the 48 bytes");
  refused(npy(npy_dict("=f8", "(3074457345618258603, 3)"), data), "does not go with");
  refused(npy(npy_dict("=f8", "(99999999999999999999, 3)"), data), "the shape in the header");
  refused(npy(npy_dict("=f8", "(-2, 3)"), data), "the shape in the header");
  refused(npy(npy_dict("=f2", "(2, 3)"), data), "type f2");
  refused(npy(npy_dict("=U8", "(2, 3)"), data), "type U8");
  refused(npy(npy_dict("", "(2, 3)"), data), "element type");
  refused(npy("{'descr': [('x', '<f8')], 'fortran_order': False, 'shape': (2,), }", data), "records");
  refused(npy("{'descr': '<f8', 'fortran_order': Maybe, 'shape': (2, 3), }", data), "fortran_order");
  refused(npy("{'shape': (2, 3), }", data), "lacks one of descr");
  refused(npy("{'size': 3}", data), "unknown key");
  refused(npy("nothing", data), "'{' is missing");
  refused(npy(npy_dict("=f8", "(2, 3)"), data, 9), "versions 1 to 3");
  refused("x,y,z\n", "does not begin with the bytes");
  refused(std::string("\x93NUMPY\x02\0\xff\xff\xff\x7f{", 13), "header ends too early");
}

}  // namespace
}  // namespace farfield::io
