// DevicePlace: the points, boxes and lists of a host's tree in device memory, and the stream that orders all work
// there.
#pragma once
#include "backends/cuda/boxes/tree.hpp"
#include "backends/cuda/runtime/streams.hpp"
#include "backends/hybrid/half.hpp"

namespace farfield::hybrid {

struct DevicePlace {
  int device;
  cuda::OwnStream stream;  // outlives the arrays
  cuda::DeviceMemory memory;
  cuda::CudaTree tree;
  cuda::DeviceArray<double> source_lengths{memory}, target_lengths{memory};

  /// On the current device.
  DevicePlace();
  DevicePlace(const DevicePlace&) = delete;

  /// Return once the host's arrays have been read.
  void place(const HostTree& from, const HostLengths& lengths);
  void move(const HostTree& from);

 private:
  template <class T>
  void copy(cuda::DeviceArray<T>& to, const Array<T>& from) {
    cuda::upload(to, from.data(), from.size(), stream);
  }
  void copy_boxes(const Tree<Array>& from);
  void copy_list(List<cuda::DeviceArray>& to, const List<Array>& from);
  void copy_points(cuda::SortedPoints& to, const SortedPoints<Array>& from);
};

}  // namespace farfield::hybrid
