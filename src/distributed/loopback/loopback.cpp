// Loopback: the ranks are threads of one process. A call publishes where its bytes lie, all ranks meet, everybody
// copies what is meant for it, and all meet again before the bytes may change. Few bytes are published themselves, in
// one of two places in turn: then all meet once, since a place is written again only after the next meeting.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <farfield/distributed.hpp>
#include <farfield/error.hpp>
#include <mutex>
#include <string>
#include <thread>

#include "distributed/ranks.hpp"

namespace farfield::distributed {
namespace {

/// Few bytes of a rank. `turn`: which of its gathers of few bytes this is; the same on all ranks.
struct Note {
  static constexpr std::size_t most = 4096;
  std::int64_t turn = -1;
  std::size_t bytes = 0;
  std::array<char, most> data;
};

/// Where the threads meet.
class Meeting {
 public:
  Meeting(int ranks, double timeout)
      : timeout_(timeout),
        spare_cores_(2 * ranks <= static_cast<int>(std::thread::hardware_concurrency())),
        arrived_(static_cast<std::size_t>(ranks)),
        published_(static_cast<std::size_t>(ranks)),
        notes_{std::vector<Note>(static_cast<std::size_t>(ranks)), std::vector<Note>(static_cast<std::size_t>(ranks))} {
  }
  int ranks() const { return static_cast<int>(arrived_.size()); }
  double timeout() const { return timeout_; }

  struct Published {
    const void* gathered = nullptr;
    std::size_t bytes = 0;
    std::span<const Outgoing> sends;
  };
  void publish(int rank, const Published& what) { published_[static_cast<std::size_t>(rank)] = what; }
  const Published& of(int rank) const { return published_[static_cast<std::size_t>(rank)]; }

  Note& note(std::int64_t turn, int rank) {
    return notes_[static_cast<std::size_t>(turn % 2)][static_cast<std::size_t>(rank)];
  }

  /// Waits for all ranks. Throws Error(device) if one has left or is late; then nobody meets any more. Without a lock
  /// where all are here soon.
  void meet(int rank) {
    require_whole();
    const std::int64_t own = meetings_;  // which does not end before this rank is here
    arrived_[static_cast<std::size_t>(rank)] = own + 1;
    if (++count_ == ranks()) {
      count_ = 0, ++meetings_;
      if (sleeping_ > 0) wake();
      return;
    }
    look_out(own);
    if (meetings_ == own) sleep(own);
  }

  void leave(int rank) {
    const std::lock_guard lock(mutex_);
    give_up("rank " + std::to_string(rank) + " has left");
  }

  /// For ranks that do not fit each other.
  [[noreturn]] void refuse(const std::string& why) {
    const std::lock_guard lock(mutex_);
    give_up(why);
    throw Error(ErrorCode::internal, broken_ + "; please report this");
  }

 private:
  /// Looks for the others for a while before it sleeps: they are here soon as a rule, and waking takes tens of
  /// microseconds. Where every rank has a core, and another for its driver, it keeps it as long as a small sum takes.
  void look_out(std::int64_t own) const {
    const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(spare_cores_ ? 1000 : 50);
    while (meetings_ == own && !is_broken_ && std::chrono::steady_clock::now() < end)
      spare_cores_ ? pause() : std::this_thread::yield();
  }
  static void pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  /// Whoever is last counts the meeting before it asks who sleeps; whoever sleeps says so before it asks whether all
  /// met.
  void sleep(std::int64_t own) {
    std::unique_lock lock(mutex_);
    ++sleeping_;
    const auto over = [&] { return meetings_ != own || is_broken_; };
    if (!changed_.wait_for(lock, std::chrono::duration<double>(timeout_), over)) give_up(late(own));
    --sleeping_;
    lock.unlock();
    if (meetings_ == own) require_whole();
  }
  void wake() {
    const std::lock_guard lock(mutex_);
    changed_.notify_all();
  }
  /// With the lock.
  void give_up(const std::string& why) {
    if (broken_.empty()) broken_ = why;
    is_broken_ = true;
    changed_.notify_all();
  }
  void require_whole() {
    if (!is_broken_) return;
    const std::lock_guard lock(mutex_);
    throw Error(ErrorCode::device,
                "the communicator is broken: " + broken_ + "; make a new one of the ranks that are left");
  }
  std::string late(std::int64_t own) const {
    std::string who;
    for (int r = 0; r < ranks(); ++r)
      if (arrived_[static_cast<std::size_t>(r)] <= own) who += (who.empty() ? "" : ", ") + std::to_string(r);
    return "rank " + who + " did not arrive in time";
  }

  double timeout_;
  bool spare_cores_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::atomic<std::int64_t>> arrived_;  ///< [ranks]: at so many meetings
  std::atomic<int> count_ = 0, sleeping_ = 0;
  std::atomic<std::int64_t> meetings_ = 0;  ///< that are over
  std::atomic<bool> is_broken_ = false;
  std::string broken_;  ///< why
  std::vector<Published> published_;
  std::array<std::vector<Note>, 2> notes_;
};

class Loopback final : public Communicator {
 public:
  Loopback(std::shared_ptr<Meeting> meeting, int rank) : meeting_(std::move(meeting)), rank_(rank) {}
  ~Loopback() override { meeting_->leave(rank_); }
  int rank() const override { return rank_; }
  int size() const override { return meeting_->ranks(); }
  double timeout() const override { return meeting_->timeout(); }

  void all_gather(const void* mine, std::size_t bytes, void* all) override {
    if (bytes <= Note::most) return gather_notes(mine, bytes, static_cast<char*>(all));
    meeting_->publish(rank_, {mine, bytes, {}});
    meeting_->meet(rank_);
    bool fits = true;
    for (int r = 0; r < size(); ++r) {
      const Meeting::Published& theirs = meeting_->of(r);
      fits = fits && theirs.bytes == bytes;
      if (fits) std::memcpy(static_cast<char*>(all) + static_cast<std::size_t>(r) * bytes, theirs.gathered, bytes);
    }
    meeting_->meet(rank_);  // the others may still read what this rank published
    if (!fits) meeting_->refuse(sizes_differ);
  }

  /// Each rank joins a part of all ranks' numbers, in its own array, and takes the other parts from theirs.
  void all_reduce(std::span<std::int64_t> numbers, Reduction how) override {
    if (numbers.size_bytes() <= Note::most) return Communicator::all_reduce(numbers, how);
    meeting_->publish(rank_, {numbers.data(), numbers.size_bytes(), {}});
    meeting_->meet(rank_);
    bool fits = true;
    for (int r = 0; r < size(); ++r) fits = fits && meeting_->of(r).bytes == numbers.size_bytes();
    const auto begin = [&](int rank) {
      return numbers.size() * static_cast<std::size_t>(rank) / static_cast<std::size_t>(size());
    };
    const auto part_of = [&](int array, int part) {
      return static_cast<const std::int64_t*>(meeting_->of(array).gathered) + begin(part);
    };
    const auto count = [&](int part) { return begin(part + 1) - begin(part); };
    for (int r = 0; r < size() && fits; ++r)
      if (r != rank_) join(numbers.data() + begin(rank_), part_of(r, rank_), count(rank_), how);
    meeting_->meet(rank_);
    for (int r = 0; r < size() && fits; ++r)
      if (r != rank_) std::copy_n(part_of(r, r), count(r), numbers.data() + begin(r));
    meeting_->meet(rank_);  // the others may still read what this rank joined
    if (!fits) meeting_->refuse(sizes_differ);
  }

  /// Few bytes are shown to all.
  void all_to_all(const void* mine, std::size_t bytes, void* theirs) override {
    const auto ranks = static_cast<std::size_t>(size()), own = static_cast<std::size_t>(rank_);
    if (ranks * bytes > Note::most) return Communicator::all_to_all(mine, bytes, theirs);
    publish_note(mine, ranks * bytes, [&](std::size_t rank, const char* shown) {
      if (bytes > 0) std::memcpy(static_cast<char*>(theirs) + rank * bytes, shown + own * bytes, bytes);
    });
  }

  void exchange(std::span<const Outgoing> sends, std::span<const Incoming> receives) override {
    meeting_->publish(rank_, {nullptr, 0, sends});
    meeting_->meet(rank_);
    bool fits = true;
    for (const Incoming& part : receives) fits = take(part) && fits;
    meeting_->meet(rank_);
    if (!fits) meeting_->refuse("rank " + std::to_string(rank_) + " expects other parts than are sent");
  }

 private:
  static constexpr const char* sizes_differ = "ranks gather parts of different sizes";

  void gather_notes(const void* mine, std::size_t bytes, char* all) {
    publish_note(mine, bytes, [&](std::size_t rank, const char* shown) {
      if (bytes > 0) std::memcpy(all + rank * bytes, shown, bytes);
    });
  }
  /// take(rank, bytes) of each rank's note. What else is published is for ranks that do not fit this one.
  template <class Take>
  void publish_note(const void* mine, std::size_t bytes, const Take& take) {
    meeting_->publish(rank_, {mine, bytes, {}});
    const std::int64_t turn = turn_++;
    Note& own = meeting_->note(turn, rank_);
    own.turn = turn, own.bytes = bytes;
    if (bytes > 0) std::memcpy(own.data.data(), mine, bytes);
    meeting_->meet(rank_);
    for (int r = 0; r < size(); ++r) {
      const Note& theirs = meeting_->note(turn, r);
      if (theirs.turn != turn || theirs.bytes != bytes) meeting_->refuse(sizes_differ);
      take(static_cast<std::size_t>(r), theirs.data.data());
    }
  }
  /// false: nobody sends it.
  bool take(const Incoming& part) const {
    for (const Outgoing& sent : meeting_->of(part.rank).sends)
      if (sent.rank == rank_ && sent.bytes == part.bytes) {
        std::memcpy(part.data, sent.data, part.bytes);
        return true;
      }
    return false;
  }

  std::shared_ptr<Meeting> meeting_;
  int rank_;
  std::int64_t turn_ = 0;
};

}  // namespace

std::vector<std::unique_ptr<Communicator>> loopback(int ranks, double timeout) {
  if (ranks < 1) throw Error(ErrorCode::usage, "a communicator needs at least one rank, not " + std::to_string(ranks));
  const auto meeting = std::make_shared<Meeting>(ranks, timeout);
  std::vector<std::unique_ptr<Communicator>> all;
  for (int r = 0; r < ranks; ++r) all.push_back(std::make_unique<Loopback>(meeting, r));
  return all;
}

}  // namespace farfield::distributed
