// farfield_plan: what the functions of the C interface ask of a plan, be it on one device or on several.
#pragma once
#include <farfield/farfield.h>

#include <array>
#include <farfield/report.hpp>
#include <farfield/views.hpp>

struct farfield_plan {
  virtual ~farfield_plan() = default;
  virtual void evaluate(const farfield::Strengths& strengths, const farfield::Outputs& outputs) = 0;
  virtual void move(const farfield::Points& sources, const farfield_points* targets) = 0;
  virtual void set_cell(const std::array<double, 9>& vectors) = 0;
  virtual void forget() = 0;
  virtual void check_replays() const {}  ///< plans over several devices are not captured
  virtual const farfield::Report& report() const = 0;
};
