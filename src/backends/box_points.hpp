// BoxPoints: the points of a periodic cell in the memory of a backend, their near images, and the far images' part of
// their sums. The plan that sums the near images reads them and writes results where this class says.
#pragma once
#include <array>
#include <farfield/views.hpp>
#include <functional>
#include <optional>
#include <vector>

#include "backends/addend.hpp"
#include "backends/images.hpp"
#include "backends/met.hpp"
#include "expansions/periodic/blocks/field.hpp"

namespace farfield {

class BoxPoints {
 public:
  virtual ~BoxPoints() = default;

  /// Reads the points and moves them into the cell. `targets` null: the sources. `at_sources`: these are targets, too.
  /// Points that are not numbers stay: the near plan has the words for them.
  virtual void read(const UnitCell& cell, const Points& sources, const Points* targets, bool at_sources) = 0;
  /// Of all points, their coordinate i in reduced vectors; 0 to 0 where there are none.
  virtual FractionRange range(int i) = 0;
  /// Sorts the points by blocks and adds the near images behind the sources.
  virtual void place(const BlockGrid& grid) = 0;

  /// What replays of graphs met since place(). Where a call is captured in one, what it returns says nothing.
  virtual Met met_by_replays() const { return Met::nothing; }

  /// Reads points that are those placed, as many, moved by at most `reach`: they stay in their blocks, and their images
  /// move with them. false, and nothing has changed: one has gone farther.
  virtual bool follow(const Points& sources, const Points* targets, double reach) = 0;
  /// In a capture: the near plan has followed, too.
  virtual void followed() {}

  virtual std::int64_t sources() const = 0;
  virtual std::int64_t targets() const = 0;
  virtual std::int64_t images() const = 0;
  virtual Points with_images() = 0;
  /// The same for who follows them, where a device finds them from the points.
  virtual std::optional<Images> as_images() const { return {}; }
  virtual Points at() const = 0;
  /// How many of at(), the last ones, are the sources, which stand behind the targets of all; -1: none need be.
  virtual std::int64_t behind() const = 0;
  /// Bytes beside those of the near plan and of the field.
  virtual std::int64_t bytes() const = 0;

  /// Reads one vector of strengths. The view has those of the images, too, until the next call.
  virtual Strengths take(const Strengths& strengths, std::int64_t vector) = 0;
  struct Net {
    double sum, size;  ///< size: sum of absolute values
  };
  virtual Net net() = 0;
  /// Where the near plan writes potentials and, where wanted, gradients. `scalar`: at least of this.
  virtual Outputs near_sums(bool gradient, Scalar scalar) = 0;
  /// In a capture, instead of both: the strengths, without images, and the caller's arrays, where the near plan writes
  /// all, to which far_sums are added. None: not where these lie.
  struct InPlace {
    Strengths strengths;
    Outputs sums;
  };
  virtual std::optional<InPlace> take_in_place(const Strengths& /*strengths*/, std::int64_t /*vector*/,
                                               const Outputs& /*outputs*/, bool /*gradient*/) {
    return {};
  }
  virtual Addend far_sums() { return {}; }
  /// Expansions of the far images of the strengths taken, times `scale`; after near_sums or take_in_place.
  virtual void expand(BlockField& field, double scale) = 0;
  /// L2 norms of what the near plan wrote, of all, and of what the two highest degrees give.
  struct Norms {
    double near[2], all[2], highest[2];  ///< of the potential and of the gradient
  };
  /// Adds what the expansions give.
  virtual Norms add_far(const BlockField& field) = 0;
  /// Writes the sums for one vector of strengths where the caller wants them.
  virtual void deliver(std::int64_t vector, const Outputs& outputs) = 0;

  // Of the virial, which asks for gradients, and for targets that are the sources.

  /// Sum of q times the gradient, as it is now.
  virtual Vector3 pull() = 0;
  /// What a strain of positions alone gives, of all sums about `origin`: xx yy zz xy xz yz.
  virtual std::array<double, 6> virial_of_points(const Vector3& origin) = 0;
  /// BlockField::virial of the last expansions.
  virtual std::array<double, 6> virial_of_far(const BlockField& field) = 0;
  /// Sums of the near plan.
  using NearSums = std::function<void(const Strengths&, const Outputs&)>;
  /// For each periodic vector the sum of q times the gradient of the near plan, in which an image so many of these
  /// vectors away counts so many times more: points at home are included, since images alone give so little that the
  /// near plan, whose tolerance is relative, would take pains with it.
  virtual std::vector<Vector3> pulls_of_images(const NearSums& near) = 0;
};

}  // namespace farfield
