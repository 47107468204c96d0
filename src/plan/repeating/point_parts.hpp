// PointParts: what a plan that is made of another one (repeating.hpp) asks of others that hold further points of the
// same sum, each of them with such a plan of its own. Here are the answers where there are no others.
//
// A sum over points of all is that of pieces of so many points each, counted from the first point of all: each piece is
// summed where its first point is, and the pieces are added up in their order. So the sum has the same bits wherever
// the points are.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <farfield/options.hpp>
#include <farfield/report.hpp>
#include <farfield/views.hpp>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "backends/addend.hpp"
#include "backends/images.hpp"
#include "backends/other_points.hpp"
#include "tree/geometry.hpp"

namespace farfield {

/// What the plan that it is made of takes.
struct NearPoints {
  Points sources;
  const Points* targets = nullptr;  ///< null: the sources
  /// So many of the targets, the last ones, stand behind those of all others in one plan over all points; -1: no one's
  /// do.
  std::int64_t behind = -1;
  std::optional<DividedCell> cell = {};  ///< of targets whose images the sources are, where boxes should divide it
};

/// The plan that it is made of: of a Box, the one that sums points and their near images.
class NearPlan {
 public:
  virtual ~NearPlan() = default;
  virtual void move(const NearPoints& points) = 0;
  /// Takes images of points that have moved a little, and targets. false: they are to be moved as points.
  virtual bool follow(const Images& /*images*/, const Points& /*targets*/) { return false; }
  virtual void forget() = 0;
  virtual void evaluate(const Strengths& strengths, const Outputs& outputs) = 0;
  /// In a capture, after images were followed: with an addend, where that can be.
  virtual bool takes_addends() const { return false; }
  virtual void evaluate_onto(const Strengths& /*strengths*/, const Outputs& /*outputs*/, const Addend& /*addend*/) {}
  virtual const Report& report() const = 0;
  virtual void check_replays() const {}  ///< as Plan's
  /// The number of which boxes along the shortest side of the cell are a multiple, doubled some times; 0: there is
  /// none.
  virtual int boxes_across() const { return 0; }
};

/// Points of which some are here: those of the numbers [first, first + count) of all.
class PartOfPoints {
 public:
  PartOfPoints(std::int64_t first, std::int64_t count, std::int64_t all) : first_(first), count_(count), all_(all) {}
  virtual ~PartOfPoints() = default;
  std::int64_t first() const { return first_; }
  std::int64_t all() const { return all_; }
  /// Points of a piece: enough for a thread's time, and so many that their sums need little memory.
  std::int64_t grain() const {
    constexpr std::int64_t least = 8192, most_pieces = 256;
    return std::max(least, static_cast<std::int64_t>(
                               std::bit_ceil(static_cast<std::uint64_t>((all_ + most_pieces - 1) / most_pieces))));
  }
  /// Of the points whose pieces are summed here, `width` numbers each; `own`: those of the points that are here. `room`
  /// keeps them where they are others.
  virtual std::span<const double> summed(std::span<const double> own, std::int64_t /*width*/,
                                         std::vector<double>& /*room*/) const {
    return own;
  }

 protected:
  std::int64_t first_, count_, all_;
};

/// Numbers of the points whose pieces are summed here. `own`, of the points that are here, outlives this.
struct Summed {
  std::vector<double> room;
  std::span<const double> numbers;

  Summed() = default;
  Summed(const PartOfPoints& part, std::span<const double> own, std::int64_t width)
      : numbers(part.summed(own, width, room)) {}
  Summed(Summed&&) = default;
  Summed& operator=(Summed&&) = default;
  double operator[](std::int64_t i) const { return numbers[static_cast<std::size_t>(i)]; }
  std::int64_t count() const { return std::ssize(numbers); }
};

class PointParts : public OtherPoints {
 public:
  virtual std::unique_ptr<PartOfPoints> part(std::int64_t count) const {
    return std::make_unique<PartOfPoints>(0, count, count);
  }
  virtual std::unique_ptr<NearPlan> near_plan(const NearPoints& points, const Options& options) const;
};
inline const PointParts no_others;

/// The sum over all points of what add(i, double*) adds for the i-th of those that are summed here, `count` in number.
template <std::size_t width, class Add>
std::array<double, width> sum_in_pieces(const PointParts& parts, std::int64_t grain, std::int64_t count, int threads,
                                        const Add& add) {
  const std::int64_t pieces = count > 0 ? (count - 1) / grain + 1 : 0;
  std::vector<double> sums(width * static_cast<std::size_t>(pieces));
#pragma omp parallel for num_threads(threads)
  for (std::int64_t piece = 0; piece < pieces; ++piece) {
    double sum[width] = {};
    for (std::int64_t i = piece * grain; i < std::min(count, (piece + 1) * grain); ++i) add(i, sum);
    std::copy_n(sum, width, &sums[width * static_cast<std::size_t>(piece)]);
  }
  std::array<double, width> total{};
  const std::vector<double> all = parts.gathered(std::move(sums));
  for (std::size_t k = 0; k < all.size(); ++k) total[k % width] += all[k];
  return total;
}

}  // namespace farfield
