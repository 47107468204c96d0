// Ranks: a communicator with types and with agreement. Every collective begins with a word from each rank that says
// whether it is well, so that an exception anywhere on one rank becomes the same Error on all of them, and nobody waits
// for a rank that has given up.
#pragma once
#include <algorithm>
#include <bit>
#include <chrono>
#include <farfield/distributed.hpp>
#include <farfield/error.hpp>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "plan/boundary.hpp"

namespace farfield::distributed {

/// Rows for every rank, or from every rank: those of rank r are [begin[r], begin[r + 1]).
using Begins = std::vector<std::int64_t>;
Begins begins_of(const std::vector<std::int64_t>& counts);

/// data[i] becomes that of both.
void join(std::int64_t* data, const std::int64_t* others, std::size_t count, Reduction how);

/// Whole numbers in the order of others.
template <class T>
struct OrderKey {
  static_assert(std::is_integral_v<T>);
  static std::int64_t key(T number) { return number; }
  static T number(std::int64_t key) { return static_cast<T>(key); }
};
template <>
struct OrderKey<double> {
  static constexpr std::int64_t all_but_sign = std::numeric_limits<std::int64_t>::max();
  static std::int64_t turned(std::int64_t bits) { return bits < 0 ? bits ^ all_but_sign : bits; }
  static std::int64_t key(double number) { return turned(std::bit_cast<std::int64_t>(number)); }
  static double number(std::int64_t key) { return std::bit_cast<double>(turned(key)); }
};

class Ranks {
 public:
  explicit Ranks(Communicator& communicator)
      : communicator_(&communicator),
        words_(static_cast<std::size_t>(communicator.size())),
        sentences_(static_cast<std::size_t>(communicator.size())),
        sent_to_(static_cast<std::size_t>(communicator.size()), 0) {}
  int rank() const { return communicator_->rank(); }
  int size() const { return communicator_->size(); }
  double timeout() const { return communicator_->timeout(); }
  /// What plans over this communicator keep for the next one.
  std::shared_ptr<void>& kept() { return communicator_->kept_; }

  /// Runs body, which may call the collectives below. An exception of one rank's body is an Error on all.
  template <class Body>
  void together(const Body& body) {
    dead_ = false;
    try {
      guarded([&] {
        body();
        settle();
      });
    } catch (const Error& error) {
      if (!dead_) guarded([&] { settle(error.code(), error.what()); });  // throws, on all ranks
      throw;
    }
  }

  template <class T>
  std::vector<T> all_gather(const T& mine) {
    return all_gather(&mine, 1);
  }
  /// `count` elements of every rank; the same number on all.
  template <class T>
  std::vector<T> all_gather(const T* mine, std::size_t count) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<T> all(count * static_cast<std::size_t>(size()));
    settle_and_gather(mine, count * sizeof(T), all.data());
    return all;
  }

  /// The ranks' elements, of each any number, one rank's behind the other's.
  template <class T>
  std::vector<T> gather_all(const std::vector<T>& mine) {
    const std::vector<std::int64_t> counts = all_gather(static_cast<std::int64_t>(mine.size()));
    const auto most = static_cast<std::size_t>(*std::max_element(counts.begin(), counts.end()));
    std::vector<T> padded = mine, all;
    padded.resize(most);
    const std::vector<T> rows = all_gather(padded.data(), most);
    for (std::size_t r = 0; r < counts.size(); ++r)
      all.insert(all.end(), rows.begin() + static_cast<std::ptrdiff_t>(r * most),
                 rows.begin() + static_cast<std::ptrdiff_t>(r * most) + counts[r]);
    return all;
  }
  /// body(state) on one rank after the other, in their order: what a sum over all of them adds up in one order.
  template <class T, class Body>
  void one_by_one(std::vector<T>& state, const Body& body) {
    for (int r = 0; r < size(); ++r) {
      if (r == rank()) body(state);
      const std::vector<T> all = all_gather(state.data(), state.size());
      std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(r) * std::ssize(state), state.size(), state.begin());
    }
  }

  /// data[i] becomes the sum of the ranks' data[i]; where it is not whole it is added up in the order of ranks.
  void add(std::vector<std::int64_t>& data) { reduce(data.data(), data.size(), Reduction::add); }
  template <class Real>
  void add(std::vector<Real>& data) {
    static_assert(std::is_floating_point_v<Real>);
    const std::size_t ranks = words_.size(), count = data.size();
    if (ranks * count * sizeof(Real) <= gathered) return add_in_order(all_gather(data.data(), count), data);
    // each rank adds up a part of the numbers
    const std::size_t part = (count + ranks - 1) / ranks;
    std::vector<Real> others(part * ranks), own(part);
    data.resize(part * ranks);
    communicator_->prepare(part * ranks * sizeof(Real));
    settle();
    spread(data.data(), part * sizeof(Real), others.data());
    add_in_order(others, own);
    gather(own.data(), part * sizeof(Real), data.data());
    data.resize(count);
  }
  /// data[i] gets the bits that any of the ranks' data[i] has.
  void unite(std::uint64_t* data, std::size_t count) {
    reduce(reinterpret_cast<std::int64_t*>(data), count, Reduction::any);
  }
  std::int64_t sum_of(std::int64_t mine) {
    std::vector<std::int64_t> sum{mine};
    add(sum);
    return sum[0];
  }
  /// data[i] becomes the least of the ranks' data[i], or the largest; of doubles no nan.
  template <class T>
  void least(std::vector<T>& data) {
    reduce_keys(data, 0);
  }
  template <class T>
  void most(std::vector<T>& data) {
    reduce_keys(data, -1);
  }

  /// `width` numbers for each rank: those of rank r at r * width. Returns what every rank has for this one, alike.
  std::vector<std::int64_t> exchange_numbers(const std::vector<std::int64_t>& sent, std::size_t width = 1);
  /// Rows of a known pattern: those for rank r at sends + sent[r] rows, those from rank r at receives + received[r].
  /// Where a part is larger than a slab it goes in several exchanges, so that no rank buffers more.
  template <class T>
  void exchange(const T* sends, const Begins& sent, T* receives, const Begins& received, std::int64_t width = 1) {
    static_assert(std::is_trivially_copyable_v<T>);
    exchange_bytes(sends, sent, receives, received, static_cast<std::int64_t>(sizeof(T)) * width);
  }

  /// Bytes to each rank, since the accounts were restarted.
  const std::vector<std::int64_t>& sent_to() const { return sent_to_; }
  /// Of rows that go past the communicator, from device to device.
  void count_sent(const Begins& sent, std::int64_t row_bytes);
  double waiting() const { return waiting_; }
  void restart_accounts() { std::fill(sent_to_.begin(), sent_to_.end(), 0), waiting_ = 0; }

  std::size_t gathered = std::size_t(1) << 20;  ///< most bytes that a rank gets to add them up; the same on all
  std::int64_t slab = std::int64_t(1) << 28;    ///< most bytes for one rank in one exchange; the same on all

 private:
  /// What a rank says first, with room for few bytes, so that most collectives are one message.
  struct Word {
    int code = 0;
    char bytes[252] = {};
  };
  struct Sentence {
    char text[1000] = {};
  };
  void settle() { settle(Word{}); }
  void settle(ErrorCode code, const char* sentence) { settle({static_cast<int>(code), {}}, sentence); }
  /// The words of all ranks. Needs no memory: what says that a rank has none must not want some.
  const std::vector<Word>& settle(const Word& mine, const char* sentence = "");
  void settle_and_gather(const void* mine, std::size_t bytes, void* all);
  void gather(const void* mine, std::size_t bytes, void* all);
  void reduce(std::int64_t* data, std::size_t count, Reduction how);
  void spread(const void* mine, std::size_t bytes, void* theirs);
  /// `all`: [ranks][sums]
  template <class Real>
  static void add_in_order(const std::vector<Real>& all, std::vector<Real>& sums) {
    std::copy_n(all.begin(), sums.size(), sums.begin());
    for (std::size_t i = sums.size(); i < all.size(); ++i) sums[i % sums.size()] += all[i];
  }
  /// `turn`: of all bits, which turns the order round.
  template <class T>
  void reduce_keys(std::vector<T>& data, std::int64_t turn) {
    std::vector<std::int64_t> keys;
    for (const T one : data) keys.push_back(OrderKey<T>::key(one) ^ turn);
    reduce(keys.data(), keys.size(), Reduction::least);
    for (std::size_t i = 0; i < keys.size(); ++i) data[i] = OrderKey<T>::number(keys[i] ^ turn);
  }
  void exchange_bytes(const void* sends, const Begins& sent, void* receives, const Begins& received,
                      std::int64_t row_bytes);
  void count_to(int rank, std::int64_t bytes) {
    if (rank != this->rank()) sent_to_[static_cast<std::size_t>(rank)] += bytes;
  }
  void count_to_all(std::size_t bytes) {
    for (int r = 0; r < size(); ++r) count_to(r, static_cast<std::int64_t>(bytes));
  }
  template <class Call>
  void timed(const Call& call);

  Communicator* communicator_;
  std::vector<Word> words_;  ///< of all ranks, when they last settled
  std::vector<Sentence> sentences_;
  bool dead_ = false;  ///< the current call has failed: all ranks know, or the communicator is broken
  std::vector<std::int64_t> sent_to_;
  double waiting_ = 0;
};

}  // namespace farfield::distributed
