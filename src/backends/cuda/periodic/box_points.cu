#include <cmath>

#include "backends/cuda/periodic/blocked_cloud.hpp"
#include "backends/cuda/periodic/box_points.hpp"
#include "backends/cuda/periodic/force_sums.hpp"
#include "backends/cuda/runtime/capture.hpp"
#include "backends/cuda/runtime/column_sums.hpp"
#include "backends/cuda/runtime/device.hpp"
#include "backends/cuda/runtime/parallel.hpp"
#include "backends/cuda/runtime/range_search.hpp"
#include "backends/cuda/runtime/streams.hpp"
#include "backends/cuda/transfer/any_numbers.hpp"
#include "tree/geometry.hpp"

namespace farfield::cuda {
namespace {

constexpr std::int64_t samples = 1000;  // targets at which the highest degrees are summed alone

/// The images of a block's points under one vector of the lattice.
struct ImageCopy {
  double shift[3];
  std::uint32_t first;   ///< of the points' order
  std::int32_t away[3];  ///< how often each vector
};

/// The points, and their images behind them.
struct PlaceWithImages {
  const double* home[3];
  const std::uint32_t *order, *offset;  ///< offset: [copy], of the images
  const ImageCopy* copies;
  std::int64_t points, copy_count;
  double* axis[3];
  std::uint32_t* source;
  __device__ void operator()(std::int64_t i) const {
    std::uint32_t j = static_cast<std::uint32_t>(i);
    double shift[3] = {};
    if (i >= points) {
      const std::int64_t image = i - points, c = range_between(offset, 0, copy_count, image);
      j = order[copies[c].first + (image - offset[c])];
      for (int d = 0; d < 3; ++d) shift[d] = copies[c].shift[d];
    }
    source[i] = j;
    for (int d = 0; d < 3; ++d) axis[d][i] = home[d][j] + shift[d];
  }
};

struct TakeCharges {
  AnyNumbers given;
  const std::uint32_t* source;
  double* charge;
  __device__ void operator()(std::int64_t i) const { charge[i] = given[source[i]]; }
};

/// [k][all]: charges, of which those of an image so many vectors k away count so many times more.
struct WeighImages {
  const std::uint32_t* offset;
  const ImageCopy* copies;
  std::int64_t points, copy_count, all;
  int vectors;
  const double* charge;
  double* weighted;
  __device__ void operator()(std::int64_t i) const {
    const std::int64_t copy = i < points ? -1 : range_between(offset, 0, copy_count, i - points);
    for (int k = 0; k < vectors; ++k) weighted[k * all + i] = charge[i] * (copy < 0 ? 1 : 1 + copies[copy].away[k]);
  }
};

/// Adds what the far images give to what the near ones do. Sums of squares: near potential, near gradient, all of both.
struct AddFar {
  double *potential, *gradient;  ///< null: not wanted
  const double *far_potential, *far_gradient;
  __device__ void operator()(std::int64_t i) const {
    double squares[4];
    (*this)(i, squares);
  }
  __device__ void operator()(std::int64_t i, double* squares) const {
    if (potential) add(potential[i], far_potential[i], squares);
    for (int axis = 0; axis < 3 && gradient; ++axis)
      add(gradient[3 * i + axis], far_gradient[3 * i + axis], squares + 1);
  }
  __device__ static void add(double& near, double far, double* squares) {
    squares[0] += near * near;
    near += far;
    squares[2] += near * near;
  }
};

template <class T>
struct Convert {
  const double* from;
  T* to;
  __device__ void operator()(std::int64_t i) const { to[i] = static_cast<T>(from[i]); }
};

class DeviceBoxPoints : public BoxPoints {
 public:
  DeviceBoxPoints() {
    require_device();
    require(cudaGetDevice(&device_), "cudaGetDevice");
    use_all(memory_, axis_[0], axis_[1], axis_[2], copies_, offset_, source_, charge_, potential_, gradient_, share_);
    use_all(memory_, far_potential_, far_gradient_, part_);
    memory_.stream = own_;
  }
  ~DeviceBoxPoints() override {
    memory_.stream = own_;
    cudaStreamSynchronize(far_side_);  // busy still after a near plan that failed
  }

  void read(const UnitCell& cell, const Points& sources, const Points* targets, bool at_sources) override {
    const OnDevice current(device_);
    check_view(sources, "source");
    if (targets) check_view(*targets, "target");
    cell_ = cell, alike_ = !targets, at_sources_ = at_sources;
    apart_ = targets ? targets->count : -1;
    take_stream(sources, targets);
    sources_.read(cell.view(), sources, nullptr);
    if (targets) targets_.read(cell.view(), *targets, at_sources ? &sources : nullptr);
  }

  FractionRange range(int i) override {
    const OnDevice current(device_);
    FractionRange all{INFINITY, -INFINITY};
    for (const BlockedCloud* cloud : {&sources_, &targets_}) {
      if (cloud->count() == 0 || (cloud == &targets_ && alike_)) continue;
      const FractionRange own = cloud->range(cell_->view(), i);
      all.low = std::fmin(all.low, own.low), all.high = std::fmax(all.high, own.high);
    }
    return all.low <= all.high ? all : FractionRange{0, 0};
  }

  Met met_by_replays() const override { return replays_ ? replays_->met() : Met::nothing; }

  void place(const BlockGrid& grid) override {
    const OnDevice current(device_);
    if (replays_) replays_->forget();
    sources_.place(grid.view(), samples);
    if (!alike_) targets_.place(grid.view(), samples);
    add_images(grid);
  }

  bool follow(const Points& sources, const Points* targets, double reach) override {
    const OnDevice current(device_);
    if (alike_ != !targets || sources.count != sources_.count() || (targets && targets->count != apart_)) return false;
    check_view(sources, "source");
    if (targets) check_view(*targets, "target");
    take_stream(sources, targets);
    if (captured()) return capture_follow(sources, targets, reach);
    DeviceArray<int> beyond(memory_);
    beyond.resize(1);
    require(cudaMemsetAsync(beyond.data(), 0, sizeof(int), memory_.stream), "cudaMemsetAsync");
    sources_.follow(cell_->view(), sources, nullptr, reach, beyond.data());
    if (targets) targets_.follow(cell_->view(), *targets, at_sources_ ? &sources : nullptr, reach, beyond.data());
    int found = 0;
    download(&found, beyond.data(), 1, memory_.stream);
    require(cudaStreamSynchronize(memory_.stream), "how far points went");
    if (found) return false;
    sources_.keep_followed();
    if (targets) targets_.keep_followed();
    place_images();
    return true;
  }

  std::int64_t sources() const override { return sources_.count(); }
  std::int64_t targets() const override { return all_targets().count(); }
  std::int64_t images() const override { return images_; }
  Points with_images() const override {
    return on_device(axis_[0].data(), axis_[1].data(), axis_[2].data(), sources() + images_);
  }
  Points at() const override {
    const BlockedCloud& t = all_targets();
    return on_device(t.axis(0), t.axis(1), t.axis(2), t.count());
  }
  std::int64_t bytes() const override { return memory_.meter.peak; }

  Strengths take(const Strengths& given, std::int64_t vector) override {
    const OnDevice current(device_);
    if (given.space == MemorySpace::device) {
      memory_.stream = static_cast<cudaStream_t>(given.stream);
    } else if (memory_.stream != own_) {
      memory_.stream = own_;  // a caller's stream may be gone; calls wait before they return
    }
    const std::int64_t all = sources() + images_;
    DeviceArray<unsigned char> copy(memory_);
    charge_.resize(all);
    const AnyNumbers numbers = numbers_on_device(given, vector, copy, memory_.stream);
    for_each_index(all, TakeCharges{numbers, source_.data(), charge_.data()}, memory_.stream, "charges with images");
    return here(charge_, 1);
  }

  Net net() override {
    const OnDevice current(device_);
    const auto found = column_sums<2>(sources(), AddCharges{charge_.data()}, part_, memory_.stream, "net charge");
    return {found[0], found[1]};
  }

  Outputs near_sums(bool potential, bool gradient) override {
    for (DeviceArray<double>* each : {&potential_, &far_potential_}) each->resize(potential ? targets() : 0);
    for (DeviceArray<double>* each : {&gradient_, &far_gradient_}) each->resize(gradient ? 3 * targets() : 0);
    return sums_to(to(potential_), to(gradient_));
  }

  /// On a stream beside that of the near plan, from the charges to what the expansions give.
  void expand(BlockField& field, double scale) override {
    const OnDevice current(device_);
    if (sources() == 0 || targets() == 0) return;
    if (!field.kept) field.kept = std::make_shared<DeviceField>(field.maps());
    const auto& own = *static_cast<DeviceField*>(field.kept.get());
    const OrderedPoints points = sources_.as_sources();
    share_.resize(std::int64_t(points.part_count) * (own.view().count + 1));
    far_side_.join(memory_.stream);
    const cudaStream_t beside = far_side_.fork(memory_.stream);
    p2m_blocks(own.view(), points, sources_.part_begin(), charge_.data(), scale, share_.data(), beside);
    own.translate(beside);
    l2p_blocks(own.view(), all_targets().as_targets(), to(far_potential_), to(far_gradient_), beside);
  }

  Norms add_far(const BlockField& field) override {
    Norms norms{};
    if (sources() == 0 || targets() == 0) return norms;
    const OnDevice current(device_);
    far_side_.join(memory_.stream);
    const AddFar add{to(potential_), to(gradient_), far_potential_.data(), far_gradient_.data()};
    if (captured()) {
      for_each_index(targets(), add, memory_.stream, "far images");
      return norms;
    }
    const FieldView& f = static_cast<const DeviceField*>(field.kept.get())->view();
    const OrderedPoints sample = all_targets().sample();
    part_.resize(4 * sum_blocks + 2 * std::int64_t(sample.part_count));
    launch_columns<4>(targets(), add, part_.data(), memory_.stream, "far images");
    l2p_highest(f, sample, !gradient_.empty(), part_.data() + 4 * sum_blocks, memory_.stream);
    std::vector<double> found(static_cast<std::size_t>(part_.size()));
    download(found.data(), part_.data(), part_.size(), memory_.stream);
    require(cudaStreamSynchronize(memory_.stream), "norms");
    const auto all = added_rows<4>(found.data(), sum_blocks);
    const auto highest = added_rows<2>(found.data() + 4 * sum_blocks, sample.part_count);
    const double times = static_cast<double>(targets()) / static_cast<double>(all_targets().sampled());
    for (std::size_t part = 0; part < 2; ++part) {
      norms.near[part] = std::sqrt(all[part]), norms.all[part] = std::sqrt(all[2 + part]);
      norms.highest[part] = std::sqrt(times * highest[part]);
    }
    return norms;
  }

  void deliver(std::int64_t vector, const Outputs& o) override {
    const OnDevice current(device_);
    const std::int64_t first = alike_ ? sources() : apart_, rest = alike_ || !at_sources_ ? 0 : sources();
    if (o.space == MemorySpace::device) order(static_cast<cudaStream_t>(o.stream), memory_.stream);
    const auto both = [&](void* at_targets, void* at_sources, const DeviceArray<double>& from, std::int64_t width) {
      if (from.empty()) return;
      write(alike_ && !at_targets ? at_sources : at_targets, width * vector * first, from.data(), width * first, o);
      if (rest > 0) write(at_sources, width * vector * rest, from.data() + width * first, width * rest, o);
    };
    both(o.gradient, o.source_gradient, gradient_, 3);
    both(o.potential, o.source_potential, potential_, 1);
    if (captured()) return;
    require(cudaStreamSynchronize(memory_.stream), "results");
  }

  Vector3 pull() override {
    const OnDevice current(device_);
    return pull_of(gradient_.data());
  }

  std::array<double, 6> virial_of_points(const Vector3& origin) override {
    const OnDevice current(device_);
    const auto doubles = [](const double* data) { return AnyNumbers{data, 1, false}; };
    const AddVirial body{{doubles(sources_.axis(0)), doubles(sources_.axis(1)), doubles(sources_.axis(2))},
                         doubles(charge_.data()),
                         doubles(gradient_.data()),
                         {origin[0], origin[1], origin[2]}};
    return column_sums<6>(sources(), body, part_, memory_.stream, "virial of points");
  }

  std::array<double, 6> virial_of_far(const BlockField& field) override {
    const OnDevice current(device_);
    return field.virial(static_cast<const DeviceField*>(field.kept.get())->moments(memory_.stream));
  }

  std::vector<Vector3> pulls_of_images(const NearSums& near) override {
    const OnDevice current(device_);
    const int vectors = cell_->periodic_count();
    const std::int64_t home = sources(), all = home + images_;
    DeviceArray<double> weighted(memory_), gradient(memory_);
    weighted.resize(vectors * all), gradient.resize(3 * vectors * home);
    for_each_index(all,
                   WeighImages{offset_.data(), copies_.data(), home, copies_.size(), all, vectors, charge_.data(),
                               weighted.data()},
                   memory_.stream, "weights of images");
    near(here(weighted, vectors), sums_to(nullptr, gradient.data()));
    std::vector<Vector3> pulls;
    for (int k = 0; k < vectors; ++k) pulls.push_back(pull_of(gradient.data() + 3 * k * home));
    return pulls;
  }

 private:
  /// Is the call captured in a graph, where nothing is read back?
  bool captured() const { return is_captured(memory_.stream); }
  /// What is kept of places, and where replays write, is made beside the capture.
  bool capture_follow(const Points& sources, const Points* targets, double reach) {
    const RelaxedCapture relaxed;
    if (!replays_) replays_ = std::make_unique<MetByReplays>();
    sources_.keep_places(own_);
    if (targets) targets_.keep_places(own_);
    require(cudaStreamSynchronize(own_), "where points were");
    sources_.follow_in_place(cell_->view(), sources, nullptr, reach, replays_->far_points());
    if (targets)
      targets_.follow_in_place(cell_->view(), *targets, at_sources_ ? &sources : nullptr, reach,
                               replays_->far_points());
    place_images();
    return true;
  }
  /// That of the points in device memory, else the own one.
  void take_stream(const Points& sources, const Points* targets) {
    memory_.stream = own_;
    if (sources.space == MemorySpace::device) memory_.stream = static_cast<cudaStream_t>(sources.stream);
    if (!targets || targets->space != MemorySpace::device) return;
    if (sources.space != MemorySpace::device) memory_.stream = static_cast<cudaStream_t>(targets->stream);
    order(static_cast<cudaStream_t>(targets->stream), memory_.stream);
  }
  const BlockedCloud& all_targets() const { return alike_ ? sources_ : targets_; }
  Points on_device(const double* x, const double* y, const double* z, std::int64_t count) const {
    Points view = points(x, y, z, count);
    view.space = MemorySpace::device;
    view.stream = memory_.stream;
    return view;
  }
  /// Charges of all points and images.
  Strengths here(const DeviceArray<double>& charges, int vectors) const {
    Strengths view = strengths(charges.data(), sources() + images_, vectors);
    view.space = MemorySpace::device;
    view.stream = memory_.stream;
    return view;
  }
  static double* to(DeviceArray<double>& sums) { return sums.empty() ? nullptr : sums.data(); }
  Outputs sums_to(double* potential, double* gradient) const {
    return {potential, gradient, nullptr, nullptr, Scalar::float64, MemorySpace::device, memory_.stream};
  }
  Vector3 pull_of(const double* gradient) {
    return column_sums<3>(sources(), AddPull{charge_.data(), gradient}, part_, memory_.stream, "pull");
  }

  void add_images(const BlockGrid& grid) {
    std::vector<ImageCopy> copies;
    std::vector<std::uint32_t> offsets;
    images_ = 0;
    const std::vector<std::uint32_t>& begin = sources_.begin();
    for (int block = 0; block < grid.blocks(); ++block) {
      const std::uint32_t first = begin[static_cast<std::size_t>(block)],
                          last = begin[static_cast<std::size_t>(block) + 1];
      if (first == last) continue;
      for (const CellIndex& n : grid.near_images(block)) {
        if (n == CellIndex{0, 0, 0}) continue;
        const Vector3 shift = cell_->displacement(n);
        copies.push_back({{shift[0], shift[1], shift[2]}, first, {n[0], n[1], n[2]}});
        offsets.push_back(static_cast<std::uint32_t>(images_));
        images_ += last - first;
      }
    }
    upload(copies_, copies.data(), std::ssize(copies), memory_.stream);
    upload(offset_, offsets.data(), std::ssize(offsets), memory_.stream);
    const std::int64_t all = sources() + images_;
    for (DeviceArray<double>& axis : axis_) axis.resize(all);
    source_.resize(all);
    place_images();
  }

  void place_images() {
    const std::int64_t all = sources() + images_;
    for_each_index(all,
                   PlaceWithImages{{sources_.axis(0), sources_.axis(1), sources_.axis(2)},
                                   sources_.order(),
                                   offset_.data(),
                                   copies_.data(),
                                   sources(),
                                   copies_.size(),
                                   {axis_[0].data(), axis_[1].data(), axis_[2].data()},
                                   source_.data()},
                   memory_.stream, "near images");
  }

  void write(void* to, std::int64_t at, const double* from, std::int64_t count, const Outputs& o) {
    if (!to) return;
    if (o.scalar == Scalar::float32)
      write_as(static_cast<float*>(to) + at, from, count, o.space);
    else
      write_as(static_cast<double*>(to) + at, from, count, o.space);
  }
  template <class T>
  void write_as(T* to, const double* from, std::int64_t count, MemorySpace space) {
    if (space == MemorySpace::device) return for_each_index(count, Convert<T>{from, to}, memory_.stream, "results");
    DeviceArray<T> converted(memory_);
    converted.resize(count);
    for_each_index(count, Convert<T>{from, converted.data()}, memory_.stream, "results");
    download(to, converted.data(), count, memory_.stream);
  }

  int device_ = 0;
  OwnStream own_;  // outlives the arrays, as in Placed
  DeviceMemory memory_;
  std::optional<UnitCell> cell_;
  bool alike_ = true, at_sources_ = false;
  std::int64_t apart_ = -1, images_ = 0;  ///< apart_: targets that are not sources
  BlockedCloud sources_{memory_}, targets_{memory_};
  DeviceArray<double> axis_[3];  ///< of the sources and of the images
  DeviceArray<ImageCopy> copies_;
  DeviceArray<std::uint32_t> offset_;  ///< [copy], of the images
  DeviceArray<std::uint32_t> source_;  ///< of each of the points and images
  DeviceArray<double> charge_, potential_, gradient_, far_potential_, far_gradient_, share_, part_;
  SideStream far_side_;                    ///< the expansions of blocks are made beside the near plan's sums
  std::unique_ptr<MetByReplays> replays_;  ///< from the first captured move on
};

}  // namespace

std::unique_ptr<BoxPoints> make_box_points() { return std::make_unique<DeviceBoxPoints>(); }

}  // namespace farfield::cuda
