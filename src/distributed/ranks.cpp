#include "distributed/ranks.hpp"

#include <cstring>
#include <functional>

namespace farfield::distributed {

void join(std::int64_t* data, const std::int64_t* others, std::size_t count, Reduction how) {
  const auto each = [&](const auto& joined) { std::transform(data, data + count, others, data, joined); };
  if (how == Reduction::add) each(std::plus<>());
  if (how == Reduction::least) each([](std::int64_t a, std::int64_t b) { return std::min(a, b); });
  if (how == Reduction::any) each(std::bit_or<>());
}

namespace {

/// data[i] becomes that of all ranks; `all`: [ranks][count].
void join_all(std::int64_t* data, std::size_t count, const std::int64_t* all, std::size_t ranks, Reduction how) {
  std::copy_n(all, count, data);
  for (std::size_t r = 1; r < ranks; ++r) join(data, all + r * count, count, how);
}

/// How many numbers are gathered at a time: little memory holds those of all ranks, and of few ranks there are few.
std::size_t gathered_at_once(std::size_t ranks) {
  return std::max(std::size_t(1) << 16, (std::size_t(1) << 22) / ranks) / sizeof(std::int64_t);
}

}  // namespace

Communicator::~Communicator() = default;

void Communicator::prepare(std::size_t bytes) {
  const auto ranks = static_cast<std::size_t>(size());
  gathered_.reserve(ranks * std::min(bytes / sizeof(std::int64_t), gathered_at_once(ranks)));
  sends_.reserve(ranks), receives_.reserve(ranks);
}

void Communicator::all_reduce(std::span<std::int64_t> numbers, Reduction how) {
  const auto ranks = static_cast<std::size_t>(size());
  const std::size_t most = std::min(numbers.size(), gathered_at_once(ranks));
  gathered_.resize(most * ranks);
  for (std::size_t begin = 0; begin < numbers.size(); begin += most) {
    const std::size_t part = std::min(most, numbers.size() - begin);
    all_gather(&numbers[begin], part * sizeof(std::int64_t), gathered_.data());
    join_all(&numbers[begin], part, gathered_.data(), ranks, how);
  }
}

void Communicator::all_to_all(const void* mine, std::size_t bytes, void* theirs) {
  sends_.clear(), receives_.clear();
  for (int r = 0; r < size(); ++r) {
    const char* const from = static_cast<const char*>(mine) + static_cast<std::size_t>(r) * bytes;
    char* const to = static_cast<char*>(theirs) + static_cast<std::size_t>(r) * bytes;
    if (r == rank())
      std::copy_n(from, bytes, to);
    else if (bytes > 0)
      sends_.push_back({r, from, bytes}), receives_.push_back({r, to, bytes});
  }
  exchange(sends_, receives_);
}

Begins begins_of(const std::vector<std::int64_t>& counts) {
  Begins begins(counts.size() + 1, 0);
  for (std::size_t r = 0; r < counts.size(); ++r) begins[r + 1] = begins[r] + counts[r];
  return begins;
}

void Ranks::count_sent(const Begins& sent, std::int64_t row_bytes) {
  for (int r = 0; r < size(); ++r)
    count_to(r, (sent[static_cast<std::size_t>(r) + 1] - sent[static_cast<std::size_t>(r)]) * row_bytes);
}

/// What fails within the communicator is known to all: nothing more can be said over it.
template <class Call>
void Ranks::timed(const Call& call) {
  const auto start = std::chrono::steady_clock::now();
  try {
    call();
  } catch (...) {
    dead_ = true;
    throw;
  }
  waiting_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void Ranks::gather(const void* mine, std::size_t bytes, void* all) {
  timed([&] { communicator_->all_gather(mine, bytes, all); });
  count_to_all(bytes);
}

const std::vector<Ranks::Word>& Ranks::settle(const Word& mine, const char* sentence) {
  gather(&mine, sizeof mine, words_.data());
  const auto bad = std::find_if(words_.begin(), words_.end(), [](const Word& word) { return word.code != 0; });
  if (bad == words_.end()) return words_;
  Sentence own;
  std::strncpy(own.text, sentence, sizeof own.text - 1);
  gather(&own, sizeof own, sentences_.data());
  dead_ = true;
  const auto rank = static_cast<std::size_t>(bad - words_.begin());
  throw Error(static_cast<ErrorCode>(bad->code), "rank " + std::to_string(rank) + ": " + sentences_[rank].text);
}

void Ranks::settle_and_gather(const void* mine, std::size_t bytes, void* all) {
  Word word;
  if (bytes > sizeof word.bytes) {
    settle();
    return gather(mine, bytes, all);
  }
  if (bytes > 0) std::memcpy(word.bytes, mine, bytes);
  const std::vector<Word>& words = settle(word);
  for (std::size_t r = 0; r < words.size() && bytes > 0; ++r)
    std::memcpy(static_cast<char*>(all) + r * bytes, words[r].bytes, bytes);
}

/// Few numbers go in the ranks' words.
void Ranks::reduce(std::int64_t* data, std::size_t count, Reduction how) {
  if (count * sizeof *data <= sizeof Word::bytes) {
    const std::vector<std::int64_t> all = all_gather(data, count);
    return join_all(data, count, all.data(), words_.size(), how);
  }
  communicator_->prepare(count * sizeof *data);
  settle();
  timed([&] { communicator_->all_reduce({data, count}, how); });
  count_to_all(count * sizeof *data);
}

void Ranks::spread(const void* mine, std::size_t bytes, void* theirs) {
  timed([&] { communicator_->all_to_all(mine, bytes, theirs); });
  count_to_all(bytes);
}

std::vector<std::int64_t> Ranks::exchange_numbers(const std::vector<std::int64_t>& sent, std::size_t width) {
  std::vector<std::int64_t> received(sent.size());
  if (sent.size() * sizeof(std::int64_t) <= sizeof Word::bytes) {
    const std::vector<std::int64_t> all = all_gather(sent.data(), sent.size());
    const auto own = all.begin() + static_cast<std::ptrdiff_t>(width) * rank();
    for (std::size_t r = 0; r < words_.size(); ++r)
      std::copy_n(own + static_cast<std::ptrdiff_t>(r * sent.size()), width,
                  received.begin() + static_cast<std::ptrdiff_t>(r * width));
    return received;
  }
  communicator_->prepare(sent.size() * sizeof(std::int64_t));
  settle();
  spread(sent.data(), width * sizeof(std::int64_t), received.data());
  return received;
}

void Ranks::exchange_bytes(const void* sends, const Begins& sent, void* receives, const Begins& received,
                           std::int64_t row_bytes) {
  const int own = rank();
  const auto row = static_cast<std::size_t>(row_bytes);
  const char* from = static_cast<const char*>(sends);
  char* to = static_cast<char*>(receives);
  const auto count = [](const Begins& begins, int r) {
    return begins[static_cast<std::size_t>(r) + 1] - begins[static_cast<std::size_t>(r)];
  };
  const std::int64_t most_rows = std::max<std::int64_t>(1, slab / std::max<std::int64_t>(1, row_bytes));
  std::int64_t rounds = 0;
  for (int r = 0; r < size(); ++r)
    rounds = std::max(
        {rounds, (count(sent, r) + most_rows - 1) / most_rows, (count(received, r) + most_rows - 1) / most_rows});
  std::vector<Outgoing> out;
  std::vector<Incoming> in;
  out.reserve(static_cast<std::size_t>(size())), in.reserve(static_cast<std::size_t>(size()));  // before all agree
  const std::vector<std::int64_t> all_rounds = all_gather(rounds);
  rounds = *std::max_element(all_rounds.begin(), all_rounds.end());
  if (count(sent, own) > 0 && count(received, own) > 0)
    std::memcpy(to + static_cast<std::size_t>(received[static_cast<std::size_t>(own)]) * row,
                from + static_cast<std::size_t>(sent[static_cast<std::size_t>(own)]) * row,
                static_cast<std::size_t>(count(sent, own)) * row);
  for (std::int64_t round = 0; round < rounds; ++round) {
    out.clear(), in.clear();
    for (int r = 0; r < size(); ++r) {
      if (r == own) continue;
      const std::int64_t first = round * most_rows;
      const std::int64_t give = std::min(most_rows, count(sent, r) - first),
                         take = std::min(most_rows, count(received, r) - first);
      const auto at = [&](const Begins& begins) {
        return static_cast<std::size_t>(begins[static_cast<std::size_t>(r)] + first) * row;
      };
      if (give > 0) out.push_back({r, from + at(sent), static_cast<std::size_t>(give) * row});
      if (take > 0) in.push_back({r, to + at(received), static_cast<std::size_t>(take) * row});
      if (give > 0) count_to(r, give * row_bytes);
    }
    timed([&] { communicator_->exchange(out, in); });
  }
}

}  // namespace farfield::distributed
