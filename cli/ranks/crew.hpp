// Ranks that work through a command together: what is thrown on one of them is thrown on all, so that nobody waits for
// a rank that has given up.
#pragma once
#include <farfield/distributed.hpp>
#include <functional>
#include <type_traits>
#include <vector>

#include "cli/launch/outcome.hpp"
#include "io/parts/shared_output.hpp"

namespace farfield::cli {

class Crew {
 public:
  explicit Crew(distributed::Communicator& communicator) : communicator_(communicator) {}
  int rank() const { return communicator_.rank(); }
  int size() const { return communicator_.size(); }
  bool first() const { return rank() == 0; }
  io::Part part() const { return {rank(), size()}; }
  /// The communicator has failed: nothing can be said over it, and other ranks may wait for ever.
  bool broken() const { return broken_; }
  distributed::Communicator& communicator() { return communicator_; }

  /// Runs work, which may call the functions below, on all ranks. Where it throws on one of them, all throw its Error:
  /// with the rank's number, unless all of them say the same.
  void together(const std::function<void()>& work);

  /// Before a function that speaks over the communicator by itself, such as those of a plan: nothing that may throw on
  /// one rank alone stands between.
  void meet() { settle({}); }
  void all_gather(const void* mine, std::size_t bytes, void* all);
  io::AllGather gatherer();
  template <class T>
  std::vector<T> gather(const T& mine) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<T> all(static_cast<std::size_t>(size()));
    all_gather(&mine, sizeof mine, all.data());
    return all;
  }
  /// The ranks' elements, of each any number, one rank's behind the other's.
  template <class T>
  std::vector<T> gather_all(const std::vector<T>& mine) {
    std::size_t most = 0;
    const std::vector<std::size_t> counts = gather(mine.size());
    for (const std::size_t count : counts) most = count > most ? count : most;
    std::vector<T> padded = mine, rows(most * counts.size()), all;
    padded.resize(most);
    all_gather(padded.data(), most * sizeof(T), rows.data());
    for (std::size_t r = 0; r < counts.size(); ++r)
      for (std::size_t i = 0; i < counts[r]; ++i) all.push_back(rows[r * most + i]);
    return all;
  }

 private:
  void settle(const Outcome& mine);
  void gather_bytes(const void* mine, std::size_t bytes, void* all);

  distributed::Communicator& communicator_;
  bool settled_ = false;  ///< what is being thrown is known to all ranks
  bool broken_ = false;
};

}  // namespace farfield::cli
