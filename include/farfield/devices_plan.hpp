// Sums on several GPUs of one machine, from whole arrays in host memory and without MPI. EXPERIMENTAL, as
// distributed.hpp is.
#pragma once
#include <farfield/distributed.hpp>

namespace farfield::distributed {

/// A Plan over several devices, with the calls of an ordinary one: each device takes a part of the caller's points, and
/// writes its part of the results where they belong. Results have the bits of one farfield::Plan with the same options,
/// and so have the decisions and warnings in the report: see distributed::Plan, and for what is not offered yet.
///
///     farfield::distributed::DevicesPlan plan(farfield::points(xyz), {0, 1}, options);
///     plan.evaluate(farfield::strengths(q), outputs);
///
/// `devices`: numbers of GPUs in the order of farfield::devices(), each of them a rank; one that is named twice serves
/// two ranks. Backend automatic means cuda here. With backend cpu the numbers name nothing: as many ranks share the
/// processors. Options::threads are those of each rank; 0: the ranks share those of one plan.
///
/// Errors are those of farfield::Plan, with the index in the caller's arrays. Throws Error(usage) without a device,
/// Error(device) for one that there is not, for arrays in device memory, and in a process that was forked after the
/// plan was made, whose threads it has not.
class FARFIELD_API DevicesPlan {
 public:
  DevicesPlan(const Points& points, const std::vector<int>& devices, const farfield::Options& options = {});
  DevicesPlan(const Points& sources, const Points& targets, const std::vector<int>& devices,
              const farfield::Options& options = {});
  DevicesPlan(DevicesPlan&&) noexcept;
  DevicesPlan& operator=(DevicesPlan&&) noexcept;
  ~DevicesPlan();

  /// Refused arrays leave the plan as it was.
  const Report& evaluate(const Strengths& strengths, const Outputs& outputs);
  /// As farfield::Plan::move: refused points leave the plan as it was; after another failure it has no points.
  void move(const Points& points);
  void move(const Points& sources, const Points& targets);
  void set_cell(const std::array<double, 9>& vectors);
  void forget();

  const Report& report() const;
  std::int64_t source_count() const;
  std::int64_t target_count() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace farfield::distributed
