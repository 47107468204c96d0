// Ranks of a test: threads of this process, and the shares of a cloud that they pass.
#pragma once
#include <exception>
#include <farfield/distributed.hpp>
#include <farfield/plan.hpp>
#include <functional>
#include <thread>
#include <vector>

#include "support/clouds.hpp"
#include "support/random.hpp"

namespace farfield::testing {

/// Runs body(communicator) in a thread per rank. Returns what each threw, null where it did not.
inline std::vector<std::exception_ptr> run_ranks(int ranks, const std::function<void(distributed::Communicator&)>& body,
                                                 double timeout = 600) {
  std::vector<std::unique_ptr<distributed::Communicator>> all = distributed::loopback(ranks, timeout);
  std::vector<std::exception_ptr> thrown(static_cast<std::size_t>(ranks));
  std::vector<std::thread> threads;
  for (int r = 0; r < ranks; ++r)
    threads.emplace_back([&, r] {
      const std::unique_ptr<distributed::Communicator> own = std::move(all[static_cast<std::size_t>(r)]);
      try {
        body(*own);
      } catch (...) {
        thrown[static_cast<std::size_t>(r)] = std::current_exception();
      }
    });
  for (std::thread& thread : threads) thread.join();
  return thrown;
}

inline void rethrow_any(const std::vector<std::exception_ptr>& thrown) {
  for (const std::exception_ptr& one : thrown)
    if (one) std::rethrow_exception(one);
}

/// The word of the Error that a rank threw, "" if none.
inline std::string sentence_of(const std::exception_ptr& thrown) {
  if (!thrown) return "";
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& error) {
    return error.what();
  }
}

/// How points are shared: rank r passes points [cut[r], cut[r + 1]).
using Cuts = std::vector<std::size_t>;
enum class Sharing { random, first_alone, last_alone, some_empty, even };

inline Cuts make_cuts(std::size_t points, int ranks, Sharing sharing, std::uint64_t seed) {
  Stream random(seed);
  Cuts cuts{0};
  for (int r = 1; r < ranks; ++r) {
    const auto anywhere = static_cast<std::size_t>(random.unit() * static_cast<double>(points + 1));
    cuts.push_back(sharing == Sharing::first_alone  ? points
                   : sharing == Sharing::last_alone ? 0
                   : sharing == Sharing::even ? points * static_cast<std::size_t>(r) / static_cast<std::size_t>(ranks)
                   : sharing == Sharing::some_empty
                       ? points * static_cast<std::size_t>(r / 2 * 2) / static_cast<std::size_t>(ranks)
                       : std::min(anywhere, points));
  }
  cuts.push_back(points);
  std::sort(cuts.begin(), cuts.end());
  return cuts;
}

/// Potentials and gradients in the order of the whole cloud.
template <class T>
struct Sums {
  std::vector<T> potential, gradient;
  bool operator==(const Sums&) const = default;
};

/// A distributed evaluation of `vectors` strength vectors, q[v * points + i]; `x`: interleaved; `reports`: of the
/// ranks.
template <class T>
Sums<T> distributed_sums(const std::vector<double>& x, const std::vector<double>& q, std::int64_t vectors, int ranks,
                         const Cuts& cuts, const Options& options,
                         std::vector<distributed::Report>* reports = nullptr) {
  const std::size_t n = x.size() / 3, v = static_cast<std::size_t>(vectors);
  Sums<T> sums{std::vector<T>(v * n), std::vector<T>(options.gradient ? 3 * v * n : 0)};
  if (reports) reports->resize(static_cast<std::size_t>(ranks));
  rethrow_any(run_ranks(ranks, [&](distributed::Communicator& communicator) {
    const auto r = static_cast<std::size_t>(communicator.rank());
    const std::size_t begin = cuts[r], own = cuts[r + 1] - begin;
    distributed::Plan plan(communicator, points(x.data() + 3 * begin, static_cast<std::int64_t>(own)), options);
    std::vector<T> potential(v * own), gradient(sums.gradient.empty() ? 0 : 3 * v * own);
    Outputs outputs;
    outputs.scalar = scalar_of<T>;
    outputs.potential = potential.data();
    if (!gradient.empty()) outputs.gradient = gradient.data();
    const Strengths strengths{q.data() + begin, static_cast<std::int64_t>(own), vectors, 1,
                              static_cast<std::int64_t>(n)};
    const distributed::Report& made = plan.evaluate(strengths, outputs);
    if (reports) (*reports)[r] = made;
    for (std::size_t k = 0; k < v; ++k) {
      std::copy_n(potential.begin() + static_cast<std::ptrdiff_t>(k * own), own,
                  sums.potential.begin() + static_cast<std::ptrdiff_t>(k * n + begin));
      if (!gradient.empty())
        std::copy_n(gradient.begin() + static_cast<std::ptrdiff_t>(3 * k * own), 3 * own,
                    sums.gradient.begin() + static_cast<std::ptrdiff_t>(3 * (k * n + begin)));
    }
  }));
  return sums;
}

/// The same of one plan.
template <class T>
Sums<T> single_sums(const std::vector<double>& x, const std::vector<double>& q, std::int64_t vectors,
                    const Options& options, Report* report = nullptr) {
  Plan plan(points(x), options);
  const auto n = static_cast<std::int64_t>(x.size() / 3);
  const Result<T> result = plan.evaluate<T>(strengths(q.data(), n, vectors));
  if (report) *report = result.report;
  return {result.potential, result.gradient};
}

/// The fast method in double on one thread of each rank; degree -1: from the tolerance.
inline Options fmm_of_degree(int degree, double tolerance = 1e-5) {
  Options o;
  o.method = Method::fmm, o.backend = Backend::cpu, o.precision = Precision::double_;
  o.degree = degree, o.tolerance = tolerance;
  o.gradient = true, o.threads = 1;
  return o;
}

}  // namespace farfield::testing
