#include <algorithm>

#include "backends/cuda/runtime/device.hpp"
#include "backends/hybrid/device/place.hpp"

namespace farfield::hybrid {

DevicePlace::DevicePlace() : device(cuda::current_device()) {
  memory.stream = stream;
  tree.use(memory);
}

void DevicePlace::copy_boxes(const Tree<Array>& from) {
  Tree<cuda::DeviceArray>& to = tree.tree;
  to.lattice = from.lattice;
  to.boxes = from.boxes;
  to.levels = from.levels;
  std::copy(std::begin(from.level_begin), std::end(from.level_begin), to.level_begin);
  copy(to.level, from.level);
  copy(to.centre, from.centre);
  copy(to.parent, from.parent);
  copy(to.first_child, from.first_child);
  copy(to.colleague, from.colleague);
  copy(to.child_mask, from.child_mask);
  copy(to.octant, from.octant);
  copy(to.source_begin, from.source_begin);
  copy(to.source_end, from.source_end);
  copy(to.target_begin, from.target_begin);
  copy(to.target_end, from.target_end);
}

void DevicePlace::copy_list(List<cuda::DeviceArray>& to, const List<Array>& from) {
  copy(to.begin, from.begin);
  copy(to.items, from.items);
}

/// Numbers of the points tell selves only where targets are another set.
void DevicePlace::copy_points(cuda::SortedPoints& to, const SortedPoints<Array>& from) {
  to.count = from.count;
  for (int axis = 0; axis < 3; ++axis) copy(to.axis[axis], from.axis[axis]);
  if (tree.alike)
    to.order.release();
  else
    copy(to.order, from.order);
}

void DevicePlace::place(const HostTree& from, const HostLengths& lengths) {
  const cuda::OnDevice current(device);
  tree.alike = from.alike;
  copy_boxes(from.tree);
  copy_list(tree.lists.near, from.lists.near);
  copy_list(tree.lists.m2p, from.lists.m2p);
  copy_list(tree.lists.p2l, from.lists.p2l);
  copy_points(tree.sources, from.sources);
  copy_points(tree.targets, from.targets);
  copy(source_lengths, lengths.sources);
  copy(target_lengths, lengths.targets);
}

void DevicePlace::move(const HostTree& from) {
  const cuda::OnDevice current(device);
  copy_points(tree.sources, from.sources);
  copy_points(tree.targets, from.targets);
}

}  // namespace farfield::hybrid
