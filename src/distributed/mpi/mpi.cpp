// A communicator over MPI-3.1. All calls are nonblocking and tested until a time-out, since a blocking call waits for
// ever for a rank that is stuck.
#include <mpi.h>

#include <chrono>
#include <climits>
#include <cstring>
#include <farfield/error.hpp>
#include <farfield/mpi.hpp>
#include <string>
#include <thread>

namespace farfield::distributed {
namespace {

void require(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw Error(ErrorCode::device, std::string(call) + " failed: " + std::string(text, static_cast<std::size_t>(length)));
}

/// MPI counts bytes in an int.
int count_of(std::size_t bytes) {
  if (bytes > INT_MAX)
    throw Error(ErrorCode::internal, std::to_string(bytes) + " bytes in one message of MPI; please report this");
  return static_cast<int>(bytes);
}

class OverMpi final : public Communicator {
 public:
  OverMpi(MPI_Comm all, double timeout) : timeout_(timeout) {
    require(MPI_Comm_dup(all, &comm_), "MPI_Comm_dup");
    MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
    MPI_Comm_rank(comm_, &rank_);
    MPI_Comm_size(comm_, &size_);
  }
  ~OverMpi() override {
    int over = 0;
    MPI_Finalized(&over);
    if (!over && broken_.empty()) MPI_Comm_free(&comm_);
    if (!broken_.empty()) (void)new std::vector<char>(std::move(staged_));  // late messages may still be written there
  }
  int rank() const override { return rank_; }
  int size() const override { return size_; }
  double timeout() const override { return timeout_; }

  void all_gather(const void* mine, std::size_t bytes, void* all) override {
    const int count = count_of(bytes);
    collect(mine, bytes, all, static_cast<std::size_t>(size_) * bytes, [&](char* own, char* staged) {
      return MPI_Iallgather(own, count, MPI_BYTE, staged, count, MPI_BYTE, comm_, requests_.data());
    });
  }

  void all_reduce(std::span<std::int64_t> numbers, Reduction how) override {
    const MPI_Op op = how == Reduction::add ? MPI_SUM : how == Reduction::least ? MPI_MIN : MPI_BOR;
    collect(numbers.data(), numbers.size_bytes(), numbers.data(), numbers.size_bytes(), [&](char* own, char* all) {
      return MPI_Iallreduce(own, all, count_of(numbers.size()), MPI_INT64_T, op, comm_, requests_.data());
    });
  }

  void all_to_all(const void* mine, std::size_t bytes, void* theirs) override {
    const auto ranks = static_cast<std::size_t>(size_);
    const int count = count_of(bytes);
    collect(mine, ranks * bytes, theirs, ranks * bytes, [&](char* own, char* all) {
      return MPI_Ialltoall(own, count, MPI_BYTE, all, count, MPI_BYTE, comm_, requests_.data());
    });
  }

  void prepare(std::size_t bytes) override { staged_.reserve(2 * bytes), requests_.reserve(1); }

  void exchange(std::span<const Outgoing> sends, std::span<const Incoming> receives) override {
    require_whole();
    requests_.clear(), receives_ = receives.size();
    for (const Incoming& part : receives) {
      requests_.emplace_back();
      require(MPI_Irecv(part.data, count_of(part.bytes), MPI_BYTE, part.rank, tag, comm_, &requests_.back()),
              "MPI_Irecv");
    }
    for (const Outgoing& part : sends) {
      requests_.emplace_back();
      require(MPI_Isend(part.data, count_of(part.bytes), MPI_BYTE, part.rank, tag, comm_, &requests_.back()),
              "MPI_Isend");
    }
    wait();
  }

 private:
  static constexpr int tag = 0;  // of one communicator's messages no two from one rank to another are on their way

  /// One collective, begun by `call` on copies of ours: what comes late must not be written where the caller's memory
  /// was.
  template <class Call>
  void collect(const void* mine, std::size_t bytes, void* theirs, std::size_t their_bytes, const Call& call) {
    require_whole();
    staged_.resize(their_bytes + bytes);
    if (bytes == 0) return;
    char* const own = staged_.data() + their_bytes;
    std::memcpy(own, mine, bytes);
    requests_.resize(1), receives_ = 0;
    require(call(own, staged_.data()), "a collective of MPI");
    wait();
    std::memcpy(theirs, staged_.data(), their_bytes);
  }
  void wait() {
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(timeout_);
    for (int done = 0; !done;) {
      const int code = MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &done, MPI_STATUSES_IGNORE);
      if (code != MPI_SUCCESS) broken_ = "a message failed";
      if (!done && std::chrono::steady_clock::now() > end) broken_ = "a rank did not arrive in time";
      if (!broken_.empty()) cancel();
      require_whole();
      if (!done) std::this_thread::yield();
    }
  }
  /// So that nothing is received into memory that its owner gives back. Neither collectives nor, safely, sends can be
  /// cancelled.
  void cancel() {
    for (std::size_t i = 0; i < receives_; ++i)
      if (requests_[i] != MPI_REQUEST_NULL) MPI_Cancel(&requests_[i]);
  }
  void require_whole() const {
    if (!broken_.empty())
      throw Error(ErrorCode::device, "the communicator over MPI is broken: " + broken_ + "; end this process");
  }

  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1;
  double timeout_;
  std::vector<char> staged_;
  std::vector<MPI_Request> requests_;  ///< receives first
  std::size_t receives_ = 0;
  std::string broken_;  ///< why; empty: it is not
};

}  // namespace

std::unique_ptr<Communicator> over_mpi(int fortran_handle, double timeout) {
  int begun = 0, over = 0;
  MPI_Initialized(&begun);
  MPI_Finalized(&over);
  if (!begun || over)
    throw Error(ErrorCode::usage, "over_mpi is called outside of MPI; call MPI_Init before, and MPI_Finalize after");
  return std::make_unique<OverMpi>(MPI_Comm_f2c(fortran_handle), timeout);
}

}  // namespace farfield::distributed
