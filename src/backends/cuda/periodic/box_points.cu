#include <cmath>
#include <utility>

#include "backends/cuda/periodic/blocks/shared_blocks.hpp"
#include "backends/cuda/periodic/box_points.hpp"
#include "backends/cuda/periodic/cell_sums.hpp"
#include "backends/cuda/periodic/early_start.hpp"
#include "backends/cuda/periodic/home_boxes.hpp"
#include "backends/cuda/periodic/near_images.hpp"
#include "backends/cuda/runtime/capture.hpp"
#include "backends/cuda/runtime/column_sums.hpp"
#include "backends/cuda/runtime/device.hpp"
#include "backends/cuda/runtime/parallel.hpp"
#include "backends/cuda/runtime/streams.hpp"
#include "backends/cuda/transfer/any_numbers.hpp"
#include "backends/cuda/transfer/points.hpp"
#include "backends/cuda/transfer/strengths.hpp"
#include "backends/cuda/transfer/survey.hpp"
#include "tree/geometry.hpp"

namespace farfield::cuda {
namespace {

constexpr std::int64_t samples = 1000;  // targets at which the highest degrees are summed alone

/// Sums of squares: near potential, near gradient, all of both.
struct AddSquares {
  CellSum potential, gradient;
  bool has_gradient;
  __device__ void operator()(std::int64_t i, double* squares) const {
    add(potential, i, squares);
    for (int axis = 0; axis < 3 && has_gradient; ++axis) add(gradient, 3 * i + axis, squares + 1);
  }
  __device__ static void add(const CellSum& sum, std::int64_t i, double* squares) {
    const double near = sum.near[i], all = sum[i];
    squares[0] += near * near;
    squares[2] += all * all;
  }
};

template <class T>
struct Convert {
  CellSum from;
  std::int64_t first;
  T* to;
  __device__ void operator()(std::int64_t i) const { to[i] = static_cast<T>(from[first + i]); }
};

struct CopyCharges {
  AnyNumbers from;
  double* to;
  __device__ void operator()(std::int64_t i) const { to[i] = from[i]; }
};

class DeviceBoxPoints : public BoxPoints {
 public:
  explicit DeviceBoxPoints(const OtherPoints& others) : others_(others) {
    require_device();
    require(cudaGetDevice(&device_), "cudaGetDevice");
    use_all(memory_, charge_, home_charge_, share_, part_, flag_);
    memory_.stream = own_;
  }
  ~DeviceBoxPoints() override {
    memory_.stream = own_;
    cudaStreamSynchronize(far_side_);  // busy still after a near plan that failed
    cudaStreamSynchronize(boxes_->beside());
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
    given_sources_ = sources, given_targets_ = targets ? *targets : Points{};
    all_sources_ = others_.sum(sources_.count());
    all_targets_ = alike_ ? all_sources_ : others_.sum(targets_.count());
  }

  FractionRange range(int i) override {
    const OnDevice current(device_);
    FractionRange all{INFINITY, -INFINITY};
    for (const BlockedCloud* cloud : {&sources_, &targets_}) {
      if (cloud->count() == 0 || (cloud == &targets_ && alike_)) continue;
      const FractionRange own = cloud->range(cell_->view(), i);
      all.low = std::fmin(all.low, own.low), all.high = std::fmax(all.high, own.high);
    }
    all = others_.joined(all);
    return all.low <= all.high ? all : FractionRange{0, 0};
  }

  Met met_by_replays() const override { return replays_ ? replays_->met() : Met::nothing; }

  void place(const BlockGrid& grid) override {
    const OnDevice current(device_);
    if (replays_) replays_->forget();
    sources_.place(grid.view(), samples, others_);
    if (!alike_) targets_.place(grid.view(), samples, others_);
    require_numbers();
    images_.find(grid, sources_);
    boxes_->place(grid.of_boxes() && alike_ && others_.alone() ? std::optional(grid) : std::nullopt, sources_);
    all_images_ = others_.sum(images_.count()) - all_sources_;
    if (!others_.alone()) shared_.place(sources_, sources_of_part);
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
    images_.move();
    return true;
  }

  void followed() override { start_.moved(memory_.stream); }

  std::int64_t sources() const override { return all_sources_; }
  std::int64_t targets() const override { return all_targets_; }
  std::int64_t images() const override { return all_images_; }
  Points with_images() override {
    const OnDevice current(device_);
    return on_device(images_.place(sources_), images_.count());
  }
  std::optional<Images> as_images() const override {
    Images images = images_.found_from(sources_, on_device(images_.at(), images_.count()));
    images.boxes = boxes_.get();
    return images;
  }
  Points at() const override {
    const BlockedCloud& t = own_targets();
    return on_device(t.at(), t.count());
  }
  std::int64_t behind() const override { return alike_ || !at_sources_ ? -1 : sources_.count(); }
  std::int64_t bytes() const override { return memory_.meter.peak; }

  Strengths take(const Strengths& given, std::int64_t vector) override {
    const OnDevice current(device_);
    if (given.space == MemorySpace::device) {
      memory_.stream = static_cast<cudaStream_t>(given.stream);
    } else if (memory_.stream != own_) {
      memory_.stream = own_;  // a caller's stream may be gone; calls wait before they return
    }
    DeviceArray<unsigned char> copy(memory_);
    single_ = given.scalar == Scalar::float32;
    charge_.resize(images_.count() * size_of(given.scalar));
    home_charge_.resize(sources_.count() + shared_.received());
    given_strengths_ = given;
    asked_ = captured(), by_boxes_ = false;
    if (!asked_) {
      flag_.resize(1);
      require(cudaMemsetAsync(flag_.data(), 0, sizeof(int), memory_.stream), "cudaMemsetAsync");
    }
    const AnyNumbers numbers = numbers_on_device(given, vector, copy, memory_.stream);
    begun_ = others_.alone() && start_.begin(far_side_, memory_.stream);
    const cudaStream_t taking = begun_ ? cudaStream_t(far_side_) : memory_.stream;
    images_.take(numbers, charge_.data(), home_charge_.data(), asked_ ? nullptr : flag_.data(), taking);
    order(taking, memory_.stream);
    return single_ ? here(reinterpret_cast<const float*>(charge_.data()), 1)
                   : here(reinterpret_cast<const double*>(charge_.data()), 1);
  }

  Net net() override {
    const OnDevice current(device_);
    const auto found = sums_of_all<2>(AddCharges{home_charge_.data()}, "net charge");
    return {found[0], found[1]};
  }

  Outputs near_sums(bool gradient, Scalar scalar) override {
    sums_.begin(own_targets().count(), gradient, scalar);
    return sums_.near_to(memory_.stream);
  }

  std::optional<InPlace> take_in_place(const Strengths& given, std::int64_t vector, const Outputs& o,
                                       bool gradient) override {
    const OnDevice current(device_);
    void* const to = alike_ && !o.potential ? o.source_potential : o.potential;
    void* const gradient_to = alike_ && !o.gradient ? o.source_gradient : o.gradient;
    const bool one_set = alike_ || !at_sources_, wanted = to && (gradient_to || !gradient);
    if (!others_.alone() || !one_set || !wanted || sources() == 0 || targets() == 0) return {};
    memory_.stream = static_cast<cudaStream_t>(given.stream);
    given_strengths_ = given, asked_ = true;
    home_charge_.resize(sources_.count());
    DeviceArray<unsigned char> copy(memory_);
    const AnyNumbers charges = numbers_on_device(given, vector, copy, memory_.stream);
    by_boxes_ = o.scalar == Scalar::float32 && boxes_->found();
    begun_ = start_.begin(by_boxes_ ? boxes_->beside() : far_side_, memory_.stream);
    if (!by_boxes_)
      for_each_index(sources_.count(), CopyCharges{charges, home_charge_.data()},
                     begun_ ? cudaStream_t(far_side_) : memory_.stream, "charges");
    const std::int64_t count = own_targets().count();
    sums_.begin(count, gradient, o.scalar);
    order(static_cast<cudaStream_t>(o.stream), memory_.stream);
    void* const first = shifted(to, vector * count, o.scalar);
    void* const slopes = gradient ? shifted(gradient_to, 3 * vector * count, o.scalar) : nullptr;
    InPlace taken{given, {first, slopes, nullptr, nullptr, o.scalar, MemorySpace::device, memory_.stream}};
    taken.strengths.data = charges.data, taken.strengths.vectors = 1, taken.strengths.pitch = 0;
    return taken;
  }
  Addend far_sums() override {
    cudaEvent_t const given = begun_ ? start_.in_place() : nullptr;
    if (by_boxes_) return {nullptr, nullptr, nullptr, given, crowded_until_, boxes_.get()};
    far_ready_.record(far_side_);
    const BlockResults far = sums_.far_to();
    return {far.potential, far.gradient, far_ready_, given, crowded_until_};
  }

  /// On a stream beside that of the near plan, from the charges to what the expansions give; or later, by the boxes of
  /// its tree.
  void expand(BlockField& field, double scale) override {
    const OnDevice current(device_);
    if (by_boxes_) return expand_by_boxes(*static_cast<DeviceField*>(field.kept.get()));
    if (!others_.alone()) require_finite_charges();
    if (sources() > 0 && targets() > 0) {
      if (!field.kept) field.kept = std::make_shared<DeviceField>(field.maps());
      auto& own = *static_cast<DeviceField*>(field.kept.get());
      const OrderedPoints points = others_.alone() ? sources_.as_sources() : shared_.ordered();
      share_.resize(std::int64_t(points.part_count) * (own.view().count + 1));
      far_side_.join(memory_.stream);
      if (!others_.alone()) p2m_in_turn(own, scale);
      const cudaStream_t beside = far_side_.fork(begun_ ? cudaStream_t(far_side_) : memory_.stream);
      if (others_.alone()) {
        p2m_parts_of_blocks(own.view(), points, charges_for_blocks(scale), share_.data(), beside);
        add_parts_of_blocks(own.view(), sources_.part_begin(), share_.data(), false, beside);
      }
      own.translate(beside);
      crowded_until_ = own.translated();
      l2p_blocks(own.view(), own_targets().as_targets(), sums_.far_to(), beside);
    }
    if (others_.alone()) require_finite_charges();  // the far images' work has begun meanwhile
  }

  Norms add_far(const BlockField& field) override {
    Norms norms{};
    if (sources() == 0 || targets() == 0) return norms;
    const OnDevice current(device_);
    far_side_.join(memory_.stream);
    sums_.add_far();
    if (captured()) return norms;
    const FieldView& f = static_cast<const DeviceField*>(field.kept.get())->view();
    const OrderedPoints sample = own_targets().sample();
    part_.resize(4 * sum_blocks + 2 * std::int64_t(sample.part_count));
    const AddSquares squares{sums_.potential(), sums_.gradient(), sums_.has_gradient()};
    launch_columns<4>(own_targets().count(), squares, part_.data(), memory_.stream, "far images");
    l2p_highest(f, sample, sums_.has_gradient(), part_.data() + 4 * sum_blocks, memory_.stream);
    std::vector<double> found(static_cast<std::size_t>(part_.size()));
    download(found.data(), part_.data(), part_.size(), memory_.stream);
    require(cudaStreamSynchronize(memory_.stream), "norms");
    const auto all = sum_of_all(others_, added_rows<4>(found.data(), sum_blocks));
    const auto highest = sum_of_all(others_, added_rows<2>(found.data() + 4 * sum_blocks, sample.part_count));
    const double times = static_cast<double>(targets()) / static_cast<double>(own_targets().sampled());
    for (std::size_t part = 0; part < 2; ++part) {
      norms.near[part] = std::sqrt(all[part]), norms.all[part] = std::sqrt(all[2 + part]);
      norms.highest[part] = std::sqrt(times * highest[part]);
    }
    return norms;
  }

  void deliver(std::int64_t vector, const Outputs& o) override {
    const OnDevice current(device_);
    const std::int64_t own = sources_.count(), first = alike_ ? own : apart_, rest = alike_ || !at_sources_ ? 0 : own;
    if (o.space == MemorySpace::device) order(static_cast<cudaStream_t>(o.stream), memory_.stream);
    const auto both = [&](void* at_targets, void* at_sources, const CellSum& from, std::int64_t width) {
      void* const to = alike_ && !at_targets ? at_sources : at_targets;
      write(to, width * vector * first, {from, 0}, width * first, o);
      if (rest > 0) write(at_sources, width * vector * rest, {from, width * first}, width * rest, o);
    };
    if (sums_.has_gradient()) both(o.gradient, o.source_gradient, sums_.gradient(), 3);
    both(o.potential, o.source_potential, sums_.potential(), 1);
    if (captured()) return;
    require(cudaStreamSynchronize(memory_.stream), "results");
  }

  Vector3 pull() override {
    const OnDevice current(device_);
    return pull_of(sums_.gradient());
  }

  std::array<double, 6> virial_of_points(const Vector3& origin) override {
    const OnDevice current(device_);
    const auto coordinate = [&](int axis) { return AnyNumbers{sources_.at() + axis, 3, false}; };
    const AddVirial body{{coordinate(0), coordinate(1), coordinate(2)},
                         {home_charge_.data(), 1, false},
                         sums_.gradient(),
                         {origin[0], origin[1], origin[2]}};
    return sums_of_all<6>(body, "virial of points");
  }

  std::array<double, 6> virial_of_far(const BlockField& field) override {
    const OnDevice current(device_);
    return field.virial(static_cast<const DeviceField*>(field.kept.get())->moments(memory_.stream));
  }

  std::vector<Vector3> pulls_of_images(const NearSums& near) override {
    const OnDevice current(device_);
    const int vectors = cell_->periodic_count();
    const std::int64_t room = std::max<std::int64_t>(1, sources_.count());
    DeviceArray<double> weighted(memory_), gradient(memory_);
    weighted.resize(vectors * images_.count()), gradient.resize(3 * vectors * room);
    images_.weigh({charge_.data(), 1, single_}, vectors, weighted.data());
    near(here(weighted.data(), vectors),
         {nullptr, gradient.data(), nullptr, nullptr, Scalar::float64, MemorySpace::device, memory_.stream});
    std::vector<Vector3> pulls;
    for (int k = 0; k < vectors; ++k)
      pulls.push_back(pull_of({{gradient.data() + 3 * k * sources_.count(), 1, false}, {}}));
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
    images_.move();
    start_.placed(memory_.stream);
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
  const BlockedCloud& own_targets() const { return alike_ ? sources_ : targets_; }

  /// A survey, which has the words for coordinates that are none; the near plan would count images, too.
  void require_numbers() {
    if (sources_.numbers() && (alike_ || targets_.numbers())) return;
    survey(given_sources_, alike_ ? nullptr : &given_targets_, memory_);
  }
  /// The same of the charges taken.
  void require_finite_charges() {
    if (std::exchange(asked_, true)) return;
    int found = 0;
    download(&found, flag_.data(), 1, memory_.stream);
    require(cudaStreamSynchronize(memory_.stream), "charges with images");
    if (found) DeviceStrengths(memory_).read(given_strengths_, 0, memory_.stream);
  }

  void expand_by_boxes(DeviceField& field) {
    const RelaxedCapture relaxed;
    boxes_->use(field, own_);
    crowded_until_ = field.translated();
  }
  SourceCharges charges_for_blocks(double scale) { return {home_charge_.data(), scale, sums_.far_to().scalar}; }
  /// Parts that are others', too, are summed where their first point is, and added up in the order of ranks, so that
  /// the multipoles have the bits of one process over all points.
  void p2m_in_turn(const DeviceField& field, double scale) {
    const cudaStream_t stream = memory_.stream;
    const FieldView& view = field.view();
    shared_.complete(home_charge_.data());
    p2m_parts_of_blocks(view, shared_.ordered(), charges_for_blocks(scale), share_.data(), stream);
    std::vector<double> sum(static_cast<std::size_t>(view.blocks) * static_cast<std::size_t>(view.count + 1));
    others_.in_turn(sum, [&](std::vector<double>& all) {
      field.set_multipoles(all, stream);
      add_parts_of_blocks(view, shared_.part_begin(), share_.data(), true, stream);
      all = field.multipoles(stream);
    });
    field.set_multipoles(sum, stream);
  }

  template <int columns, class Body>
  std::array<double, columns> sums_of_all(const Body& body, const char* name) {
    return sum_of_all(others_, column_sums<columns>(sources_.count(), body, part_, memory_.stream, name));
  }
  Points on_device(const double* xyz, std::int64_t count) const {
    Points view = points(xyz, count);
    view.space = MemorySpace::device;
    view.stream = memory_.stream;
    return view;
  }
  /// Charges of all points and images.
  template <class T>
  Strengths here(const T* charges, int vectors) const {
    Strengths view = strengths(charges, images_.count(), vectors);
    view.space = MemorySpace::device;
    view.stream = memory_.stream;
    return view;
  }
  Vector3 pull_of(const CellSum& gradient) { return sums_of_all<3>(AddPull{home_charge_.data(), gradient}, "pull"); }

  struct SumsFrom {
    CellSum sum;
    std::int64_t first;
  };
  void write(void* to, std::int64_t at, const SumsFrom& from, std::int64_t count, const Outputs& o) {
    if (!to) return;
    if (o.scalar == Scalar::float32)
      write_as(static_cast<float*>(to) + at, from, count, o.space);
    else
      write_as(static_cast<double*>(to) + at, from, count, o.space);
  }
  template <class T>
  void write_as(T* to, const SumsFrom& from, std::int64_t count, MemorySpace space) {
    const auto convert = [&](T* there) {
      for_each_index(count, Convert<T>{from.sum, from.first, there}, memory_.stream, "results");
    };
    if (space == MemorySpace::device) return convert(to);
    DeviceArray<T> converted(memory_);
    converted.resize(count);
    convert(converted.data());
    download(to, converted.data(), count, memory_.stream);
  }

  const OtherPoints& others_;
  int device_ = 0;
  OwnStream own_;  // outlives the arrays, as in Placed
  DeviceMemory memory_;
  std::optional<UnitCell> cell_;
  bool alike_ = true, at_sources_ = false;
  std::int64_t apart_ = -1;  ///< targets that are not sources
  std::int64_t all_sources_ = 0, all_targets_ = 0, all_images_ = 0;
  Points given_sources_, given_targets_;  ///< until place() has looked at them
  Strengths given_strengths_;             ///< until expand() has asked whether they are numbers
  bool asked_ = true;
  BlockedCloud sources_{memory_}, targets_{memory_};
  NearImages images_{memory_};
  const std::unique_ptr<HomeBoxes> boxes_ = std::make_unique<HomeBoxes>();
  bool by_boxes_ = false;  ///< do far images of the strengths taken go by these?
  SharedBlocks shared_{memory_, others_};
  DeviceArray<unsigned char> charge_;  ///< of sources and images, of the type of those given
  bool single_ = false;                ///< float
  DeviceArray<double> home_charge_;    ///< of the sources alone
  CellSums sums_{memory_};
  DeviceArray<double> share_, part_;
  DeviceArray<int> flag_;
  EarlyStart start_;
  OwnEvent far_ready_;
  cudaEvent_t crowded_until_ = nullptr;    ///< see Addend
  bool begun_ = false;                     ///< the expansions wait for points and charges alone
  SideStream far_side_;                    ///< the expansions of blocks are made beside the near plan's sums
  std::unique_ptr<MetByReplays> replays_;  ///< from the first captured move on
};

}  // namespace

std::unique_ptr<BoxPoints> make_box_points(const OtherPoints& others) {
  return std::make_unique<DeviceBoxPoints>(others);
}

}  // namespace farfield::cuda
