// What ranks do together: collectives over loopback, agreement on errors, ranks that fail, leave or are late.
#include "distributed/ranks.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>

#include "distributed/shares.hpp"

namespace farfield::testing {
namespace {

using distributed::Begins;
using distributed::begins_of;
using distributed::Communicator;
using distributed::Ranks;

TEST(Loopback, NeedsARank) { EXPECT_THROW(distributed::loopback(0), Error); }

TEST(Loopback, GathersAndReduces) {
  rethrow_any(run_ranks(5, [](Communicator& communicator) {
    Ranks ranks(communicator);
    ranks.together([&] {
      EXPECT_EQ(ranks.all_gather(10 * ranks.rank()), (std::vector<int>{0, 10, 20, 30, 40}));
      std::vector<std::int64_t> sums(20'000, ranks.rank());  // beyond what is gathered at a time
      ranks.add(sums);
      EXPECT_EQ(sums, std::vector<std::int64_t>(20'000, 10));
      std::vector<double> least{-ranks.rank() - 0.5};
      ranks.least(least);
      EXPECT_EQ(least[0], -4.5);
    });
  }));
}

/// Few numbers go with the ranks' words, and many on their own.
TEST(Loopback, ReducesNumbersOfAllKinds) {
  for (const std::size_t count : {1, 31, 32, 19'999, 20'000})
    rethrow_any(run_ranks(5, [&](Communicator& communicator) {
      const auto number = [](int rank, std::size_t i) { return static_cast<int>((i * 37 + rank * 11) % 23) - 11; };
      Ranks ranks(communicator);
      std::vector<int> least(count);
      std::vector<std::uint32_t> most(count);
      std::vector<double> real(count), sum(count);
      std::vector<std::uint64_t> bits(count);
      for (std::size_t i = 0; i < count; ++i) {
        least[i] = number(ranks.rank(), i), most[i] = 4'000'000'000U + static_cast<std::uint32_t>(least[i]);
        real[i] = least[i] == 0 ? -INFINITY : 1 / (0.1 * least[i]), sum[i] = std::exp(least[i]);
        bits[i] = std::uint64_t(1) << (least[i] + 52);
      }
      if (count % 2 == 1) ranks.gathered = 0;  // as of many ranks
      ranks.together([&] {
        ranks.least(least), ranks.most(most), ranks.least(real), ranks.add(sum), ranks.unite(bits.data(), count);
      });
      for (std::size_t i = 0; i < count; ++i) {
        int lowest = number(0, i), highest = lowest;
        double smallest = INFINITY, in_order = 0;
        std::uint64_t all = 0;
        for (int r = 0; r < 5; ++r) {
          const int n = number(r, i);
          lowest = std::min(lowest, n), highest = std::max(highest, n);
          smallest = std::min(smallest, n == 0 ? -INFINITY : 1 / (0.1 * n));
          in_order = r == 0 ? std::exp(n) : in_order + std::exp(n);
          all |= std::uint64_t(1) << (n + 52);
        }
        ASSERT_EQ(least[i], lowest);
        ASSERT_EQ(most[i], 4'000'000'000U + static_cast<std::uint32_t>(highest));
        ASSERT_EQ(real[i], smallest);
        ASSERT_EQ(sum[i], in_order);
        ASSERT_EQ(bits[i], all);
      }
    }));
}

TEST(Loopback, ExchangesNumbersWithEachRank) {
  for (const std::size_t width : {1, 3})
    for (const int size : {1, 4, 12, 40})
      rethrow_any(run_ranks(size, [&](Communicator& communicator) {
        Ranks ranks(communicator);
        const auto number = [](int from, int to, std::size_t k) { return 10'000 * from + 10 * to + std::int64_t(k); };
        std::vector<std::int64_t> sent;
        for (int r = 0; r < size; ++r)
          for (std::size_t k = 0; k < width; ++k) sent.push_back(number(ranks.rank(), r, k));
        ranks.together([&] {
          const std::vector<std::int64_t> came = ranks.exchange_numbers(sent, width);
          for (std::size_t i = 0; i < sent.size(); ++i)
            ASSERT_EQ(came[i], number(static_cast<int>(i / width), ranks.rank(), i % width));
        });
      }));
}

/// Few bytes and many go different ways, and must not meet each other's.
TEST(Loopback, GathersFewAndManyBytesInTurn) {
  for (const int size : {1, 2, 5})
    rethrow_any(run_ranks(size, [&](Communicator& communicator) {
      const auto gathered = [&](std::size_t bytes, std::size_t k, const auto& gather) {
        const auto number = [&](std::size_t rank) { return static_cast<unsigned char>(11 * rank + k); };
        const std::vector<unsigned char> mine(bytes, number(static_cast<std::size_t>(communicator.rank()))),
            all = gather(mine);
        ASSERT_EQ(all.size(), bytes * static_cast<std::size_t>(size));
        for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i], number(i / bytes)) << bytes << " bytes, " << i;
      };
      Ranks ranks(communicator);
      ranks.together([&] {
        for (std::size_t k = 0; k < 200; ++k)
          for (const std::size_t bytes : {0, 1, 252, 253, 256, 257, 5000}) {
            gathered(bytes, k, [&](const auto& mine) { return ranks.all_gather(mine.data(), mine.size()); });
            gathered(bytes, k + 1, [&](const auto& mine) {
              std::vector<unsigned char> all(bytes * static_cast<std::size_t>(size));
              communicator.all_gather(mine.data(), bytes, all.data());
              return all;
            });
          }
      });
    }));
}

/// Every rank sends rows of its own number to others, some none; in slabs of a few rows.
TEST(Loopback, ExchangesRowsInSlabs) {
  for (const std::int64_t slab : {16, 100, 1 << 20})
    for (const int size : {1, 2, 7})
      rethrow_any(run_ranks(size, [&](Communicator& communicator) {
        Ranks ranks(communicator);
        ranks.slab = slab;
        ranks.together([&] {
          std::vector<std::int64_t> counts;
          for (int r = 0; r < size; ++r) counts.push_back((ranks.rank() * 7 + r * 3) % 5 * 4);
          const Begins sent = begins_of(counts), received = begins_of(ranks.exchange_numbers(counts));
          std::vector<int> out(static_cast<std::size_t>(3 * sent.back())),
              in(static_cast<std::size_t>(3 * received.back()));
          for (int r = 0; r < size; ++r)
            for (std::int64_t i = 3 * sent[static_cast<std::size_t>(r)]; i < 3 * sent[static_cast<std::size_t>(r) + 1];
                 ++i)
              out[static_cast<std::size_t>(i)] = 1000 * ranks.rank() + 10 * r + static_cast<int>(i % 3);
          ranks.exchange(out.data(), sent, in.data(), received, 3);
          for (int r = 0; r < size; ++r) {
            EXPECT_EQ(received[static_cast<std::size_t>(r) + 1] - received[static_cast<std::size_t>(r)],
                      (r * 7 + ranks.rank() * 3) % 5 * 4);
            for (std::int64_t i = 3 * received[static_cast<std::size_t>(r)];
                 i < 3 * received[static_cast<std::size_t>(r) + 1]; ++i)
              ASSERT_EQ(in[static_cast<std::size_t>(i)], 1000 * r + 10 * ranks.rank() + static_cast<int>(i % 3));
          }
        });
      }));
}

Options options_of(int degree = 4) {
  Options o;
  o.method = Method::fmm, o.backend = Backend::cpu, o.degree = degree, o.threads = 1;
  return o;
}

/// Every rank's share of 1,000 random points.
struct Own {
  std::vector<double> x, q, u;
  explicit Own(int rank) : q(1'000, 1.0), u(1'000) {
    Stream random(static_cast<std::uint64_t>(rank) + 1);
    for (int i = 0; i < 3'000; ++i) x.push_back(random.unit());
  }
  Outputs outputs() {
    Outputs o;
    o.potential = u.data();
    return o;
  }
};

void expect_all(const std::vector<std::exception_ptr>& thrown, ErrorCode code, const std::string& part) {
  for (const std::exception_ptr& one : thrown) {
    ASSERT_TRUE(one);
    try {
      std::rethrow_exception(one);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code) << error.what();
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  }
}

TEST(Failures, ABadPointIsTheSameErrorOnAll) {
  const auto thrown = run_ranks(4, [](Communicator& communicator) {
    Own own(communicator.rank());
    if (communicator.rank() == 2) own.x[3 * 17 + 1] = std::numeric_limits<double>::quiet_NaN();
    distributed::Plan plan(communicator, points(own.x), options_of());
  });
  expect_all(thrown, ErrorCode::input, "rank 2: source 17: coordinate y is nan");
  for (const std::exception_ptr& one : thrown) EXPECT_EQ(sentence_of(one), sentence_of(thrown[0]));
}

TEST(Failures, ABadStrengthLeavesThePlanUsable) {
  rethrow_any(run_ranks(3, [](Communicator& communicator) {
    Own own(communicator.rank());
    distributed::Plan plan(communicator, points(own.x), options_of());
    plan.evaluate(strengths(own.q), own.outputs());
    const std::vector<double> before = own.u;
    if (communicator.rank() == 1) own.q[5] = INFINITY;
    try {
      plan.evaluate(strengths(own.q), own.outputs());
      ADD_FAILURE() << "an infinite strength was taken";
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()), "rank 1: strength 5 of vector 0 is not finite; remove or replace it");
    }
    own.q[5] = 1;
    plan.evaluate(strengths(own.q), own.outputs());
    EXPECT_EQ(own.u, before);
  }));
}

TEST(Failures, WhatRanksDisagreeOnIsNamed) {
  expect_all(run_ranks(3,
                       [](Communicator& communicator) {
                         Own own(communicator.rank());
                         distributed::Plan plan(communicator, points(own.x),
                                                options_of(communicator.rank() == 2 ? 5 : 4));
                       }),
             ErrorCode::usage, "option degree differs between ranks 0 and 2");
  expect_all(run_ranks(2,
                       [](Communicator& communicator) {
                         Own own(communicator.rank());
                         distributed::Plan plan(communicator, points(own.x), options_of());
                         const std::vector<double> q(2'000, 1.0);
                         plan.evaluate(strengths(q.data(), 1'000, 1 + communicator.rank()), own.outputs());
                       }),
             ErrorCode::usage, "different numbers of strength vectors");
}

TEST(Failures, WhatIsNotOfferedIsRefused) {
  std::vector<Options> wrong(3, options_of());
  wrong[0].method = Method::treecode;
  wrong[1].periodic = Axes::y, wrong[1].cell_y = 2, wrong[1].skin = 0.1;
  wrong[2].periodic = Axes::x, wrong[2].cell_x = 2, wrong[2].kernel = Kernel::vortex;
  for (const Options& o : wrong)
    expect_all(run_ranks(2,
                         [&](Communicator& communicator) {
                           Own own(communicator.rank());
                           distributed::Plan plan(communicator, points(own.x), o);
                         }),
               ErrorCode::usage, "in a distributed plan of this version");
}

/// What a rank throws between two calls, or its end, reaches the others without waiting for a time-out.
TEST(Failures, ARankThatLeavesStopsTheOthers) {
  const auto start = std::chrono::steady_clock::now();
  const auto thrown = run_ranks(4, [](Communicator& communicator) {
    Own own(communicator.rank());
    distributed::Plan plan(communicator, points(own.x), options_of());
    if (communicator.rank() == 3) throw Error(ErrorCode::output, "the disk is full");
    plan.evaluate(strengths(own.q), own.outputs());
  });
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(300));  // the time-out is 600 s
  EXPECT_EQ(sentence_of(thrown[3]), "the disk is full");
  expect_all({thrown.begin(), thrown.begin() + 3}, ErrorCode::device, "rank 3 has left");
}

/// Rank 1 comes when the others have given up, however slow the machine is; one of these may be late, too.
TEST(Failures, ARankThatIsLateStopsTheOthers) {
  constexpr double timeout = 0.5;
  std::atomic<int> stopped = 0;
  const auto thrown = run_ranks(
      3,
      [&](Communicator& communicator) {
        if (communicator.rank() == 1)
          while (stopped < 2) std::this_thread::sleep_for(std::chrono::milliseconds(10));
        try {
          Ranks ranks(communicator);
          ranks.together([&] { ranks.all_gather(1); });
        } catch (...) {
          ++stopped;
          throw;
        }
      },
      timeout);
  expect_all(thrown, ErrorCode::device, "did not arrive in time");
  expect_all(thrown, ErrorCode::device, " 1");
}

/// All stages, between threads, each of which has a team of its own: for ThreadSanitizer. By a tolerance, all that
/// judges sums is in it, too.
class Threads : public ::testing::TestWithParam<double> {};

TEST_P(Threads, OfRanksShareNothingByChance) {
  rethrow_any(run_ranks(4, [](Communicator& communicator) {
    Own own(communicator.rank());
    Options o = options_of(GetParam() > 0 ? -1 : 4);
    if (GetParam() > 0) o.tolerance = GetParam(), o.check = 20;
    o.leaf_size = 20, o.threads = 2;
    distributed::Plan plan(communicator, points(own.x), o);
    plan.evaluate(strengths(own.q), own.outputs());
    plan.move(points(own.x));
    plan.evaluate(strengths(own.q), own.outputs());
    plan.move(points(own.x), points(own.x));
    plan.evaluate(strengths(own.q), own.outputs());
    own.x = plan.to_owned(own.x, 3), own.q = plan.to_owned(own.q);
    plan.move(points(own.x), distributed::Order::owned);
    own.q = plan.to_owned(own.q), own.u.resize(own.q.size());
    plan.evaluate(strengths(own.q), own.outputs(), distributed::Order::owned);
    for (const double u : own.u) ASSERT_TRUE(std::isfinite(u));
  }));
}

TEST(ThreadsInACell, ShareNothingByChance) {
  rethrow_any(run_ranks(4, [](Communicator& communicator) {
    Own own(communicator.rank());
    Options o = options_of(-1);
    o.tolerance = 1e-3, o.threads = 2, o.virial = true;
    o.periodic = Axes::xyz, o.cell_x = o.cell_y = o.cell_z = 1.5;
    distributed::Plan plan(communicator, points(own.x), o);
    double virial[6];
    Outputs outputs = own.outputs();
    outputs.virial = virial;
    plan.evaluate(strengths(own.q), outputs);
    plan.set_cell({1.5, 0, 0, 0, 1.5, 0, 0, 0, 1.6});
    plan.move(points(own.x));
    plan.evaluate(strengths(own.q), outputs);
    for (const double w : virial) ASSERT_TRUE(std::isfinite(w));
  }));
}

INSTANTIATE_TEST_SUITE_P(ByDegreeAndTolerance, Threads, ::testing::Values(0, 1e-4),
                         [](const auto& test) { return std::string(test.param > 0 ? "ByTolerance" : "ByDegree"); });

}  // namespace
}  // namespace farfield::testing
