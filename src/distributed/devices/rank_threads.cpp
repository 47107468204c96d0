#include "distributed/devices/rank_threads.hpp"

#include <unistd.h>

#include <farfield/error.hpp>
#include <string>
#include <system_error>
#include <utility>

namespace farfield::distributed {

RankThreads::RankThreads(int ranks) : ranks_(ranks), process_(getpid()) {
  constexpr double patience = 3600;  // a rank may work for long while others wait
  std::vector<std::unique_ptr<Communicator>> all = loopback(ranks, patience);
  threads_.reserve(all.size());
  try {
    for (int r = 0; r < ranks; ++r)
      threads_.emplace_back(&RankThreads::live, this, Rank{r, std::move(all[static_cast<std::size_t>(r)])});
  } catch (const std::system_error& error) {
    stop();
    throw Error(ErrorCode::memory, std::to_string(ranks) +
                                       " ranks need as many threads, which cannot be started here (" + error.what() +
                                       "); name fewer devices");
  } catch (...) {
    stop();
    throw;
  }
}

RankThreads::~RankThreads() { stop(); }

void RankThreads::stop() {
  {
    const std::lock_guard lock(mutex_);
    work_ = nullptr, ++turn_;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

bool RankThreads::lost_by_fork() const { return process_ != getpid(); }

void RankThreads::run(const Work& work) {
  std::unique_lock lock(mutex_);
  work_ = &work, ++turn_;
  busy_ = ranks_;
  first_ = nullptr;
  changed_.notify_all();
  changed_.wait(lock, [&] { return busy_ == 0; });
  if (first_) std::rethrow_exception(std::exchange(first_, nullptr));
}

void RankThreads::use(std::span<const int> devices) {
  run([&](Rank& rank) { use_device(devices[static_cast<std::size_t>(rank.number)]); });
}

void RankThreads::live(Rank rank) {
  std::unique_lock lock(mutex_);
  for (std::int64_t done = 0;; ++done) {
    changed_.wait(lock, [&] { return turn_ > done; });
    if (!work_) return;
    lock.unlock();
    std::exception_ptr thrown;
    try {
      (*work_)(rank);
    } catch (...) {
      thrown = std::current_exception();
    }
    lock.lock();
    if (thrown && !first_) first_ = thrown;
    if (thrown && !rank.plan) rank.communicator.reset();  // leaves, since the others may wait for its plan
    if (--busy_ == 0) changed_.notify_all();
  }
}

}  // namespace farfield::distributed
