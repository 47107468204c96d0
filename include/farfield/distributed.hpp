// Sums over points that several ranks hold: threads of one process, or processes of MPI (farfield/mpi.hpp).
// EXPERIMENTAL: what is offered grows, and names may change until it is complete (docs/developer/distributed.md says
// what is missing).
#pragma once
#include <farfield/export.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <farfield/options.hpp>
#include <farfield/report.hpp>
#include <farfield/views.hpp>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <type_traits>
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

/// How numbers of all ranks become one; whichever come first, the result is the same. any: bits that any of them has.
enum class Reduction { add, least, any };

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
  /// Each number becomes that of all ranks. Unless overridden, all of them are gathered: fine for tens of ranks.
  virtual void all_reduce(std::span<std::int64_t> numbers, Reduction how);
  /// `bytes` bytes for each rank, those for rank r from mine + r * bytes; those from it go to theirs + r * bytes.
  /// Unless overridden, a message goes to each.
  virtual void all_to_all(const void* mine, std::size_t bytes, void* theirs);
  /// Takes the memory that the next of these two needs, of which a rank gives so many bytes in all: one that has none
  /// must say so before the others wait for it.
  virtual void prepare(std::size_t bytes);
  /// At most one part for, and one part from, each other rank. What a rank sends to another has the size that the other
  /// expects; where nothing is sent, nothing is expected.
  virtual void exchange(std::span<const Outgoing> sends, std::span<const Incoming> receives) = 0;
  /// Seconds after which it gives up a rank that is late: plans wait no longer for rows that go from device to device.
  virtual double timeout() const { return 60; }

 private:
  friend class Ranks;
  std::shared_ptr<void> kept_;  ///< by plans, for the next: what takes long to make
  std::vector<std::int64_t> gathered_;
  std::vector<Outgoing> sends_;
  std::vector<Incoming> receives_;
};

/// Communicators of `ranks` threads of this process, one for each to keep. A thread that destroys its own has left: the
/// others' next call throws, and so it does where a rank does not arrive within `timeout` seconds. Throws Error(usage)
/// for fewer than one rank.
FARFIELD_API std::vector<std::unique_ptr<Communicator>> loopback(int ranks, double timeout = 60);

/// Makes a device (farfield/device.hpp), named by its number, that of the plans which this thread makes from now on.
FARFIELD_API void use_device(int device);
/// Runs body in a thread for each of these devices, which are its ranks; a device may serve several. Throws what body
/// throws: the first of it.
FARFIELD_API void on_devices(std::span<const int> devices, const std::function<void(Communicator&)>& body);

/// What one rank held and did in the last evaluation.
struct RankReport {
  std::int64_t given = 0;     ///< points that it passed
  std::int64_t owned = 0;     ///< points that it sums at
  std::int64_t ghosts = 0;    ///< sources of others that it holds
  std::int64_t boxes = 0;     ///< of its tree, with those of others
  std::int64_t sent = 0;      ///< bytes, to all others
  std::int64_t migrants = 0;  ///< of the points that it passed, those that others own
  double seconds = 0;         ///< of the evaluation
  double waiting = 0;         ///< of these, within the communicator
};

struct Report {
  farfield::Report plan;  ///< of all ranks together: counts are sums; stages are those of this rank
  std::vector<RankReport> ranks;
  std::vector<std::int64_t> sent;  ///< bytes from this rank to each, in the last move or evaluation
  double imbalance = 0;            ///< largest time of work of a rank over the mean, minus 1
};

/// The order of a rank's arrays.
enum class Order {
  given,  ///< any-order: that in which it passed its points, whoever owns them; strengths and results travel
  owned,  ///< keep-order: its owned points in the order of the plan; strengths and multipoles of ghosts travel alone
};
enum class Set { sources, targets };  ///< the same set where targets are the sources
/// Where an owned point was passed: a rank, and the index there.
struct Origin {
  std::int64_t rank, index;
};

/// How many of the points a rank is to own: in proportion to its speed, in any unit that all ranks use. Who would get
/// more than most_points, sources and targets together, gets no more, and the others the rest.
struct Capacity {
  double speed = 1;
  std::int64_t most_points = std::numeric_limits<std::int64_t>::max();
};

/// A plan whose points are shared by the ranks of a communicator. Results have the same bits as those of one Plan with
/// the same options over the points of rank 0, then those of rank 1, and so on, and so have the decisions, estimates,
/// measured errors and warnings in the report: the tolerance is kept as by that plan. The order of arrays changes none.
///
/// All functions but source_count, target_count, owned_count and report are called by all ranks, with the same options,
/// orders, numbers of vectors and type of results. An Error on one of them is thrown on all, with the number of the
/// rank. Throws Error(usage) for what is not offered yet: periodic axes of kernels other than laplace3d, a skin with
/// periodic axes, methods other than fmm and direct. With backend cuda a rank's device is the current one of the thread
/// that makes its plan; estimates and virials are those of one plan up to rounding, and estimates in large trees to
/// sampling. Where all pairs are summed, every rank gets all points and sums all; where the points decide so
/// (report().plan.method), it owns those it passed. With periodic axes or the virial, which all ranks get, it does in
/// any case.
///
/// A simulation keeps its arrays where their points are owned. Then a step sends ghosts and migrants alone:
///     x = plan.to_owned(x, 3), v = plan.to_owned(v, 3), q = plan.to_owned(q);  // after the constructor and each move
///     plan.evaluate(strengths(q), outputs, Order::owned);                      // then new v and x, and
///     plan.move(points(x), Order::owned);
class FARFIELD_API Plan {
 public:
  /// `communicator` must outlive the plan. `points`: this rank's share, which may be empty; targets and sources alike.
  /// Throws Error(memory) where the ranks' capacities are too small for all points.
  Plan(Communicator& communicator, const Points& points, const farfield::Options& options = {},
       const Capacity& capacity = {});
  /// Targets apart from the sources: both are shares of this rank, and either may be empty.
  Plan(Communicator& communicator, const Points& sources, const Points& targets, const farfield::Options& options = {},
       const Capacity& capacity = {});
  Plan(Plan&&) noexcept;
  Plan& operator=(Plan&&) noexcept;
  ~Plan();

  /// Strengths of this rank's sources, and arrays for the results at its targets, both in this order.
  const Report& evaluate(const Strengths& strengths, const Outputs& outputs, Order order = Order::given);
  /// New positions; ranks may pass other shares than before. Order::owned: the points that this rank holds, in any
  /// number, stay with it where they can: borders between ranks lie between the same boxes as before unless a rank
  /// would own a tenth more or less than its share. In either case the given order is that of these points from now on,
  /// and the owned order a new one.
  void move(const Points& points, Order order = Order::given);
  void move(const Points& sources, const Points& targets, Order order = Order::given);

  /// Of this rank, from the next move on; as it was for a rank that does not call this. No results depend on it. With
  /// periodic axes near images are counted, too; where all pairs are summed it does not matter.
  void set_capacity(const Capacity& capacity);

  /// As farfield::Plan::set_cell: another periodic cell from the next move on, the same on all ranks.
  void set_cell(const std::array<double, 9>& vectors);

  std::int64_t owned_count(Set set = Set::sources) const;  ///< by this rank
  /// Where this rank's owned points were passed, in the owned order.
  std::vector<Origin> origins(Set set = Set::sources);
  /// Carries rows of the caller's own arrays, `row` bytes for each point of this rank, from the given order into the
  /// owned one, or back; a row that its rank owns stays there. Throws Error(input) if a span is not of all its points.
  void to_owned(std::span<const std::byte> given, std::span<std::byte> owned, std::size_t row, Set set = Set::sources);
  void to_given(std::span<const std::byte> owned, std::span<std::byte> given, std::size_t row, Set set = Set::sources);
  /// The same for arrays of `width` elements per point.
  template <class T>
  requires std::is_trivially_copyable_v<T> std::vector<T> to_owned(const std::vector<T>& given, std::size_t width = 1,
                                                                   Set set = Set::sources) {
    std::vector<T> owned(width * static_cast<std::size_t>(owned_count(set)));
    to_owned(std::as_bytes(std::span(given)), std::as_writable_bytes(std::span(owned)), width * sizeof(T), set);
    return owned;
  }
  template <class T>
  requires std::is_trivially_copyable_v<T> std::vector<T> to_given(const std::vector<T>& owned, std::size_t width = 1,
                                                                   Set set = Set::sources) {
    std::vector<T> given(width * static_cast<std::size_t>(set == Set::sources ? source_count() : target_count()));
    to_given(std::as_bytes(std::span(owned)), std::as_writable_bytes(std::span(given)), width * sizeof(T), set);
    return given;
  }

  /// As farfield::Plan::forget, on all ranks.
  void forget();

  const Report& report() const;
  std::int64_t source_count() const;  ///< of this rank's share
  std::int64_t target_count() const;

 private:
  friend class DevicesPlan;
  /// As evaluate, for results within arrays of so many targets and sources for each vector.
  const Report& evaluate_part(const Strengths& strengths, const Outputs& outputs, std::int64_t targets,
                              std::int64_t sources);

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace farfield::distributed
