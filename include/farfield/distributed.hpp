// Sums over points that several ranks hold: threads of one process, or processes of MPI (farfield/mpi.hpp).
// EXPERIMENTAL: what is offered grows, and names may change until it is complete (docs/developer/distributed.md says
// what is missing).
#pragma once
#include <farfield/export.h>

#include <cstddef>
#include <cstdint>
#include <farfield/options.hpp>
#include <farfield/report.hpp>
#include <farfield/views.hpp>
#include <memory>
#include <span>
#include <vector>

namespace farfield::distributed {

/// Bytes for, or from, another rank. They belong to the caller, who keeps them until exchange returns.
struct Outgoing {
  int rank;
  const void* data;
  std::size_t bytes;  ///< at least 1
};
struct Incoming {
  int rank;
  void* data;
  std::size_t bytes;
};

/// What distributed plans ask of a network. All ranks call the same functions in the same order. A function that cannot
/// be completed, since a rank is gone or late, throws Error(device) and so does every call after it.
class FARFIELD_API Communicator {
 public:
  Communicator() = default;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  virtual ~Communicator();
  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// `bytes` bytes of every rank go to all ranks: those of rank r to all + r * bytes.
  virtual void all_gather(const void* mine, std::size_t bytes, void* all) = 0;
  /// At most one part for, and one part from, each other rank. What a rank sends to another has the size that the other
  /// expects; where nothing is sent, nothing is expected.
  virtual void exchange(std::span<const Outgoing> sends, std::span<const Incoming> receives) = 0;
};

/// Communicators of `ranks` threads of this process, one for each to keep. A thread that destroys its own has left: the
/// others' next call throws, and so it does where a rank does not arrive within `timeout` seconds. Throws Error(usage)
/// for fewer than one rank.
FARFIELD_API std::vector<std::unique_ptr<Communicator>> loopback(int ranks, double timeout = 60);

/// What one rank held and did in the last evaluation.
struct RankReport {
  std::int64_t given = 0;   ///< points that it passed
  std::int64_t owned = 0;   ///< points that it sums at
  std::int64_t ghosts = 0;  ///< sources of others that it holds
  std::int64_t boxes = 0;   ///< of its tree, with those of others
  std::int64_t sent = 0;    ///< bytes, to all others
  double seconds = 0;       ///< of the evaluation
  double waiting = 0;       ///< of these, within the communicator
};

struct Report {
  farfield::Report plan;  ///< of all ranks together: counts are sums; stages are those of this rank
  std::vector<RankReport> ranks;
  double imbalance = 0;  ///< largest time of work of a rank over the mean, minus 1
};

/// A plan whose points are shared by the ranks of a communicator. Results have the same bits as those of one Plan with
/// the same options over the points of rank 0, then those of rank 1, and so on, and so have the decisions, estimates,
/// measured errors and warnings in the report: the tolerance is kept as by that plan.
///
/// Constructor, move and evaluate are called by all ranks, with the same options, numbers of vectors and type of
/// results. An Error on one of them is thrown on all, with the number of the rank. Throws Error(usage) for what is not
/// offered yet: kernels whose expansions have a length, softening, dipoles, Hessians, periodic axes, points in device
/// memory, at_sources. Where all pairs are summed, every rank gets all points and sums all of them.
class FARFIELD_API Plan {
 public:
  /// `communicator` must outlive the plan. `points`: this rank's share, which may be empty; targets and sources alike.
  Plan(Communicator& communicator, const Points& points, const farfield::Options& options = {});
  /// Targets apart from the sources: both are shares of this rank, and either may be empty.
  Plan(Communicator& communicator, const Points& sources, const Points& targets, const farfield::Options& options = {});
  Plan(Plan&&) noexcept;
  Plan& operator=(Plan&&) noexcept;
  ~Plan();

  /// Strengths of this rank's sources, and arrays for the results at its targets, in the order in which it passed them.
  const Report& evaluate(const Strengths& strengths, const Outputs& outputs);
  /// New positions; ranks may pass other shares than before.
  void move(const Points& points);
  void move(const Points& sources, const Points& targets);
  const Report& report() const;
  std::int64_t source_count() const;  ///< of this rank's share
  std::int64_t target_count() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace farfield::distributed
