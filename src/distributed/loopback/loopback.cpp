// Loopback: the ranks are threads of one process. A call publishes where its bytes lie, all ranks meet, everybody
// copies what is meant for it, and all meet again before the bytes may change. Few bytes are published themselves, in one
// of two places in turn: then all meet once, since a place is written again only after the next meeting.
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
        arrived_(static_cast<std::size_t>(ranks), false),
        published_(static_cast<std::size_t>(ranks)),
        notes_{std::vector<Note>(static_cast<std::size_t>(ranks)), std::vector<Note>(static_cast<std::size_t>(ranks))} {}
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

  /// Waits for all ranks. Throws Error(device) if one has left or is late; then nobody meets any more.
  void meet(int rank) {
    std::unique_lock lock(mutex_);
    require_whole();
    arrived_[static_cast<std::size_t>(rank)] = true;
    if (++count_ == ranks()) {
      count_ = 0, ++meetings_;
      arrived_.assign(arrived_.size(), false);
      changed_.notify_all();
      return;
    }
    const std::int64_t own = meetings_;
    lock.unlock();
    look_out(own);
    lock.lock();
    const auto over = [&] { return meetings_ != own || !broken_.empty(); };
    if (!changed_.wait_for(lock, std::chrono::duration<double>(timeout_), over)) give_up(late());
    if (meetings_ == own) require_whole();
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
  /// Looks for the others for a while before it sleeps: they are here soon as a rule, and waking takes longer.
  void look_out(std::int64_t own) const {
    const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(50);
    while (meetings_ == own && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  }
  void give_up(const std::string& why) {
    if (broken_.empty()) broken_ = why;
    changed_.notify_all();
  }
  void require_whole() const {
    if (!broken_.empty())
      throw Error(ErrorCode::device,
                  "the communicator is broken: " + broken_ + "; make a new one of the ranks that are left");
  }
  std::string late() const {
    std::string who;
    for (int r = 0; r < ranks(); ++r)
      if (!arrived_[static_cast<std::size_t>(r)]) who += (who.empty() ? "" : ", ") + std::to_string(r);
    return "rank " + who + " did not arrive in time";
  }

  double timeout_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<bool> arrived_;
  int count_ = 0;
  std::atomic<std::int64_t> meetings_ = 0;
  std::string broken_;  ///< why; empty: it is not
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
    meeting_->publish(rank_, {mine, bytes, {}});
    if (bytes <= Note::most) return gather_notes(mine, bytes, static_cast<char*>(all));
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
    const std::int64_t turn = turn_++;
    Note& own = meeting_->note(turn, rank_);
    own.turn = turn, own.bytes = bytes;
    if (bytes > 0) std::memcpy(own.data.data(), mine, bytes);
    meeting_->meet(rank_);
    for (int r = 0; r < size(); ++r, all += bytes) {
      const Note& theirs = meeting_->note(turn, r);
      if (theirs.turn != turn || theirs.bytes != bytes) meeting_->refuse(sizes_differ);
      if (bytes > 0) std::memcpy(all, theirs.data.data(), bytes);
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
