// StageGraph: launches are captured once and replayed; what cannot be captured goes on being called, with its errors.
#include "backends/cuda/runtime/graph.hpp"
#include "support/gpu.hpp"
#include "support/measure.hpp"

namespace farfield::testing {
namespace {

__global__ void add_one(int* sum) { ++*sum; }

/// A stage that adds 1 to a number in device memory, and what an evaluator has around it.
class Counter {
 public:
  Counter() {
    memory.stream = stream_;
    sum_.resize(1);
    cuda::require(cudaMemsetAsync(sum_.data(), 0, sizeof(int), stream_), "cudaMemsetAsync");
  }

  /// The stage, and `then` behind it, in one evaluation. Their time must be in the report.
  template <class Then>
  void run(Then&& then) {
    events_.start(stream_);
    graph_.run(stream_, memory, events_, [&](cudaStream_t stream) {
      ++calls;
      add_one<<<1, 1, 0, stream>>>(sum_.data());
      cuda::require_launch("add_one");
      then(stream);
      events_.mark("count");
    });
    Report report;
    events_.book(report, false);
    EXPECT_NE(report.stage("count"), nullptr);
  }
  int sum() const {
    int found = 0;
    cuda::download(&found, sum_.data(), 1, stream_);
    cuda::require(cudaStreamSynchronize(stream_), "the sum");
    return found;
  }

  cuda::DeviceMemory memory;
  int calls = 0;

 private:
  cuda::OwnStream stream_;
  cuda::DeviceArray<int> sum_{memory};
  cuda::StageEvents events_;
  cuda::StageGraph graph_;
};

class CudaGraph : public GpuTest {};

TEST_F(CudaGraph, IsReplayedFromTheSecondRunOn) {
  Counter counter;
  for (int run = 0; run < 5; ++run) counter.run([](cudaStream_t) {});
  EXPECT_EQ(counter.sum(), 5);
  EXPECT_EQ(counter.calls, 2) << "once, and once to capture";
}

TEST_F(CudaGraph, CallsAStageThatAllocates) {
  Counter counter;
  for (int run = 0; run < 5; ++run)
    counter.run([&](cudaStream_t) {
      cuda::DeviceArray<int> scratch(counter.memory);
      scratch.resize(100);
    });
  EXPECT_EQ(counter.sum(), 5);
  EXPECT_EQ(counter.calls, 6) << "one of them in vain, to capture";
}

TEST_F(CudaGraph, CallsAStageThatWaits) {
  Counter counter;
  for (int run = 0; run < 5; ++run)
    counter.run([](cudaStream_t stream) { cuda::require(cudaStreamSynchronize(stream), "the stage"); });
  EXPECT_EQ(counter.sum(), 5);
}

/// An error of the stage itself is no want of a graph: the caller gets it, and the next run works.
TEST_F(CudaGraph, PassesOnTheErrorsOfAStage) {
  Counter counter;
  counter.run([](cudaStream_t) {});
  const auto fails = [](cudaStream_t) { throw Error(ErrorCode::device, "the stage failed"); };
  for (int run = 0; run < 2; ++run)
    EXPECT_EQ(refusal(ErrorCode::device, [&] { counter.run(fails); }), "the stage failed");
  EXPECT_FALSE(counter.memory.frozen);
  const int before = counter.sum();
  counter.run([](cudaStream_t) {});
  EXPECT_EQ(counter.sum(), before + 1);
}

}  // namespace
}  // namespace farfield::testing
