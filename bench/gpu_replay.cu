// Time of a step, move and evaluate, of points that keep their tree: by calls, and by replays of a CUDA graph that
// captured the two calls. Points, strengths and results lie in device memory, as floats; potential and gradient.
//
//     build/gpu/bench/gpu_replay [degree of uniform points in open space] [their numbers, or files *.water of
//                                compare/waters.py] [tolerances of these, for their forces] [skin, in the units given]
//                                [precision: single, double] [leaf size]
//
// JSON lines: milliseconds of a step by calls, and by a replay that is waited for (medians of 50), and of one of 200
// replays behind one another; whether replays gave the bits of calls; relative L2 error of the gradient, and of water
// of the forces that molecules exert on one another, against a plan in double at 1e-9; stages of the last step by
// calls.
#include <cmath>
#include <cstdlib>
#include <map>
#include <random>

#include "backends/cuda/runtime/streams.hpp"
#include "bench/timing.hpp"
#include "bench/waters.hpp"

namespace farfield::bench {
namespace {

struct System {
  std::string name;
  std::vector<double> x, moved, q;
  Options options;
  bool water = false;
};

/// Points go to and fro by `step`.
System with_steps(System system, double step) {
  std::mt19937_64 bits(2);
  std::uniform_real_distribution<double> shake(-step, step);
  for (const double x : system.x) system.moved.push_back(static_cast<float>(x + shake(bits)));
  system.options.backend = Backend::cuda;
  system.options.precision = Precision::single_;
  system.options.gradient = true;
  return system;
}

System uniform(const std::string& count, int degree, double skin) {
  std::mt19937_64 bits(1);
  std::uniform_real_distribution<double> place(0, 1);
  System system{count, {}, {}, {}, {}};
  system.q.resize(static_cast<std::size_t>(std::atof(count.c_str())));
  for (double& q : system.q) q = static_cast<float>(2 * place(bits) - 1);
  for (std::size_t i = 0; i < 3 * system.q.size(); ++i) system.x.push_back(static_cast<float>(place(bits)));
  system.options.degree = degree, system.options.method = Method::fmm, system.options.skin = skin;
  return with_steps(std::move(system), skin / 10);
}

System water(const std::string& file, double tolerance, double skin) {
  Water w = read_water(file);
  for (double& x : w.x) x = static_cast<float>(x);
  for (double& q : w.q) q = static_cast<float>(q);
  System system{file, std::move(w.x), {}, std::move(w.q), {}};
  Options& o = system.options;
  o.periodic = Axes::xyz, o.cell_x = w.lengths[0], o.cell_y = w.lengths[1], o.cell_z = w.lengths[2];
  system.water = true;
  o.tolerance = tolerance, o.tolerance_for = ToleranceFor::gradient, o.skin = skin;
  return with_steps(std::move(system), 0.0005);
}

/// Arrays of floats on a stream that can be captured.
class OnStream {
 public:
  explicit OnStream(const System& system) {
    fill(x_, system.x), fill(moved_, system.moved), fill(q_, system.q), fill(now_, system.x);
    potential_.resize(q_.size()), gradient_.resize(3 * q_.size());
    cuda::require(cudaDeviceSynchronize(), "copies");
  }
  Points points() const {
    Points p = farfield::points(static_cast<const float*>(now_.data()), q_.size());
    p.space = MemorySpace::device, p.stream = stream_;
    return p;
  }
  Strengths strengths() const {
    Strengths s = farfield::strengths(static_cast<const float*>(q_.data()), q_.size());
    s.space = MemorySpace::device, s.stream = stream_;
    return s;
  }
  Outputs outputs() {
    return {potential_.data(), gradient_.data(), nullptr, nullptr, Scalar::float32, MemorySpace::device, stream_};
  }
  void go(bool away) const {
    const auto& from = away ? moved_ : x_;
    cuda::require(cudaMemcpyAsync(now_.data(), from.data(), static_cast<std::size_t>(from.size()) * sizeof(float),
                                  cudaMemcpyDeviceToDevice, stream_),
                  "positions");
  }
  std::vector<float> gradient() const {
    std::vector<float> values(static_cast<std::size_t>(gradient_.size()));
    cuda::download(values.data(), gradient_.data(), gradient_.size(), stream_);
    wait();
    return values;
  }
  void wait() const { cuda::require(cudaStreamSynchronize(stream_), "step"); }
  cudaStream_t stream() const { return stream_; }

 private:
  static void fill(cuda::DeviceArray<float>& to, const std::vector<double>& from) {
    const std::vector<float> values(from.begin(), from.end());
    cuda::upload(to, values.data(), std::ssize(values), nullptr);
  }
  cuda::OwnStream stream_;
  mutable cuda::DeviceArray<float> now_;
  cuda::DeviceArray<float> x_, moved_, q_, potential_, gradient_;
};

cudaGraphExec_t capture(Plan& plan, OnStream& arrays) {
  cudaGraph_t captured = nullptr;
  cudaGraphExec_t graph = nullptr;
  cuda::require(cudaStreamBeginCapture(arrays.stream(), cudaStreamCaptureModeGlobal), "cudaStreamBeginCapture");
  plan.move(arrays.points());
  plan.evaluate(arrays.strengths(), arrays.outputs());
  cuda::require(cudaStreamEndCapture(arrays.stream(), &captured), "cudaStreamEndCapture");
  cuda::require(cudaGraphInstantiate(&graph, captured, 0), "cudaGraphInstantiate");
  cuda::require(cudaGraphDestroy(captured), "cudaGraphDestroy");
  return graph;
}

/// Where the points are at last, whatever is asked of them.
const std::vector<double>& exact_gradient(const System& system) {
  static std::map<std::string, std::vector<double>> known;
  std::vector<double>& found = known[system.name];
  if (!found.empty()) return found;
  Options o = system.options;
  o.tolerance = 1e-9, o.precision = Precision::double_, o.degree = -1, o.tolerance_for = ToleranceFor::all;
  return found = Plan(points(system.x), o).evaluate<double>(system.q).gradient;
}

template <class Step>
double median_of(OnStream& arrays, const Step& step) {
  std::vector<double> times;
  for (int i = 0; i < 50; ++i) {
    arrays.go(i % 2 == 0);
    arrays.wait();
    const double begin = now();
    step();
    arrays.wait();
    times.push_back(now() - begin);
  }
  return median(times);
}

void run(const System& system) {
  OnStream arrays(system);
  Plan plan(arrays.points(), system.options);
  const auto step = [&] {
    plan.move(arrays.points());
    plan.evaluate(arrays.strengths(), arrays.outputs());
  };
  for (int i = 0; i < 3; ++i) plan.evaluate(arrays.strengths(), arrays.outputs()), plan.move(arrays.points());
  plan.evaluate(arrays.strengths(), arrays.outputs());
  const double by_calls = median_of(arrays, step);
  const std::vector<float> called = arrays.gradient();
  const Report r = plan.report();
  StageTimes stages;
  stages.add(r);
  cudaGraphExec_t const graph = capture(plan, arrays);
  const auto replay = [&] { cuda::require(cudaGraphLaunch(graph, arrays.stream()), "cudaGraphLaunch"); };
  const double by_replays = median_of(arrays, replay);
  const bool alike = arrays.gradient() == called;
  const double begin = now();
  for (int i = 0; i < 200; ++i) replay();
  arrays.wait();
  const double in_a_row = (now() - begin) / 200;
  plan.check_replays();
  const std::vector<float> replayed = arrays.gradient();
  const std::vector<double> found(replayed.begin(), replayed.end());
  const std::vector<double>& exact = exact_gradient(system);
  std::printf(
      "{\"points\": \"%s\", \"count\": %lld, \"tolerance\": %g, \"degree\": %d, \"levels\": %d, \"calls_ms\": %.3f, "
      "\"replay_ms\": %.3f, \"replays_in_a_row_ms\": %.3f, \"same_bits\": %s, \"error\": %.3g, \"error_forces\": %.3g, "
      "\"near_pairs\": %lld, \"translations\": %lld, \"stages_ms\": {",
      system.name.c_str(), static_cast<long long>(std::ssize(system.q)), r.tolerance, r.degree, r.levels,
      1e3 * by_calls, 1e3 * by_replays, 1e3 * in_a_row, alike ? "true" : "false", error(found, exact),
      system.water ? error_of_forces(system.x, system.q, found, exact) : 0, static_cast<long long>(r.near_pairs),
      static_cast<long long>(r.m2l_boxes));
  print_stages(stages.medians(), 3);
  std::printf("}}\n");
  std::fflush(stdout);
  cuda::require(cudaGraphExecDestroy(graph), "cudaGraphExecDestroy");
}

int main_of(int argc, char** argv) {
  const int degree = argc > 1 ? std::atoi(argv[1]) : 5;
  const std::vector<std::string> tolerances = listed(argc > 3 ? argv[3] : "1e-2");
  const double skin = argc > 4 ? std::atof(argv[4]) : 1e-3;
  const auto run_with = [&](System system) {
    if (argc > 5 && argv[5] == std::string("double")) system.options.precision = Precision::double_;
    if (argc > 6) system.options.leaf_size = std::atoi(argv[6]);
    run(system);
  };
  for (const std::string& name : listed(argc > 2 ? argv[2] : "16384,65536,262144")) {
    if (!name.ends_with(".water")) run_with(uniform(name, degree, skin));
    for (const std::string& tolerance : tolerances)
      if (name.ends_with(".water")) run_with(water(name, std::atof(tolerance.c_str()), skin));
  }
  return 0;
}

}  // namespace
}  // namespace farfield::bench

int main(int argc, char** argv) try { return farfield::bench::main_of(argc, argv); } catch (const farfield::Error& e) {
  return std::fprintf(stderr, "%s\n", e.what()), static_cast<int>(e.code());
}
