#include "backends/cuda/host_tree.hpp"

namespace farfield::cuda {

HostTree::HostTree(const CudaTree& from, cudaStream_t stream) : alike_(from.alike), view_(from.tree.view()) {
  const auto take = [&](const auto*& pointer, std::int64_t count) {
    using T = std::remove_cvref_t<decltype(*pointer)>;
    std::vector<unsigned char>& copy = kept_.emplace_back(static_cast<std::size_t>(count) * sizeof(T));
    if (pointer) download(reinterpret_cast<T*>(copy.data()), pointer, count, stream);
    pointer = reinterpret_cast<const T*>(copy.data());
  };
  const std::int64_t boxes = view_.boxes;
  const bool ranges_alike = view_.target_begin == view_.source_begin;
  kept_.reserve(16);
  take(view_.level, boxes);
  take(view_.centre, 3 * boxes);
  take(view_.parent, boxes);
  take(view_.first_child, boxes);
  take(view_.child_mask, boxes);
  take(view_.octant, boxes);
  take(view_.colleague, colleagues_per_box * boxes);
  take(view_.source_begin, boxes);
  take(view_.source_end, boxes);
  if (ranges_alike) {
    view_.target_begin = view_.source_begin;
    view_.target_end = view_.source_end;
  } else {
    take(view_.target_begin, boxes);
    take(view_.target_end, boxes);
  }
  const SortedPoints* sets[2] = {&from.sources, alike_ ? nullptr : &from.targets};
  for (int i = 0; i < 6; ++i) {
    const SortedPoints* set = sets[i / 3];
    if (!set) continue;
    axis_[i].resize(static_cast<std::size_t>(set->count) * sizeof(double));
    download(reinterpret_cast<double*>(axis_[i].data()), set->axis[i % 3].data(), set->count, stream);
  }
  require(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
}

}  // namespace farfield::cuda
