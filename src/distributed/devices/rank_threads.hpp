// RankThreads: threads that stay from call to call, each with a communicator to the others and its part of a plan.
#pragma once
#include <condition_variable>
#include <exception>
#include <farfield/distributed.hpp>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace farfield::distributed {

class RankThreads {
 public:
  /// What a thread keeps.
  struct Rank {
    int number;
    std::unique_ptr<Communicator> communicator;
    std::optional<Plan> plan = std::nullopt;
  };
  using Work = std::function<void(Rank&)>;

  /// Throws Error(memory) where so many threads cannot be started.
  explicit RankThreads(int ranks);
  ~RankThreads();
  RankThreads(const RankThreads&) = delete;
  RankThreads& operator=(const RankThreads&) = delete;
  int ranks() const { return ranks_; }

  /// Runs work in all threads and waits for them. Throws what one of them throws: the first of it. Where a rank fails
  /// before it has a plan, no more can be run.
  void run(const Work& work);

  /// A device for each of them.
  void use(std::span<const int> devices);

  /// Are the threads those of another process, from which this one was forked? Then nothing can be asked of them.
  bool lost_by_fork() const;

 private:
  void live(Rank rank);
  void stop();

  int ranks_;
  long process_;
  std::mutex mutex_;
  std::condition_variable changed_;
  const Work* work_ = nullptr;  ///< null: leave
  std::int64_t turn_ = 0;       ///< how often there was something to do
  int busy_ = 0;                ///< threads that still do it
  std::exception_ptr first_;
  std::vector<std::thread> threads_;
};

}  // namespace farfield::distributed
