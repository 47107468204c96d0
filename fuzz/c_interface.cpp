// Sequences of calls of the C interface with arbitrary structures: null pointers, counts, strides and pitches of both
// signs, enumerations out of range, structures of any size. What a pointer points to is as large as its count says.
#include <farfield/farfield.h>

#include <algorithm>
#include <farfield/device.hpp>
#include <memory>

#include "fuzz/bytes.hpp"

namespace farfield::fuzz {
namespace {

constexpr int most = 40, farthest = 8, middle = 4096;

/// Numbers on both sides of the middle, so that no stride leads out: multiples of 1/128 in [-1, 1).
template <class T>
const T* numbers() {
  static const std::vector<T> all = [] {
    std::vector<T> values;
    std::uint32_t state = 7;
    for (int i = 0; i < 2 * middle; ++i) {
      state = state * 1664525 + 1013904223;
      values.push_back(static_cast<T>(static_cast<int>(state >> 24) - 128) / 128);
    }
    return values;
  }();
  return all.data() + middle;
}

const void* place(Bytes& bytes, int scalar) {
  const int at = bytes.between(-farthest, farthest);
  if (bytes.below(16) == 0) return nullptr;
  return scalar == FARFIELD_FLOAT32 ? static_cast<const void*>(numbers<float>() + at) : numbers<double>() + at;
}

/// Mostly one of those listed, sometimes any.
int word(Bytes& bytes, int listed) { return bytes.below(24) == 0 ? bytes.take<std::int32_t>() : bytes.below(listed); }

/// Host memory said to be on a device is refused where there is none, and the caller's fault elsewhere.
int space(Bytes& bytes) {
  static const bool none = farfield::devices().empty();
  const int any = word(bytes, 1);
  return any == FARFIELD_SPACE_DEVICE && !none ? FARFIELD_SPACE_HOST : any;
}

farfield_points points(Bytes& bytes) {
  farfield_points p{};
  p.scalar = word(bytes, 2);
  const bool together = bytes.flag();
  for (int axis = 0; axis < 3; ++axis) p.axis[axis] = place(bytes, p.scalar);
  if (together && p.axis[0]) {
    const std::size_t size = p.scalar == FARFIELD_FLOAT32 ? sizeof(float) : sizeof(double);
    p.axis[1] = static_cast<const char*>(p.axis[0]) + size;
    p.axis[2] = static_cast<const char*>(p.axis[1]) + size;
  }
  p.count = bytes.between(-1, most);
  p.stride = together ? 3 : bytes.between(-farthest, farthest);
  p.space = space(bytes);
  return p;
}

farfield_strengths strengths(Bytes& bytes, std::int64_t sources) {
  farfield_strengths s{};
  s.scalar = word(bytes, 2);
  s.data = place(bytes, s.scalar);
  s.count = bytes.below(16) == 0 ? bytes.between(-1, most) : sources;
  s.vectors = bytes.below(8) == 0 ? bytes.between(-1, 3) : 1;
  s.stride = bytes.below(4) == 0 ? bytes.between(-farthest, farthest) : 1;
  s.pitch = bytes.below(4) == 0 ? bytes.between(-100, 100) : 0;
  s.space = space(bytes);
  if (bytes.below(4) != 1) return s;
  s.dipoles = place(bytes, s.scalar);
  s.dipole_stride = bytes.below(4) == 1 ? bytes.between(-farthest, farthest) : 0;
  s.dipole_pitch = bytes.below(4) == 1 ? bytes.between(-100, 100) : 0;
  return s;
}

/// A copy of exactly `struct_size` bytes, so that reading more is seen.
struct GivenOptions {
  std::unique_ptr<unsigned char[]> bytes;
  const farfield_options* get() const { return reinterpret_cast<const farfield_options*>(bytes.get()); }
};

GivenOptions options(Bytes& bytes) {
  if (bytes.below(8) == 0) return {};
  const std::size_t known = sizeof(farfield_options),
                    size = bytes.below(8) == 0 ? sizeof(std::size_t) + std::size_t(bytes.below(int(known))) : known;
  farfield_options o;
  farfield_options_init(&o);
  o.struct_size = size;
  o.tolerance = bytes.below(8) == 0 ? bytes.real() : std::pow(10.0, -bytes.between(1, 7));
  o.gradient = bytes.flag();
  o.kernel = word(bytes, 1);
  o.method = word(bytes, 3);
  o.precision = word(bytes, 3);
  o.backend = word(bytes, 2);
  o.threads = bytes.below(16) == 0 ? bytes.take<std::int32_t>() : 1;
  if (o.threads >= 0 && o.threads <= 4096) o.threads = 1;
  o.at_sources = bytes.flag();
  o.check = bytes.below(4) == 0 ? bytes.take<std::int8_t>() : 0;
  if (bytes.below(8) == 0) o.degree = bytes.between(-2, 8);
  if (bytes.below(4) == 0) o.leaf_size = bytes.take<std::int8_t>();
  if (bytes.below(8) == 0) o.depth = bytes.between(-2, 11);
  o.m2l = word(bytes, 3);
  o.stencil = word(bytes, 3);
  o.simd = word(bytes, 4);
  if (bytes.below(8) == 0) o.softening = bytes.real(), o.softening_kind = word(bytes, 2);
  if (bytes.below(4) == 0) o.kernel = FARFIELD_KERNEL_GAUSS, o.bandwidth = bytes.real(), o.method = word(bytes, 6);
  o.dipoles = bytes.below(4) == 1;
  o.hessian = bytes.below(4) == 1;
  o.virial = bytes.below(8) == 1;
  if (o.method == FARFIELD_METHOD_FMM && o.tolerance >= 1e-13 && o.tolerance < 1e-4) o.tolerance = 1e-4;
  GivenOptions given{std::make_unique<unsigned char[]>(size)};
  std::memcpy(given.bytes.get(), &o, std::min(size, known));
  return given;
}

/// One output, exactly as long as the interface says, of numbers that no sum gives.
class Output {
 public:
  Output(bool wanted, std::int64_t count, int scalar)
      : scalar_(scalar), numbers_(wanted ? static_cast<std::size_t>(std::max<std::int64_t>(0, count)) : 0) {
    const std::size_t size = numbers_ * (scalar == FARFIELD_FLOAT32 ? sizeof(float) : sizeof(double));
    if (!wanted) return;
    bytes_ = std::make_unique<unsigned char[]>(size);
    std::memset(bytes_.get(), 0xff, size);  // NaN
  }
  void* get() const { return bytes_.get(); }
  bool finite() const {
    for (std::size_t i = 0; i < numbers_; ++i)
      if (!std::isfinite(scalar_ == FARFIELD_FLOAT32 ? number<float>(i) : number<double>(i))) return false;
    return true;
  }

 private:
  template <class T>
  T number(std::size_t i) const {
    T value;
    std::memcpy(&value, bytes_.get() + i * sizeof value, sizeof value);
    return value;
  }
  int scalar_;
  std::size_t numbers_;
  std::unique_ptr<unsigned char[]> bytes_;
};

struct Outputs {
  Output potential, gradient, source_potential, source_gradient, hessian, source_hessian, virial;
  farfield_outputs view;

  Outputs(Bytes& bytes, std::int64_t vectors, std::int64_t sources, std::int64_t targets, int scalar)
      : potential(bytes.below(8) != 0, vectors * targets, scalar),
        gradient(bytes.flag(), 3 * vectors * targets, scalar),
        source_potential(bytes.below(8) == 0, vectors * sources, scalar),
        source_gradient(bytes.below(8) == 0, 3 * vectors * sources, scalar),
        hessian(bytes.below(4) == 1, 6 * vectors * targets, scalar),
        source_hessian(bytes.below(8) == 1, 6 * vectors * sources, scalar),
        virial(bytes.below(8) == 1, 6 * vectors, FARFIELD_FLOAT64),
        view{potential.get(),
             gradient.get(),
             source_potential.get(),
             source_gradient.get(),
             scalar,
             space(bytes),
             nullptr,
             hessian.get(),
             source_hessian.get(),
             static_cast<double*>(virial.get())} {}
  void require_finite() const {
    require(potential.finite(), "a potential is not finite or was not written");
    require(gradient.finite(), "a gradient is not finite or was not written");
    require(source_potential.finite(), "a potential at a source is not finite or was not written");
    require(source_gradient.finite(), "a gradient at a source is not finite or was not written");
    require(hessian.finite() && source_hessian.finite(), "a Hessian is not finite or was not written");
  }
};

int judged(int code) {
  if (code != FARFIELD_OK && code != FARFIELD_USAGE && code != FARFIELD_INPUT && code != FARFIELD_DEVICE &&
      code != FARFIELD_MEMORY)
    broken("code " + std::to_string(code) + ": " + farfield_last_error());
  require(code == FARFIELD_OK || *farfield_last_error(), "a failed call left no sentence");
  return code;
}

class Calls {
 public:
  explicit Calls(Bytes bytes) : bytes_(bytes) {}
  ~Calls() { farfield_plan_destroy(plan_); }

  void run() {
    for (int call = 0; call < 8 && !bytes_.empty(); ++call) step();
  }

 private:
  void step() {
    switch (bytes_.below(plan_ ? 7 : 5)) {
      case 0:
        return one_shot<double>(farfield_laplace3d);
      case 1:
        return one_shot<float>(farfield_laplace3df);
      case 2:
        return direct();
      case 3:
        return small_calls();
      case 4:
        return create();
      case 5:
        return move();
      default:
        return evaluate();
    }
  }

  void create() {
    farfield_plan_destroy(plan_);
    plan_ = nullptr;
    const farfield_points sources = points(bytes_), targets = points(bytes_);
    const bool apart = bytes_.below(4) == 0;
    const GivenOptions given = options(bytes_);
    const int code = judged(
        farfield_plan_create(&plan_, bytes_.below(32) ? &sources : nullptr, apart ? &targets : nullptr, given.get()));
    require((code == FARFIELD_OK) == (plan_ != nullptr), "a plan is there exactly if the call succeeded");
    sources_ = sources.count, targets_ = apart ? targets.count : sources.count;
  }

  void move() {
    const farfield_points sources = points(bytes_), targets = points(bytes_);
    const bool apart = bytes_.below(4) == 0;
    if (judged(farfield_plan_move(plan_, bytes_.below(32) ? &sources : nullptr, apart ? &targets : nullptr)) == 0)
      sources_ = sources.count, targets_ = apart ? targets.count : sources.count;
    else if (bytes_.flag())
      evaluate();  // after a failed move: refused, or as before
  }

  void evaluate() {
    const farfield_strengths q = strengths(bytes_, sources_);
    const int scalar = word(bytes_, 2);
    const Outputs out(bytes_, std::max<std::int64_t>(q.vectors, 0), sources_, targets_, scalar);
    const int code = judged(farfield_plan_evaluate(plan_, bytes_.below(32) ? &q : nullptr, &out.view));
    if (code == FARFIELD_OK && !farfield_plan_warning(plan_, 0)) out.require_finite();
    double potential = 0, gradient = 0;
    judged(farfield_plan_measured_error(plan_, bytes_.flag() ? &potential : nullptr, &gradient));
    judged(farfield_plan_measured_hessian_error(plan_, bytes_.flag() ? &potential : nullptr));
    require(farfield_plan_memory(plan_) >= 0, "a plan of negative size");
  }

  void direct() {
    const farfield_points sources = points(bytes_), targets = points(bytes_);
    const bool apart = bytes_.flag();
    const farfield_strengths q = strengths(bytes_, sources.count);
    const GivenOptions given = options(bytes_);
    const Outputs out(bytes_, std::max<std::int64_t>(q.vectors, 0), sources.count,
                      apart ? targets.count : sources.count, word(bytes_, 2));
    judged(farfield_direct_sum(&sources, &q, apart ? &targets : nullptr, &out.view, given.get()));
  }

  template <class T, class Call>
  void one_shot(Call call) {
    const int n = bytes_.between(-1, most), m = bytes_.below(8) ? n : bytes_.between(-1, most);
    const T* values = numbers<T>();
    const T* xyz = bytes_.below(16) ? values : nullptr;
    const T* q = bytes_.below(16) ? values + 7 : nullptr;
    const T* targets = bytes_.below(4) == 0 ? values + 300 : nullptr;
    const int scalar = sizeof(T) == 4 ? FARFIELD_FLOAT32 : FARFIELD_FLOAT64;
    const Output potential(bytes_.below(16), m, scalar), gradient(bytes_.flag(), 3 * m, scalar);
    const double tolerance = bytes_.flag() ? 1e-6 : bytes_.real();
    const int code = judged(
        call(n, xyz, q, m, targets, tolerance, static_cast<T*>(potential.get()), static_cast<T*>(gradient.get())));
    if (code == FARFIELD_OK) require(potential.finite() && gradient.finite(), "a result is not finite");
  }

  void small_calls() {
    const GivenOptions given = options(bytes_);
    const std::int64_t sources = bytes_.flag() ? bytes_.take<std::int64_t>() : bytes_.take<std::int8_t>(),
                       targets = bytes_.flag() ? bytes_.take<std::int64_t>() : bytes_.take<std::int8_t>();
    const std::int64_t bound = farfield_memory_bound(sources, targets, given.get());
    require(bound >= -1, "a negative memory bound");
    require(bound == -1 || (sources >= 0 && targets >= 0), "a memory bound of a negative count");
    require(farfield_error_name(bytes_.take<std::int32_t>()) != nullptr, "an error without a name");
    farfield_plan_warning(plan_, bytes_.take<std::int64_t>());
    const std::size_t size = sizeof(std::size_t) + std::size_t(bytes_.below(200));
    const auto block = std::make_unique<unsigned char[]>(size);
    farfield_options_init_sized(reinterpret_cast<farfield_options*>(block.get()), size);
    farfield_options_init_sized(nullptr, size);
    judged(farfield_plan_measured_error(nullptr, nullptr, nullptr));
  }

  Bytes bytes_;
  farfield_plan* plan_ = nullptr;
  std::int64_t sources_ = 0, targets_ = 0;
};

}  // namespace
}  // namespace farfield::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  farfield::fuzz::Calls({data, size}).run();
  return 0;
}
