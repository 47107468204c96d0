#include "backends/cpu/cells/cells.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "backends/cpu/transfer/survey.hpp"
#include "tree/clouds.hpp"

namespace farfield::cpu {
namespace {

CellLattice lattice_of(const Geometry& g, int axes, double spacings, int shift, int sub) {
  CellLattice lattice;
  lattice.axes = axes, lattice.inverse = spacings / (g.extent > 0 ? g.extent : 1), lattice.shift = shift,
  lattice.sub = sub;
  for (int a = 0; a < axes; ++a) lattice.axis[a] = a, lattice.low[a] = Scaling(g.exponent)(g.low[a]);
  return lattice;
}

/// Cell along z, y and x, finer cell along z, y and x, index: sorted as they stand.
using Place = std::array<std::int64_t, 7>;

std::vector<Place> places(const std::vector<double>& xyz, const Geometry& g, const CellLattice& lattice) {
  std::vector<Place> all;
  for (std::size_t i = 0; i < xyz.size() / 3; ++i) {
    Place p{};
    for (int a = 0; a < lattice.axes; ++a) {
      const double x = Scaling(g.exponent)(xyz[3 * i + static_cast<std::size_t>(a)]);
      const auto at = static_cast<std::int64_t>(std::floor((x - lattice.low[a]) * lattice.inverse));
      p[static_cast<std::size_t>(2 - a)] = at >> lattice.shift;
      p[static_cast<std::size_t>(5 - a)] = (at & ((1 << lattice.shift) - 1)) >> (lattice.shift - lattice.sub);
    }
    p[6] = static_cast<std::int64_t>(i);
    all.push_back(p);
  }
  std::sort(all.begin(), all.end());
  return all;
}

/// Few cells are counted, many sorted, very many sorted twice: all as if by the standard's sort, and the cells are the
/// runs of equal ones.
TEST(Cells, AreThoseOfAStandardSortForAnyTeam) {
  struct Case {
    double spacings;
    int shift, sub;
  };
  for (const test::NamedCloud& cloud : test::all_clouds())
    for (const std::int64_t n : {1, 700, 20000})
      for (const int axes : {1, 2, 3})
        for (const Case& c : {Case{9, 4, 2}, Case{300, 5, 3}, Case{2000, 4, 2}, Case{500000, 4, 2}}) {
          const std::vector<double> xyz = cloud.make(n, 31);
          const Points view = points(xyz);
          const Geometry g = survey(view, nullptr, 2);
          const CellLattice lattice = lattice_of(g, axes, c.spacings, c.shift, c.sub);
          const std::vector<Place> expected = places(xyz, g, lattice);
          for (const int threads : {1, 3}) {
            SortedPoints sorted;
            Cells cells;
            sort_by_cells(sorted, cells, view, g, lattice, threads);
            ASSERT_EQ(cells.begin.size(), cells.key.size() + 1);
            ASSERT_EQ(cells.begin.back(), view.count);
            std::size_t cell = 0;
            for (std::size_t i = 0; i < expected.size(); ++i) {
              const Place& p = expected[i];
              const auto at = static_cast<std::int64_t>(i);
              ASSERT_EQ(sorted.order[at], p[6]) << cloud.name << ", " << axes << " axes, " << c.spacings << ", " << i;
              for (std::size_t d = 0; d < 3; ++d)
                ASSERT_EQ(sorted.axis[d][at], Scaling(g.exponent)(xyz[3 * static_cast<std::size_t>(p[6]) + d]));
              if (at == cells.begin[cell + 1]) ++cell;
              ASSERT_EQ(cells.key[cell], cell_key(p[2], p[1], p[0])) << cloud.name << ", " << axes << " axes";
            }
            ASSERT_EQ(cell + 1, cells.key.size());
          }
        }
}

}  // namespace
}  // namespace farfield::cpu
