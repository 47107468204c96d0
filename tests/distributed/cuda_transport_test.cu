// Rows in device memory from each rank to each other, by both ways: from device to device, and through the hosts.
#include <gtest/gtest.h>

#include "backends/cuda/runtime/streams.hpp"
#include "distributed/clouds.hpp"
#include "distributed/cuda/transport.hpp"
#include "distributed/shares.hpp"
#include "support/gpu.hpp"

namespace farfield::testing {
namespace {

using distributed::Begins;
using distributed::Transport;

/// How many rows `from` sends to `to`, and what stands in them.
std::int64_t rows_between(int from, int to, int round) { return (from + 2 * to + round) % 4 == 0 ? 0 : 7 * from + to; }
double row_of(int from, int to, std::int64_t k, int round) { return 1e6 * from + 1e4 * to + 100 * round + double(k); }

struct Rows {
  Begins begin;
  std::vector<double> value;
};
Rows rows_of(int own, int ranks, int round, bool sends) {
  std::vector<std::int64_t> counts;
  Rows rows;
  for (int r = 0; r < ranks; ++r) {
    const int from = sends ? own : r, to = sends ? r : own;
    counts.push_back(rows_between(from, to, round));
    for (std::int64_t k = 0; k < counts.back(); ++k)
      for (int half = 0; half < 2; ++half) rows.value.push_back(row_of(from, to, 2 * k + half, round));
  }
  rows.begin = distributed::begins_of(counts);
  return rows;
}

/// Begins without the rows of one rank.
Begins without(const Begins& begin, int rank) {
  std::vector<std::int64_t> counts;
  for (std::size_t r = 0; r + 1 < begin.size(); ++r)
    counts.push_back(static_cast<int>(r) == rank ? 0 : begin[r + 1] - begin[r]);
  return distributed::begins_of(counts);
}

class CudaTransport : public GpuTest, public ::testing::WithParamInterface<Transport::Way> {};

TEST_P(CudaTransport, BringsEveryRowToItsRank) {
  for (const int ranks : {1, 2, 5})
    rethrow_any(run_ranks(ranks, [&](distributed::Communicator& communicator) {
      distributed::Ranks all(communicator);
      all.together([&] {
        const cuda::OwnStream stream;
        cuda::DeviceMemory memory;
        memory.stream = stream;
        Transport transport(all, memory, GetParam());
        cuda::DeviceArray<double> out(memory), in(memory);
        for (int round = 0; round < 6; ++round) {  // the same arrays again and again
          const Rows sent = rows_of(all.rank(), ranks, round, true), wanted = rows_of(all.rank(), ranks, round, false);
          cuda::upload(out, sent.value.data(), std::ssize(sent.value), stream);
          in.resize(std::ssize(wanted.value));
          transport.exchange(out.data(), sent.begin, in.data(), wanted.begin, 2 * sizeof(double), stream);
          std::vector<double> found(wanted.value.size());
          cuda::download(found.data(), in.data(), in.size(), stream);
          cuda::require(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
          EXPECT_EQ(found, wanted.value) << ranks << " ranks, round " << round;
        }
      });
    }));
}

/// Calls body(ranks, exchanged) on five ranks; exchanged(leaving, sent, found, received): what stands where `found`
/// did.
template <class Body>
void on_five_ranks(Transport::Way way, const Body& body) {
  rethrow_any(run_ranks(5, [&](distributed::Communicator& communicator) {
    distributed::Ranks all(communicator);
    all.together([&] {
      const cuda::OwnStream stream;
      cuda::DeviceMemory memory;
      memory.stream = stream;
      Transport transport(all, memory, way);
      body(all, [&](const std::vector<double>& leaving, const distributed::Begins& sent, std::vector<double> found,
                    const distributed::Begins& received) {
        cuda::DeviceArray<double> out(memory), in(memory);
        cuda::upload(out, leaving.data(), std::ssize(leaving), stream);
        cuda::upload(in, found.data(), std::ssize(found), stream);
        transport.exchange(out.data(), sent, in.data(), received, 2 * sizeof(double), stream);
        cuda::download(found.data(), in.data(), in.size(), stream);
        cuda::require(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
        return found;
      });
    });
  }));
}

/// On a stream beside that of the arrays: what `use` finds of each rank's rows, and once all have come.
TEST_P(CudaTransport, BringsPartsOneAfterTheOther) {
  constexpr int parts = 3;
  for (const int ranks : {2, 5})
    rethrow_any(run_ranks(ranks, [&](distributed::Communicator& communicator) {
      distributed::Ranks all(communicator);
      all.together([&] {
        const cuda::OwnStream stream;
        cuda::SideStream side(cuda::Urgency::urgent);
        cuda::DeviceMemory memory;
        memory.stream = stream;
        Transport transport(all, memory, GetParam());
        cuda::DeviceArray<double> out(memory), in(memory);
        for (int round = 0; round < 4; ++round) {
          const Rows sent = rows_of(all.rank(), ranks, round, true), wanted = rows_of(all.rank(), ranks, round, false);
          cuda::upload(out, sent.value.data(), std::ssize(sent.value), stream);
          const std::vector<double> nothing(wanted.value.size(), -1);
          cuda::upload(in, nothing.data(), std::ssize(nothing), stream);
          std::vector<cuda::Part> told;
          std::vector<std::vector<double>> found;
          const auto use = [&](const cuda::Part& part) {
            told.push_back(part), found.emplace_back(wanted.value.size());
            cuda::download(found.back().data(), in.data(), in.size(), side);
            cuda::require(cudaStreamSynchronize(side), "cudaStreamSynchronize");
          };
          transport.exchange(out.data(), sent.begin, in.data(), wanted.begin, 2 * sizeof(double), side.fork(stream),
                             use, parts);
          side.join(stream);
          cuda::require(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
          ASSERT_FALSE(told.empty());
          EXPECT_TRUE(told.back().last());
          EXPECT_EQ(found.back(), wanted.value);
          for (std::size_t k = 0; k < told.size(); ++k) {
            EXPECT_EQ(told[k].number, static_cast<int>(k));
            for (std::size_t r = 0; r + 1 < wanted.begin.size(); ++r)
              for (std::int64_t i = 2 * wanted.begin[r];
                   i < 2 * (wanted.begin[r] + told[k].end(wanted.begin[r + 1] - wanted.begin[r])); ++i)
                EXPECT_EQ(found[k][static_cast<std::size_t>(i)], wanted.value[static_cast<std::size_t>(i)]);
          }
        }
      });
    }));
}

/// A rank's rows for itself are where they belong already, and are not sent.
TEST_P(CudaTransport, LeavesRowsThatAreThere) {
  on_five_ranks(GetParam(), [](distributed::Ranks& all, const auto& exchanged) {
    const auto own = static_cast<std::size_t>(all.rank());
    const Rows sent = rows_of(all.rank(), 5, 1, true), wanted = rows_of(all.rank(), 5, 1, false);
    std::vector<double> leaving = sent.value, found(wanted.value.size(), -1);
    leaving.erase(leaving.begin() + 2 * sent.begin[own], leaving.begin() + 2 * sent.begin[own + 1]);
    std::copy(wanted.value.begin() + 2 * wanted.begin[own], wanted.value.begin() + 2 * wanted.begin[own + 1],
              found.begin() + 2 * wanted.begin[own]);
    EXPECT_EQ(exchanged(leaving, without(sent.begin, all.rank()), found, wanted.begin), wanted.value);
  });
}

/// A rank's rows for itself lie among those that are sent, and are not wanted.
TEST_P(CudaTransport, LeavesOutRowsThatAreNotWanted) {
  on_five_ranks(GetParam(), [](distributed::Ranks& all, const auto& exchanged) {
    const auto own = static_cast<std::size_t>(all.rank());
    const Rows sent = rows_of(all.rank(), 5, 1, true), arriving = rows_of(all.rank(), 5, 1, false);
    std::vector<double> wanted = arriving.value;
    wanted.erase(wanted.begin() + 2 * arriving.begin[own], wanted.begin() + 2 * arriving.begin[own + 1]);
    const std::vector<double> found(wanted.size(), -1);
    EXPECT_EQ(exchanged(sent.value, sent.begin, found, without(arriving.begin, all.rank())), wanted);
  });
}

INSTANTIATE_TEST_SUITE_P(Ways, CudaTransport,
                         ::testing::Values(Transport::Way::shortest, Transport::Way::through_hosts),
                         [](const auto& test) {
                           return test.param == Transport::Way::shortest ? "BetweenDevices" : "ThroughHosts";
                         });

}  // namespace
}  // namespace farfield::testing
