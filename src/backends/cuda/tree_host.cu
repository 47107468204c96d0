// Trees for the device by way of the host: built by the cpu backend and copied. It serves until the tree is built on
// the device itself, and then as the reference that tests compare with.
#include <algorithm>
#include <thread>
#include <vector>

#include "backends/cpu/survey.hpp"
#include "backends/cpu/tree.hpp"
#include "backends/cuda/tree.hpp"

namespace farfield::cuda {

static int host_threads() { return static_cast<int>(std::max(1u, std::thread::hardware_concurrency())); }

/// Points in host memory, copied there if need be.
class HostPoints {
 public:
  HostPoints(const Points& points, cudaStream_t stream) : points_(points) {
    if (points.space == MemorySpace::host || points.count == 0) return;
    const std::size_t size = points.scalar == Scalar::float32 ? 4 : 8;
    const std::size_t bytes = static_cast<std::size_t>((points.count - 1) * points.stride + 1) * size;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      copy_[axis].resize(bytes);
      download(copy_[axis].data(), static_cast<const unsigned char*>(points.axis[axis]), static_cast<std::int64_t>(bytes),
               stream);
      points_.axis[axis] = copy_[axis].data();
    }
    points_.space = MemorySpace::host;
    require(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  }
  const Points& operator*() const { return points_; }
  const Points* operator&() const { return &points_; }

 private:
  Points points_;
  std::vector<unsigned char> copy_[3];
};

template <class T>
static void copy(DeviceArray<T>& to, const Array<T>& from, cudaStream_t stream) {
  upload(to, from.data(), from.size(), stream);
}

static void copy(SortedPoints& to, const cpu::SortedPoints& from, cudaStream_t stream) {
  to.count = from.count;
  for (int axis = 0; axis < 3; ++axis) upload(to.axis[axis], from.axis[axis].data(), from.count, stream);
  upload(to.order, from.order.data(), from.count, stream);
}

void upload_tree(CudaTree& to, const cpu::CpuTree& from, cudaStream_t stream) {
  to.lattice = from.lattice;
  to.alike = from.alike;
  Tree<DeviceArray>& t = to.tree;
  const Tree<Array>& f = from.tree;
  t.lattice = f.lattice;
  t.boxes = f.boxes;
  t.levels = f.levels;
  std::copy(std::begin(f.level_begin), std::end(f.level_begin), t.level_begin);
  copy(t.level, f.level, stream);
  copy(t.centre, f.centre, stream);
  copy(t.parent, f.parent, stream);
  copy(t.first_child, f.first_child, stream);
  copy(t.colleague, f.colleague, stream);
  copy(t.child_mask, f.child_mask, stream);
  copy(t.octant, f.octant, stream);
  copy(t.source_begin, f.source_begin, stream);
  copy(t.source_end, f.source_end, stream);
  copy(t.target_begin, f.target_begin, stream);
  copy(t.target_end, f.target_end, stream);
  for (List<DeviceArray> Lists<DeviceArray>::*list : {&Lists<DeviceArray>::near, &Lists<DeviceArray>::m2p, &Lists<DeviceArray>::p2l}) {
    const List<Array>& source = list == &Lists<DeviceArray>::near  ? from.lists.near
                                : list == &Lists<DeviceArray>::m2p ? from.lists.m2p
                                                                   : from.lists.p2l;
    copy((to.lists.*list).begin, source.begin, stream);
    copy((to.lists.*list).items, source.items, stream);
  }
  copy(to.sources, from.sources, stream);
  copy(to.targets, from.targets, stream);
  require(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
}

void build(CudaTree& built, const Points& sources, const Points* targets, const Geometry& geometry,
           const TreeOptions& options, cudaStream_t stream) {
  if (options.mark) options.mark("");
  const HostPoints s(sources, stream), t(targets ? *targets : Points{}, stream);
  cpu::CpuTree tree;
  cpu::build(tree, *s, targets ? &t : nullptr, geometry,
             {options.m, options.k, options.leaf_size, options.depth, options.thresholds, host_threads(), {}});
  upload_tree(built, tree, stream);
  if (options.mark) options.mark("tree");
}

void read_points(CudaTree& built, const Points& sources, const Points* targets, const Geometry& geometry,
                 cudaStream_t stream) {
  const HostPoints s(sources, stream), t(targets ? *targets : Points{}, stream);
  cpu::CpuTree tree;
  cpu::read_points(tree, *s, targets ? &t : nullptr, geometry, host_threads());
  built.alike = tree.alike;
  copy(built.sources, tree.sources, stream);
  copy(built.targets, tree.targets, stream);
  require(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
}

Geometry survey(const Points& sources, const Points* targets, cudaStream_t stream) {
  const HostPoints s(sources, stream), t(targets ? *targets : Points{}, stream);
  return cpu::survey(*s, targets ? &t : nullptr, host_threads());
}

void CudaTree::use(DeviceMemory& memory) {
  tree.level.use(memory);
  tree.centre.use(memory);
  for (DeviceArray<BoxId>* a : {&tree.parent, &tree.first_child, &tree.colleague}) a->use(memory);
  for (DeviceArray<std::uint8_t>* a : {&tree.child_mask, &tree.octant}) a->use(memory);
  for (DeviceArray<std::int64_t>* a : {&tree.source_begin, &tree.source_end, &tree.target_begin, &tree.target_end})
    a->use(memory);
  for (List<DeviceArray>* list : {&lists.near, &lists.m2p, &lists.p2l}) {
    list->begin.use(memory);
    list->items.use(memory);
  }
  for (SortedPoints* points : {&sources, &targets}) {
    points->order.use(memory);
    for (DeviceArray<double>& axis : points->axis) axis.use(memory);
  }
}

}  // namespace farfield::cuda
