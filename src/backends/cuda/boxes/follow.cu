#include <type_traits>
#include <utility>

#include "backends/cuda/boxes/follow.hpp"
#include "backends/cuda/periodic/home_boxes.hpp"
#include "backends/cuda/runtime/capture.hpp"
#include "backends/cuda/runtime/parallel.hpp"
#include "tree/reader.hpp"

namespace farfield::cuda {
namespace {

/// Points in the order of a tree, as they are given. `watched`: others look after how far they go.
template <class Read>
struct InOrder {
  Read read;
  const std::uint32_t* order;
  bool watched;
  __device__ void operator()(std::int64_t i, double x[3]) const { read.read(order[i], x); }
  __device__ bool moves_by_itself(std::int64_t) const { return !watched; }
};

/// Images in the order of a tree, from their points: the numbers that they have where they are written down. They go as
/// far as their points, which are sources, too: those that are moved by nothing.
struct ImagesInOrder {
  FollowedImages followed;
  Scaling scale;
  __device__ void operator()(std::int64_t i, double x[3]) const {
    const double* const home = followed.images.home + 3 * std::int64_t(followed.point[i]);
    const double* const by = followed.image_of(i).shift;
    for (int d = 0; d < 3; ++d) x[d] = scale(home[d] + by[d]);
  }
  __device__ bool moves_by_itself(std::int64_t i) const { return followed.at_home(i); }
};

/// Some of them.
struct ChosenImages {
  ImagesInOrder images;
  const std::uint32_t* source;
  __device__ void operator()(std::int64_t i, double x[3]) const { images(source[i], x); }
};

template <class Now>
struct FindBeyond {
  Now at;
  const double* then[3];
  Drift drift;
  int* beyond;
  __device__ void operator()(std::int64_t i) const {
    double now[3];
    at(i, now);
    look(i, now);
  }
  __device__ void look(std::int64_t i, const double now[3]) const {
    if (!at.moves_by_itself(i)) return;
    const double before[3] = {then[0][i], then[1][i], then[2][i]};
    if (drift.beyond(now, before)) *beyond = 1;
  }
};

/// The padding repeats the last point, as its order does.
template <class Now>
struct Replace {
  Now at;
  double* axis[3];
  __device__ void operator()(std::int64_t i) const {
    double now[3];
    at(i, now);
    put(i, now);
  }
  __device__ void put(std::int64_t i, const double now[3]) const {
    for (int d = 0; d < 3; ++d) axis[d][i] = now[d];
  }
};

/// The new places go into the tree's arrays wherever they are: a replay cannot be stopped.
template <class Now>
struct ReplaceAndWatch {
  FindBeyond<Now> find;
  Replace<Now> replace;
  __device__ void operator()(std::int64_t i) const {
    double now[3];
    replace.at(i, now);
    find.look(i, now);
    replace.put(i, now);
  }
};

template <class Body>
struct InReach {
  Body body;
  const std::uint32_t* source;
  __device__ void operator()(std::int64_t i) const { body(source[i]); }
};

struct FindOwn {
  const std::uint32_t *order, *point, *image;
  std::uint32_t *own_point, *own_image;
  __device__ void operator()(std::int64_t i) const { own_point[i] = point[order[i]], own_image[i] = image[order[i]]; }
};

/// Where they were when the tree was built.
const double* then(const SortedPoints& sorted, int d) {
  return (sorted.origin[0].empty() ? sorted.axis : sorted.origin)[d].data();
}

void keep_origin(SortedPoints& sorted, cudaStream_t stream) {
  if (sorted.count == 0) return;
  for (int d = 0; d < 3 && sorted.origin[2].empty(); ++d) {
    sorted.origin[d].resize(sorted.axis[d].size());
    require(cudaMemcpyAsync(sorted.origin[d].data(), sorted.axis[d].data(),
                            static_cast<std::size_t>(sorted.axis[d].size()) * sizeof(double), cudaMemcpyDeviceToDevice,
                            stream),
            "places of points");
  }
}

}  // namespace

void keep_origins(CudaTree& built) {
  keep_origin(built.sources, built.memory->stream);
  if (!built.alike) keep_origin(built.targets, built.memory->stream);
}

void keep_origins_beside(CudaTree& built, cudaStream_t stream) {
  const cudaStream_t before = std::exchange(built.memory->stream, stream);
  keep_origins(built);
  built.memory->stream = before;
  require(cudaStreamSynchronize(stream), "where points were");
}

void ImagesInTree::forget() {
  point_.release(), image_.release();
  boxes_.forget(), in_reach_.forget(), at_home_.forget();
  followed_.reset();
  others_stay_ = all_stay_ = false;
  placement_ = 0;
}

std::optional<FollowedImages> ImagesInTree::find(const Images* images, const CudaTree& built, const Scaling& scale,
                                                 bool at_home) {
  if (!images) return {};
  const bool known = placement_ == images->placement || built.sources.count == 0;
  if (!known) {
    const RelaxedCapture relaxed;
    forget();
    point_.resize(built.sources.count + padding), image_.resize(point_.size());
    for_each_index(point_.size(),
                   FindOwn{built.sources.order.data(), images->point, images->image, point_.data(), image_.data()},
                   built.memory->stream, "images in a tree");
    const FollowedImages followed{*images, point_.data(), image_.data()};
    if (built.tree.boxes > 0) {
      boxes_.find(built, followed, scale);
      in_reach_.find(built, boxes_.view().home);
      if (at_home) at_home_.find(built, followed, boxes_.view().home);
      if (images->boxes) images->boxes->find(built, followed, scale);
    }
    require(cudaStreamSynchronize(built.memory->stream), "images in a tree");
    placement_ = images->placement;
  }
  scale_ = scale;
  followed_.emplace(FollowedImages{*images, point_.data(), image_.data()});
  return followed_;
}

/// If these are enough to spare time. One H200: of 1.1e6 atoms of water 1.7 million images stay, and moves take 35 us
/// in place of 48; of 81,000 atoms steps took 0.335 ms in place of 0.326.
const SourcesInReach* ImagesInTree::let_others_stay() {
  constexpr std::int64_t enough = 1 << 19;
  if (!followed_ || static_cast<std::int64_t>(point_.size()) - in_reach_.count() < enough) return nullptr;
  others_stay_ = true;
  return &in_reach_;
}

void ImagesInTree::follow(const FollowPoints& points, bool by_homes, bool from_home, int* beyond) {
  if (by_homes && from_home && points.targets_have_images() && at_home_.found()) others_stay_ = all_stay_ = true;
  if (all_stay_)
    points.launch(beyond, at_home_);
  else
    points.launch(beyond, by_homes ? let_others_stay() : nullptr);
}

FollowPoints::FollowPoints(CudaTree& built, const Points& sources, const Points* targets, const Scaling& scale,
                           const Drift& drift, const std::optional<FollowedImages>& images)
    : built_(built),
      own_(sources, *built.memory),
      other_(targets ? DevicePoints(*targets, *built.memory) : DevicePoints()),
      scale_(scale),
      drift_(drift),
      images_(images),
      targets_have_images_(images && targets && targets->axis[0] == images->images.home) {}

/// body(now, points in the order of the tree) for sources and, where they are apart, targets; now(i, x): where they
/// are.
template <class Body>
void FollowPoints::for_each_set(const Body& body) const {
  images_ ? body(ImagesInOrder{*images_, scale_}, built_.sources) : given(own_, built_.sources, false, body);
  if (!built_.alike) given(other_, built_.targets, targets_have_images_, body);
}

template <class Body>
void FollowPoints::given(const DevicePoints& points, SortedPoints& sorted, bool watched, const Body& body) const {
  with_reader(points.view(), scale_, [&](const auto& read) {
    body(InOrder<std::remove_cvref_t<decltype(read)>>{read, sorted.order.data(), watched}, sorted);
  });
}

template <class Now>
static FindBeyond<Now> find_beyond(const Now& now, const SortedPoints& sorted, const Drift& drift, int* beyond) {
  return {now, {then(sorted, 0), then(sorted, 1), then(sorted, 2)}, drift, beyond};
}
template <class Now>
static Replace<Now> replace_by(const Now& now, SortedPoints& sorted) {
  return {now, {sorted.axis[0].data(), sorted.axis[1].data(), sorted.axis[2].data()}};
}

bool FollowPoints::any_beyond() const {
  DeviceMemory& memory = *built_.memory;
  DeviceArray<int> beyond(memory);
  beyond.resize(1);
  require(cudaMemsetAsync(beyond.data(), 0, sizeof(int), memory.stream), "cudaMemsetAsync");
  for_each_set([&](const auto& now, const SortedPoints& sorted) {
    for_each_index(sorted.count, find_beyond(now, sorted, drift_, beyond.data()), memory.stream, "how far points went");
  });
  int found = 0;
  download(&found, beyond.data(), 1, memory.stream);
  require(cudaStreamSynchronize(memory.stream), "how far points went");
  return found != 0;
}

bool FollowPoints::replace() const {
  if (any_beyond()) return false;
  keep_origins(built_);
  for_each_set([&](const auto& now, SortedPoints& sorted) {
    if (sorted.count > 0)
      for_each_index(sorted.count + padding, replace_by(now, sorted), built_.memory->stream, "new places of points");
  });
  return true;
}

void FollowPoints::launch(int* beyond, SourcesAtHome& at_home) const {
  const cudaStream_t stream = built_.memory->stream;
  double* const to[] = {at_home.axis(0), at_home.axis(1), at_home.axis(2)};
  given(other_, built_.targets, false, [&](const auto& now, const SortedPoints& sorted) {
    using Now = std::remove_cvref_t<decltype(now)>;
    const Replace<Now> replace{now, {to[0], to[1], to[2]}};
    for_each_index(sorted.count, ReplaceAndWatch<Now>{find_beyond(now, sorted, drift_, beyond), replace}, stream,
                   "moved points");
  });
  const std::int64_t targets = built_.targets.count;
  const ChosenImages apart{{*images_, scale_}, at_home.apart()};
  for_each_index(at_home.aparts(), Replace<ChosenImages>{apart, {to[0] + targets, to[1] + targets, to[2] + targets}},
                 stream, "moved images");
}

void FollowPoints::launch(int* beyond, const SourcesInReach* in_reach) const {
  for_each_set([&](const auto& now, SortedPoints& sorted) {
    using Now = std::remove_cvref_t<decltype(now)>;
    const ReplaceAndWatch<Now> follow{find_beyond(now, sorted, drift_, beyond), replace_by(now, sorted)};
    const cudaStream_t stream = built_.memory->stream;
    if (std::is_same_v<Now, ImagesInOrder> && in_reach)
      for_each_index(in_reach->count(), InReach{follow, in_reach->source()}, stream, "moved points");
    else if (sorted.count > 0)
      for_each_index(sorted.count + padding, follow, stream, "moved points");
  });
}

void ImagesInTree::move_all(CudaTree& built) const {
  if (!followed_ || built.sources.count == 0) return;
  const cudaStream_t stream = built.memory->stream;
  for_each_index(built.sources.count + padding, replace_by(ImagesInOrder{*followed_, scale_}, built.sources), stream,
                 "new places of images");
  if (!all_stay_) return;
  const double* const home = followed_->images.home;
  const InOrder<Reader<double>> points{{{home, home + 1, home + 2}, 3, scale_}, built.targets.order.data(), true};
  for_each_index(built.targets.count + padding, replace_by(points, built.targets), stream, "new places of points");
}

}  // namespace farfield::cuda
