// Ranks of one command, as threads: what is thrown on one is thrown on all.
#include "cli/ranks/crew.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace farfield::cli {
namespace {

/// What each of three ranks throws; empty where nothing.
std::vector<Outcome> outcomes(const std::function<void(Crew&)>& work) {
  auto communicators = distributed::loopback(3, 10);
  std::vector<Outcome> all(3);
  {
    std::vector<std::jthread> threads;
    for (std::size_t r = 0; r < 3; ++r)
      threads.emplace_back([&, r] {
        Crew crew(*communicators[r]);
        try {
          work(crew);
        } catch (...) {
          all[r] = outcome_of_exception();
        }
      });
  }
  return all;
}

void expect_alike(const std::vector<Outcome>& all, ErrorCode code, const std::string& sentence) {
  for (const Outcome& one : all) {
    EXPECT_EQ(one.code, code);
    EXPECT_EQ(one.sentence, sentence);
  }
}

TEST(Crew, GathersInTheOrderOfRanks) {
  const auto all = outcomes([](Crew& crew) {
    crew.together([&] {
      EXPECT_EQ(crew.gather(10 * crew.rank()), (std::vector<int>{0, 10, 20}));
      EXPECT_EQ(crew.gather_all(std::vector<int>(static_cast<std::size_t>(crew.rank()), crew.rank())),
                (std::vector<int>{1, 2, 2}));
      EXPECT_TRUE(crew.gather_all(std::vector<int>()).empty());
    });
  });
  expect_alike(all, ErrorCode::ok, "");
}

TEST(Crew, AnErrorOfOneIsThatOfAll) {
  const auto work = [](Crew& crew) {
    crew.together([&] {
      if (crew.rank() == 1) throw Error(ErrorCode::input, "a.npz: row 7 is bad");
      crew.gather(1);
    });
  };
  expect_alike(outcomes(work), ErrorCode::input, "rank 1: a.npz: row 7 is bad");
}

TEST(Crew, WhatAllSayIsSaidAsItIs) {
  const auto work = [](Crew& crew) { crew.together([] { throw Error(ErrorCode::usage, "no such option"); }); };
  expect_alike(outcomes(work), ErrorCode::usage, "no such option");
}

TEST(Crew, KnowsOtherExceptions) {
  const auto work = [](Crew& crew) {
    crew.together([&] {
      if (crew.rank() == 2) throw std::bad_alloc();
    });
  };
  const auto all = outcomes(work);
  EXPECT_EQ(all[0].code, ErrorCode::memory);
  EXPECT_EQ(all[0].sentence.find("rank 2: not enough memory"), 0u);
}

TEST(Crew, GoesOnAfterAnError) {
  const auto work = [](Crew& crew) {
    EXPECT_THROW(crew.together([&] {
      if (crew.first()) throw Error(ErrorCode::input, "bad");
    }),
                 Error);
    EXPECT_FALSE(crew.broken());
    crew.together([&] { EXPECT_EQ(crew.gather(1).size(), 3u); });
  };
  expect_alike(outcomes(work), ErrorCode::ok, "");
}

TEST(Crew, IsBrokenWhereARankHasLeft) {
  auto communicators = distributed::loopback(2, 10);
  communicators[1].reset();
  Crew crew(*communicators[0]);
  try {
    crew.together([&] { crew.gather(1); });
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::device);
  }
  EXPECT_TRUE(crew.broken());
}

}  // namespace
}  // namespace farfield::cli
