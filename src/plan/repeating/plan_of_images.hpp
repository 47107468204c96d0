// PlanOfImages: what a box asks of the plan of its near images beyond what all plans offer.
#pragma once
#include <farfield/plan.hpp>

#include "backends/addend.hpp"
#include "backends/images.hpp"
#include "plan/repeating/point_parts.hpp"

namespace farfield {

struct PlanOfImages {
  static Plan make(const NearPoints& points, const Options& options);
  static void move(Plan& plan, const NearPoints& points);
  /// Takes images of points that have moved a little, and targets. false: they are to be moved as points.
  static bool follow(Plan& plan, const Images& images, const Points& targets);
  /// In a capture, after follow.
  static void evaluate_onto(Plan& plan, const Strengths& strengths, const Outputs& outputs, const Addend& addend);
  /// See NearPlan.
  static int boxes_across(const Plan& plan);
};

}  // namespace farfield
