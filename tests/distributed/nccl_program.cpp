// nccl_program rows|gone: run by mpirun, each process on a device of its own. rows: random rows from each rank to each
// other, and to itself, arrive; two plans' transports share what NCCL keeps. gone: a rank that leaves its rows out is
// given up within the communicator's time-out, and ranks that go on meet anew. Exit status 0: as expected.
#include <mpi.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <farfield/device.hpp>
#include <farfield/mpi.hpp>
#include <random>
#include <string>

#include "backends/cuda/runtime/streams.hpp"
#include "distributed/cuda/transport.hpp"
#include "support/random.hpp"

namespace farfield::testing {
namespace {

using distributed::Ranks;
using distributed::Transport;
using Bytes = std::vector<char>;

/// How many rows go from rank to rank, and what is in them: the same on all ranks.
struct Pattern {
  std::uint64_t seed;
  int round;
  std::int64_t row_bytes;

  /// Round 0: none at all; round 1: none to others; the last: long ones; else none or up to 5,000.
  std::int64_t rows(int from, int to) const {
    if (round == 0 || (round == 1 && from != to)) return 0;
    if (round == last) return 300'000 + 1'000 * from + to;
    Stream random = stream(from, to);
    return random.below(3) == 0 ? 0 : random.below(5'000);
  }
  void append(int from, int to, Bytes& bytes) const {
    Stream random = stream(from, to + 1'000);
    for (std::int64_t i = rows(from, to) * row_bytes; i > 0; --i) bytes.push_back(static_cast<char>(random.below(256)));
  }
  static constexpr int last = 11;

 private:
  Stream stream(int from, int to) const {
    return Stream(seed + static_cast<std::uint64_t>((round * 1'000 + from) * 10'000 + to));
  }
};

struct Rows {
  distributed::Begins begin;
  Bytes bytes;
};
Rows rows_of(const Pattern& pattern, const Ranks& ranks, bool sends) {
  Rows rows;
  std::vector<std::int64_t> counts;
  for (int r = 0; r < ranks.size(); ++r) {
    const int from = sends ? ranks.rank() : r, to = sends ? r : ranks.rank();
    counts.push_back(pattern.rows(from, to));
    pattern.append(from, to, rows.bytes);
  }
  rows.begin = distributed::begins_of(counts);
  return rows;
}

/// What a plan has: its stream, its arrays, its transport.
struct Sender {
  explicit Sender(Ranks& of) : ranks(of), ready((memory.stream = stream, true)), transport(of, memory) {}
  ~Sender() { cudaStreamSynchronize(stream); }

  /// Do the rows of this pattern arrive?
  bool brings(const Pattern& pattern) {
    const Rows sent = rows_of(pattern, ranks, true), wanted = rows_of(pattern, ranks, false);
    cuda::upload(out, sent.bytes.data(), std::ssize(sent.bytes), stream);
    in.resize(std::ssize(wanted.bytes));
    transport.exchange(out.data(), sent.begin, in.data(), wanted.begin, pattern.row_bytes, stream);
    Bytes found(wanted.bytes.size());
    cuda::download(found.data(), in.data(), in.size(), stream);
    cuda::require(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    transport.require_whole();
    if (found != wanted.bytes)
      std::printf("rank %d, round %d: other rows arrive than were sent\n", ranks.rank(), pattern.round);
    return found == wanted.bytes;
  }

  Ranks& ranks;
  cuda::OwnStream stream;
  cuda::DeviceMemory memory;
  bool ready;
  Transport transport;
  cuda::DeviceArray<char> out{memory}, in{memory};
};

std::uint64_t common_seed(Ranks& ranks) {
  const std::uint64_t seed = ranks.all_gather(std::uint64_t{std::random_device{}()}).front();
  if (ranks.rank() == 0) std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  return seed;
}

bool by_nccl(const Transport& transport) {
  if (transport.choice().value == "NCCL") return true;
  std::printf("rows go by %s, not by NCCL: %s\n", transport.choice().value.c_str(), transport.choice().reason.c_str());
  return false;
}

bool brings_rows(distributed::Communicator& communicator) {
  Ranks ranks(communicator);
  bool good = true;
  ranks.together([&] {
    const std::uint64_t seed = common_seed(ranks);
    Sender first(ranks), second(ranks);
    good = by_nccl(first.transport) && by_nccl(second.transport);
    for (int round = 0; round <= Pattern::last; ++round) {
      constexpr std::int64_t widths[] = {4, 24, 20, 1, 64};
      const Pattern pattern{seed, round, widths[round % 5]};
      good = first.brings(pattern) && good;
      good = second.brings({seed + 1, round, pattern.row_bytes}) && good;
    }
  });
  return good;
}

/// The last rank comes to the exchange and, as if it died there, sends nothing.
bool gives_up(Ranks& ranks, const Pattern& pattern) {
  Sender sender(ranks);
  if (!by_nccl(sender.transport) || !sender.brings(pattern)) return false;
  if (ranks.rank() == ranks.size() - 1) {
    ranks.all_gather(0);
    return true;
  }
  try {
    sender.brings(pattern);
  } catch (const Error& error) {
    std::printf("rank %d: %s\n", ranks.rank(), error.what());
    return error.code() == ErrorCode::device && std::strstr(error.what(), "in time");
  }
  std::printf("rank %d got no rows and no error\n", ranks.rank());
  return false;
}

bool survives_gone_rank(distributed::Communicator& communicator) {
  Ranks ranks(communicator);
  Pattern pattern{common_seed(ranks), Pattern::last, 8};
  const auto start = std::chrono::steady_clock::now();
  bool good = gives_up(ranks, pattern);
  const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - start;
  good = waited.count() < communicator.timeout() && good;
  MPI_Barrier(MPI_COMM_WORLD);
  ranks.together([&] {
    Sender again(ranks);
    good = by_nccl(again.transport) && again.brings(pattern) && good;
  });
  return good;
}

bool run(const std::string& word, distributed::Communicator& communicator) {
  distributed::use_device(communicator.rank());
  return word == "gone" ? survives_gone_rank(communicator) : brings_rows(communicator);
}

/// Why this machine cannot say; empty: it can.
std::string lacking(int processes) {
  const auto found = static_cast<int>(devices().size());
  if (found < processes)
    return std::to_string(processes) + " devices are needed, and there are " + std::to_string(found);
  return distributed::nccl_version() == 0 ? "there is no NCCL" : "";
}

}  // namespace
}  // namespace farfield::testing

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const std::string word = argc > 1 ? argv[1] : "rows";
  int processes = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  bool good = true;
  if (const std::string why = farfield::testing::lacking(processes); !why.empty()) {
    std::printf("skipped: %s\n", why.c_str());
  } else {
    const auto communicator = farfield::distributed::over_mpi(MPI_Comm_c2f(MPI_COMM_WORLD), word == "gone" ? 30 : 600);
    good = farfield::testing::run(word, *communicator);
  }
  MPI_Finalize();
  return good ? 0 : 1;
}
