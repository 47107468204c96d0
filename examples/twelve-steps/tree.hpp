// Step 9's tree, which the later steps use as well. A box with too many bodies is cut into eight, and those again.
#pragma once
#include <algorithm>

#include "course.hpp"

namespace course {

/// Some boxes that stand side by side, as the places of the first and behind the last; a loop runs over the places.
struct Places {
  struct Iterator {
    std::size_t place;
    std::size_t operator*() const { return place; }
    void operator++() { ++place; }
    bool operator!=(Iterator other) const { return place != other.place; }
  };
  std::size_t first = 0, last = 0;
  Iterator begin() const { return {first}; }
  Iterator end() const { return {last}; }
};

/// A cube. Its bodies are those from `begin` to `end`; only children that have some exist.
struct Box {
  Vec centre;
  double half;  // of its edge
  std::size_t begin, end;
  Places children{};

  bool leaf() const { return children.first == children.last; }
  double radius() const { return std::sqrt(3.0) * half; }
};

/// Which of a box's eight parts a place lies in, a bit for each axis.
inline int octant(Vec at, Vec centre) {
  return (at.x >= centre.x ? 1 : 0) + (at.y >= centre.y ? 2 : 0) + (at.z >= centre.z ? 4 : 0);
}

inline Vec centre_of(const Box& parent, int octant) {
  const double h = parent.half / 2;
  return parent.centre + Vec{octant & 1 ? h : -h, octant & 2 ? h : -h, octant & 4 ? h : -h};
}

/// Sorts the box's bodies by octant and appends a child for each octant that has some.
inline void split(std::vector<Box>& boxes, std::size_t b, Bodies& bodies) {
  const Box parent = boxes[b];  // a copy: appending moves the boxes
  const auto part = [&](const Body& body) { return octant(body.at, parent.centre); };
  const auto first = bodies.begin();
  std::sort(first + parent.begin, first + parent.end, [&](const Body& a, const Body& c) { return part(a) < part(c); });
  boxes[b].children.first = boxes.size();
  for (std::size_t begin = parent.begin, end = begin; begin < parent.end; begin = end) {
    const int here = part(bodies[begin]);
    while (end < parent.end && part(bodies[end]) == here) ++end;
    boxes.push_back({centre_of(parent, here), parent.half / 2, begin, end});
  }
  boxes[b].children.last = boxes.size();
}

/// The boxes of the unit cube, each behind its parent; the bodies are put into the order of the leaves. Leaves have at
/// most `leaf_size` bodies, but for those so small that only bodies at one place would fill them.
inline std::vector<Box> make_tree(Bodies& bodies, std::size_t leaf_size) {
  std::vector<Box> boxes = {{{0.5, 0.5, 0.5}, 0.5, 0, bodies.size()}};
  for (std::size_t b = 0; b < boxes.size(); ++b)
    if (boxes[b].end - boxes[b].begin > leaf_size && boxes[b].half > 1e-12) split(boxes, b, bodies);
  return boxes;
}

}  // namespace course
