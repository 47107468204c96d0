// Several vectors of strengths, and dipoles: how files bring them, and results of several vectors.
#include "archives.hpp"
#include "io/columns/densities.hpp"
#include "io/generate/generate.hpp"
#include "io/results.hpp"

namespace farfield::io {
namespace {
using testing::archive;
using testing::array;
using testing::bytes_of;
using testing::content_of;
using testing::expect_error;
using testing::Folder;
using Values = std::vector<double>;

Reading with_densities() {
  Reading reading;
  reading.densities = true;
  return reading;
}

void expect_refused(const std::string& path, const std::string& part) {
  expect_error(ErrorCode::input, part, [&] { read(path, with_densities()); });
}

TEST(Densities, ColumnsOfCsv) {
  const Folder folder;
  const auto path = folder.put(
      "a.csv", "x,y,z,q,Q2,q3,dx,dy,dz,DX3,dy3,dz3,q5\n1,2,3,4,5,6,7,8,9,10,11,12,0\n1,2,4,3,3,3,1,2,3,4,5,6,0\n");
  const Bodies bodies = read(path, with_densities());
  const Densities d = densities_of(bodies);
  EXPECT_EQ(d.vectors, 3);
  EXPECT_EQ(d.strengths, (Values{4, 3, 5, 3, 6, 3}));
  EXPECT_EQ(d.dipoles, (Values{7, 8, 9, 1, 2, 3, 0, 0, 0, 0, 0, 0, 10, 11, 12, 4, 5, 6}));
  EXPECT_EQ(bodies.extra.size(), 9u);  // carried through, too
}

TEST(Densities, OneVectorWithoutDipolesIsTheRule) {
  const Folder folder;
  const Bodies bodies = read(folder.put("a.csv", "x,y,z,q,q3,dx,dy\n1,2,3,4,5,6,7\n"), with_densities());
  const Densities d = densities_of(bodies);
  EXPECT_EQ(d.vectors, 1);
  EXPECT_EQ(d.strengths, bodies.strengths);
  EXPECT_TRUE(d.dipoles.empty());
}

TEST(Densities, DipolesNeedNoStrengths) {
  const Folder folder;
  const auto path = folder.put("a.csv", "x,y,z,dx,dy,dz\n1,2,3,4,5,6\n");
  EXPECT_EQ(read(path, with_densities()).strengths, Values{0});
  EXPECT_EQ(densities_of(read(path, with_densities())).dipoles, (Values{4, 5, 6}));
  expect_error(ErrorCode::input, "no column q", [&] { read(path); });
}

TEST(Densities, WordsAreRefusedWithTheirColumn) {
  const Folder folder;
  const auto path = folder.put("a.csv", "x,y,z,q,dx,dy,dz,q2\n1,2,3,4,5,up,6,7\n");
  expect_refused(path, "'up' in column dy is not a number");
  EXPECT_EQ(read(path).warnings.size(), 1u) << "who wants no dipoles drops the column";
  expect_refused(folder.put("b.csv", "x,y,z,q,q2\n1,2,3,4,many\n"), "'many' in column q2 is not a number");
}

const std::pair<std::string, std::string> two_places = {"positions.npy", array({2, 3}, {1, 2, 3, 4, 5, 6})};

TEST(Densities, ArraysOfNpz) {
  const Folder folder;
  const auto path = archive(folder, {two_places,
                                     {"strengths.npy", array({3, 2}, {1, 2, 3, 4, 5, 6})},
                                     {"dipoles.npy", array({2, 2, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})}});
  const Densities d = densities_of(read(path, with_densities()));
  EXPECT_EQ(d.vectors, 3);
  EXPECT_EQ(d.strengths, (Values{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(d.dipoles, (Values{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0, 0, 0, 0, 0, 0}));
}

TEST(Densities, DipolesOfNpzWithoutStrengths) {
  const Folder folder;
  const auto path = archive(folder, {two_places, {"dipoles.npy", array({2, 3}, {1, 2, 3, 4, 5, 6})}});
  const Bodies bodies = read(path, with_densities());
  EXPECT_EQ(bodies.strengths, (Values{0, 0}));
  EXPECT_EQ(densities_of(bodies).dipoles, (Values{1, 2, 3, 4, 5, 6}));
  expect_error(ErrorCode::input, "no array strengths", [&] { read(path); });
}

TEST(Densities, FortranOrderOfThreeDimensions) {
  const Folder folder;
  const std::string header = "{'descr': '<f8', 'fortran_order': True, 'shape': (2, 2, 3), }";
  const auto path =
      archive(folder, {two_places,
                       {"strengths.npy", array({2}, {1, 2})},
                       {"dipoles.npy", testing::npy(header, bytes_of(Values{1, 7, 4, 10, 2, 8, 5, 11, 3, 9, 6, 12}))}});
  EXPECT_EQ(densities_of(read(path, with_densities())).dipoles, (Values{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
}

TEST(Densities, ShapesThatDoNotFit) {
  const Folder folder;
  for (const auto& shape : std::vector<std::vector<std::int64_t>>{{6}, {3, 2}, {1, 6}, {1, 3, 2}, {0, 2, 3}}) {
    std::int64_t size = 1;
    for (const std::int64_t length : shape) size *= length;
    const Values zeros(static_cast<std::size_t>(size));
    expect_refused(
        archive(folder, {two_places, {"strengths.npy", array({2}, {1, 2})}, {"dipoles.npy", array(shape, zeros)}}),
        "member 'dipoles.npy': its shape is " + npy_shape(shape) + ", not (2, 3)");
  }
  expect_refused(archive(folder, {two_places, {"strengths.npy", array({2, 3}, Values(6))}}), "its shape is (2, 3)");
  expect_refused(archive(folder, {two_places, {"strengths.npy", array({0, 2}, {})}}), "its shape is (0, 2)");
}

struct Everything {
  Bodies bodies;
  Values u{1, 2, 3, 4}, g{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, h = Values(24);
  Everything() {
    bodies.positions = {0, 0, 0, 1, 1, 1}, bodies.strengths = {1, 1};
    bodies.extra = {{"q2", {2, 3}}, {"hxx", {7, 7}}, {"potential2", {8, 8}}};
    for (std::size_t i = 0; i < h.size(); ++i) h[i] = 100 + static_cast<double>(i);
  }
  Results results() {
    Results r;
    r.bodies = &bodies, r.potential = &u, r.gradient = &g, r.hessian = &h, r.vectors = 2;
    return r;
  }
};

TEST(Densities, ResultsInCsv) {
  const Folder folder;
  Everything all;
  write(folder / "out.csv", all.results());
  const std::string text = content_of(folder / "out.csv");
  EXPECT_EQ(text.substr(0, text.find('\n')),
            "x,y,z,q,potential,gx,gy,gz,hxx,hyy,hzz,hxy,hxz,hyz,"
            "potential2,gx2,gy2,gz2,hxx2,hyy2,hzz2,hxy2,hxz2,hyz2,q2,hxx_,potential2_");
  EXPECT_NE(text.find("\n1,1,1,1,2,4,5,6,106,107,108,109,110,111,4,10,11,12,118,119,120,121,122,123,3,7,8\n"),
            text.npos)
      << text;
}

TEST(Densities, ResultsInNpzAndBack) {
  const Folder folder;
  Everything all;
  write(folder / "out.npz", all.results());
  const Bodies back = read(folder / "out.npz", with_densities());
  EXPECT_EQ(densities_of(back).strengths, (Values{1, 1, 2, 3}));
  EXPECT_EQ(back.reference_potential, (Values{1, 2}));
  EXPECT_EQ(back.reference_gradient, (Values{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(back.reference_hessian, Values(all.h.begin(), all.h.begin() + 12));
  EXPECT_TRUE(back.warnings.empty());
  EXPECT_EQ(back.extra.size(), 3u);  // q2, and what was none of these results
  const std::string text = content_of(folder / "out.npz");
  for (const char* name : {"potential2.npy", "gradient2.npy", "hessian2.npy"}) EXPECT_NE(text.find(name), text.npos);
}

TEST(Densities, ResultsInNpy) {
  const Folder folder;
  Everything all;
  Results r = all.results();
  const auto shape = [&] {
    write(folder / "out.npy", r);
    return npy_shape(read_npy_header({"", ""}, content_of(folder / "out.npy")).shape);
  };
  EXPECT_EQ(shape(), "(2, 20)");
  r.gradient = r.hessian = nullptr;
  EXPECT_EQ(shape(), "(2, 2)");
  Values one{1, 2};
  r.potential = &one, r.vectors = 1;
  EXPECT_EQ(shape(), "(2,)");
}

TEST(Densities, GeneratedDipolesLeaveTheRest) {
  const Bodies plain = generate("uniform", 10, 1);
  Bodies bodies = plain;
  add_random_dipoles(bodies, 1);
  EXPECT_EQ(bodies.strengths, plain.strengths);
  const Densities d = densities_of(bodies);
  ASSERT_EQ(d.dipoles.size(), 30u);
  for (const double value : d.dipoles) EXPECT_LT(std::abs(value), 0.5);
}

}  // namespace
}  // namespace farfield::io
