// A communicator that counts what a rank sends to single others.
#pragma once
#include <farfield/distributed.hpp>
#include <utility>

namespace farfield::testing {

class Counting final : public distributed::Communicator {
 public:
  explicit Counting(distributed::Communicator& over) : over_(over) {}
  int rank() const override { return over_.rank(); }
  int size() const override { return over_.size(); }
  void all_gather(const void* mine, std::size_t bytes, void* all) override { over_.all_gather(mine, bytes, all); }
  void exchange(std::span<const distributed::Outgoing> sends,
                std::span<const distributed::Incoming> receives) override {
    for (const distributed::Outgoing& one : sends) bytes_ += static_cast<std::int64_t>(one.bytes);
    over_.exchange(sends, receives);
  }
  /// Bytes since the last call.
  std::int64_t take() { return std::exchange(bytes_, 0); }

 private:
  distributed::Communicator& over_;
  std::int64_t bytes_ = 0;
};

}  // namespace farfield::testing
