#include <thrust/iterator/counting_iterator.h>

#include <cub/device/device_select.cuh>

#include "backends/cuda/runtime/parallel.hpp"
#include "distributed/cuda/boxes/shared_on_device.hpp"
#include "distributed/cuda/evaluation/places.hpp"

namespace farfield::distributed {
namespace {

struct IsShared {
  const BoxId* from_top;
  __device__ bool operator()(BoxId box) const { return from_top[box] != no_box; }
};

struct TakeTop {
  const BoxId *box, *from_top;
  BoxId* top;
  __device__ void operator()(std::int64_t k) const { top[k] = from_top[box[k]]; }
};

/// By one thread, from the finest box up: there are some hundreds. A box that holds points of the own tree has a child
/// that does; the own tree's parent of that child is the box.
struct FindOwn {
  TreeView essential, own;
  const BoxId *from_own, *shared;
  int count;
  BoxId* found;
  __device__ void operator()(std::int64_t) const {
    for (int k = count - 1; k >= 0; --k) {
      found[k] = no_box;
      const BoxId first = essential.first_child[shared[k]], end = first + essential.child_count(shared[k]);
      for (BoxId child = first; child < end && found[k] == no_box; ++child)
        if (const BoxId at = own_of(child); at != no_box) found[k] = own.parent[at];
    }
  }
  __device__ BoxId own_of(BoxId child) const {
    if (from_own[child] != no_box) return from_own[child];
    for (int k = 0; k < count; ++k)
      if (shared[k] == child) return found[k];
    return no_box;
  }
};

}  // namespace

SharedOnDevice::SharedOnDevice(const DeviceShare& share, farfield::cuda::DeviceMemory& memory, cudaStream_t stream)
    : essential_(memory), own_(memory) {
  const TreeView tree = share.essential.tree.view();
  if (tree.boxes == 0 || share.top.tree.boxes == 0) return;
  OnDevice<BoxId> found(memory), top(memory);
  OnDevice<int> count(memory);
  found.resize(tree.boxes), count.resize(1);
  farfield::cuda::with_temporary(memory, "shared boxes", [&](void* temporary, std::size_t& bytes) {
    return cub::DeviceSelect::If(temporary, bytes, thrust::counting_iterator<BoxId>(0), found.data(), count.data(),
                                 tree.boxes, IsShared{share.from_top.data()}, stream);
  });
  const int shared = downloaded(count.data(), 1, stream)[0];
  essential_.resize(shared), own_.resize(shared), top.resize(shared);
  farfield::cuda::require(
      cudaMemcpyAsync(essential_.data(), found.data(), static_cast<std::size_t>(shared) * sizeof(BoxId),
                      cudaMemcpyDeviceToDevice, stream),
      "cudaMemcpyAsync");
  farfield::cuda::for_each_index(shared, TakeTop{essential_.data(), share.from_top.data(), top.data()}, stream,
                                 "shared boxes");
  farfield::cuda::for_each_index(
      1, FindOwn{tree, share.own.tree.view(), share.from_own.data(), essential_.data(), shared, own_.data()}, stream,
      "shared boxes of the own tree");
  top_ = downloaded(top.data(), shared, stream);
  on_host_ = downloaded(essential_.data(), shared, stream);
}

}  // namespace farfield::distributed
