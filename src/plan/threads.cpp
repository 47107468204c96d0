#include "plan/threads.hpp"

#include <omp.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <farfield/error.hpp>
#include <string>
#include <vector>

namespace farfield {
namespace {

/// The team that the calling thread last worked with: OpenMP keeps it for this thread's next parallel region.
struct LastTeam {
  pid_t process = 0;
  int threads = 1;
};
thread_local LastTeam last_team;

/// Bytes of the stack of one of OpenMP's threads if the environment sets it ("4M"; kilobytes without a letter), else 0.
std::size_t stack_bytes() {
  const char* text = std::getenv("OMP_STACKSIZE");
  if (!text && !(text = std::getenv("GOMP_STACKSIZE"))) return 0;
  char* unit = nullptr;
  const unsigned long long number = std::strtoull(text, &unit, 10);
  while (*unit == ' ') ++unit;
  const char* const units = "bkmg";
  const char* const found = *unit ? std::strchr(units, *unit | 0x20) : units + 1;
  return found ? static_cast<std::size_t>(number) << 10 * (found - units) : 0;
}

/// Threads that only wait at a gate: a test of how many can be started.
class Trial {
 public:
  Trial() {
    pthread_attr_init(&attributes_);
    if (const std::size_t bytes = stack_bytes()) pthread_attr_setstacksize(&attributes_, bytes);
    pthread_mutex_lock(&gate_);
  }
  ~Trial() {
    pthread_mutex_unlock(&gate_);
    for (const pthread_t thread : started_) pthread_join(thread, nullptr);
    pthread_attr_destroy(&attributes_);
  }
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  /// Starts `count` threads. Returns 0, or the system's error number if not all of them could be started.
  int start(int count) {
    started_.reserve(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
      pthread_t thread;
      if (const int refused = pthread_create(&thread, &attributes_, wait, &gate_)) return refused;
      started_.push_back(thread);
    }
    return 0;
  }
  std::size_t started() const { return started_.size(); }

 private:
  static void* wait(void* gate) {
    pthread_mutex_lock(static_cast<pthread_mutex_t*>(gate));
    pthread_mutex_unlock(static_cast<pthread_mutex_t*>(gate));
    return nullptr;
  }

  pthread_attr_t attributes_;
  pthread_mutex_t gate_ = PTHREAD_MUTEX_INITIALIZER;
  std::vector<pthread_t> started_;
};

void require_startable(int more, int threads) {
  Trial trial;
  const int refused = trial.start(more);
  if (refused == 0) return;
  const int most = threads - more + static_cast<int>(trial.started());
  throw Error(ErrorCode::memory, std::to_string(threads) + " threads cannot be started here, about " +
                                     std::to_string(most) + " can (" + std::strerror(refused) +
                                     "); use fewer threads, or allow more memory or processes (ulimit -v, -u)");
}

/// Makes OpenMP start its threads at once, before arrays occupy the memory that the stacks of these threads need.
void start(int threads) {
  std::atomic<int> there{0};
#pragma omp parallel num_threads(threads)
  there.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

int team_size(int wanted) {
  const int offered = std::min(omp_get_max_threads(), 4 * omp_get_num_procs());
  return std::clamp(wanted > 0 ? wanted : offered, 1, std::min(most_threads, omp_get_thread_limit()));
}

Team settle_team(int wanted) {
  const int threads = team_size(wanted);
  if (threads == 1 || omp_get_active_level() >= omp_get_max_active_levels()) return {threads};  // none is started
  const pid_t process = getpid();
  if (last_team.threads > 1 && last_team.process != process) return {1, true};
  if (threads > last_team.threads) {
    require_startable(threads - last_team.threads, threads);
    start(threads);
  }
  last_team = {process, threads};
  return {threads};
}

}  // namespace farfield
