// Step 9: a tree. Expansions want crowds: boxes that hold bodies close to each other and are far from others, whatever
// the bodies look like. tree.hpp cuts the unit cube into eight boxes, and each box that has more than leaf_size bodies
// again.
//
// Boxes stand in one array, every parent before its children. So the multipoles of all boxes are made without a search
// or recursion: backwards through the array, a leaf from its bodies (p2m), any other box from its children (m2m).
#include "taylor.hpp"
#include "tree.hpp"

using namespace course;

constexpr int degree = 4;
constexpr std::size_t leaf_size = 32;

/// Bodies crowded about the centre of the cube: the distance of each is raised to a power.
Bodies crowd(Bodies bodies) {
  const Vec c{0.5, 0.5, 0.5};
  for (Body& b : bodies) b.at = c + 4 * dot(b.at - c, b.at - c) / 3 * (b.at - c);
  return bodies;
}

void p2m(const Body* begin, const Body* end, Vec centre, Series& m) {
  for (const Body* b = begin; b != end; ++b) {
    const Series p = powers(centre - b->at, degree);
    for (int t = 0; t < terms(degree); ++t) m[t] += b->q * p[t];
  }
}

void m2m(const Series& child, Vec d, Series& parent) {
  for_translation(d, degree, [&](int above, int below, double factor) { parent[above] += factor * child[below]; });
}

std::vector<Series> upward(const std::vector<Box>& boxes, const Bodies& bodies) {
  std::vector<Series> multipoles(boxes.size());
  for (std::size_t b = boxes.size(); b-- > 0;) {
    const Box& box = boxes[b];
    if (box.leaf()) p2m(bodies.data() + box.begin, bodies.data() + box.end, box.centre, multipoles[b]);
    for (const std::size_t c : box.children) m2m(multipoles[c], box.centre - boxes[c].centre, multipoles[b]);
  }
  return multipoles;
}

/// How many bodies lie outside a box that has them, are in no leaf or in two, or in a leaf that is too full.
std::size_t misplaced(const std::vector<Box>& boxes, const Bodies& bodies) {
  std::size_t wrong = 0;
  std::vector<int> leaves(bodies.size());
  for (const Box& box : boxes) {
    if (box.leaf() && box.end - box.begin > leaf_size) ++wrong;
    for (std::size_t i = box.begin; i < box.end; ++i) {
      const Vec d = bodies[i].at - box.centre;
      if (std::max({std::fabs(d.x), std::fabs(d.y), std::fabs(d.z)}) > box.half) ++wrong;
      if (box.leaf()) ++leaves[i];
    }
  }
  return wrong + bodies.size() - static_cast<std::size_t>(std::count(leaves.begin(), leaves.end(), 1));
}

/// The leaves that the plane z = 0.49999 cuts (at 0.5 boxes meet), and the bodies of these.
int draw(const char* path, const std::vector<Box>& boxes, const Bodies& bodies) {
  std::FILE* file = path != nullptr ? std::fopen(path, "w") : nullptr;
  if (file == nullptr) return path == nullptr ? 0 : (std::printf("cannot write %s\n", path), 1);
  std::fprintf(file, "<svg xmlns='http://www.w3.org/2000/svg' width='500' height='500' viewBox='0 0 1 1'>\n");
  std::fprintf(file, "<rect width='1' height='1' fill='white'/>\n");
  for (const Box& box : boxes) {
    if (!box.leaf() || std::fabs(box.centre.z - 0.49999) > box.half) continue;
    std::fprintf(file,
                 "<rect x='%g' y='%g' width='%g' height='%g' fill='none' stroke='#1f6fb4' stroke-width='.001'/>\n",
                 box.centre.x - box.half, box.centre.y - box.half, 2 * box.half, 2 * box.half);
    for (std::size_t i = box.begin; i < box.end; ++i)
      std::fprintf(file, "<circle cx='%.4f' cy='%.4f' r='.002'/>\n", bodies[i].at.x, bodies[i].at.y);
  }
  std::fprintf(file, "</svg>\n");
  return std::fclose(file) == 0 ? 0 : 1;
}

int main(int argc, char** argv) {
  const auto [n, seed, figure] = arguments(argc, argv, 10000);
  Bodies bodies = crowd(random_bodies(n, seed));
  std::vector<Box> boxes;
  for (const std::size_t most : {16 * leaf_size, 4 * leaf_size, leaf_size}) {
    const double time = seconds([&] { boxes = make_tree(bodies, most); });
    std::printf("leaves of at most %3zu: %6zu boxes, smallest edge %.1e, %.1e s\n", most, boxes.size(),
                2 * boxes.back().half, time);
  }
  const std::vector<Series> multipoles = upward(boxes, bodies);
  Series direct{};
  p2m(bodies.data(), bodies.data() + n, boxes[0].centre, direct);
  return judge("bodies misplaced", static_cast<double>(misplaced(boxes, bodies)), 0) +
         judge("the root's multipole by the tree against p2m of all bodies",
               relative_error(std::vector<double>(multipoles[0].begin(), multipoles[0].end()),
                              {direct.begin(), direct.end()}),
               1e-12) +
         draw(figure, boxes, bodies);
}
