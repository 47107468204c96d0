#include "cli/ranks/crew.hpp"

#include <algorithm>
#include <cstring>
#include <string>

namespace farfield::cli {
namespace {

struct Word {  ///< of one rank, how it is
  int code = 0;
  char sentence[1000] = {};
};

}  // namespace

void Crew::gather_bytes(const void* mine, std::size_t bytes, void* all) {
  try {
    if (bytes > 0) communicator_.all_gather(mine, bytes, all);
  } catch (...) {
    settled_ = broken_ = true;
    throw;
  }
}

void Crew::settle(const Outcome& mine) {
  const auto ranks = static_cast<std::size_t>(size());
  std::vector<int> codes(ranks);
  const int code = static_cast<int>(mine.code);
  gather_bytes(&code, sizeof code, codes.data());
  const auto bad = std::find_if(codes.begin(), codes.end(), [](int c) { return c != 0; });
  if (bad == codes.end()) return;
  Word word{code};
  std::strncpy(word.sentence, mine.sentence.c_str(), sizeof word.sentence - 1);
  std::vector<Word> words(ranks);
  gather_bytes(&word, sizeof word, words.data());
  settled_ = true;
  const auto rank = static_cast<std::size_t>(bad - codes.begin());
  const std::string sentence = words[rank].sentence;
  const bool alike =
      std::all_of(words.begin(), words.end(), [&](const Word& w) { return w.code == *bad && w.sentence == sentence; });
  throw Error(static_cast<ErrorCode>(*bad), alike ? sentence : "rank " + std::to_string(rank) + ": " + sentence);
}

void Crew::together(const std::function<void()>& work) {
  settled_ = false;
  try {
    work();
    settle({});
  } catch (...) {
    if (!settled_) settle(outcome_of_exception());  // throws, on all ranks
    throw;
  }
}

void Crew::all_gather(const void* mine, std::size_t bytes, void* all) {
  settle({});
  gather_bytes(mine, bytes, all);
}

io::AllGather Crew::gatherer() {
  return [this](const void* mine, std::size_t bytes, void* all) { all_gather(mine, bytes, all); };
}

}  // namespace farfield::cli
