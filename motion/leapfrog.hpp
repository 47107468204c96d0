// The motion of bodies under their own gravity: the leapfrog in its form kick, drift, kick, with a fixed step. It is
// symplectic and reversible, and its error of the energy does not grow but falls as dt^2 (Hairer, Lubich & Wanner 2003,
// Acta Numerica 12:399).
#pragma once
#include <farfield/plan.hpp>

#include "motion/arrays.hpp"

namespace farfield::motion {

struct Course {
  double dt = 0;       ///< length of a step, in the bodies' unit of time; above 0
  double gravity = 1;  ///< the gravitational constant G in the bodies' units; above 0
};

/// Throws Error(usage) where a step or a gravitational constant is none.
void require_course(const Course& course);

/// What to ask of a plan: the gradient of u(x) = -G sum_j m_j K(x, y_j), the negative of which is the acceleration.
Options with_gravity(Options options, double gravity);

/// Moves `arrays`, which stay the caller's and must outlive this. Results of two runs have the same bits if bodies,
/// options and course have: positions and velocities after a step are all that the next one depends on.
template <Arrays A>
class Leapfrog {
 public:
  /// One evaluation, for the accelerations that the first step begins with.
  Leapfrog(A& arrays, const Options& options, const Course& course)
      : arrays_(arrays), dt_(course.dt), plan_(prepared(arrays, options, course)) {
    evaluate();
  }

  /// From time t to t + dt. One evaluation: the accelerations of its second kick serve the first kick of the next step.
  void step() {
    arrays_.kick(0.5 * dt_);       // v(t + dt/2) = v(t) + dt/2 a(x(t))
    arrays_.drift(dt_);            // x(t + dt) = x(t) + dt v(t + dt/2)
    plan_.forget();                // a run that is resumed here has a new plan
    plan_.move(arrays_.points());  // the tree anew; memory and tables are kept
    evaluate();                    // a = -gradient of the potential
    arrays_.kick(0.5 * dt_);       // v(t + dt) = v(t + dt/2) + dt/2 a(x(t + dt))
  }

  const Report& report() const { return plan_.report(); }

 private:
  static Plan prepared(const A& arrays, const Options& options, const Course& course) {
    require_course(course);
    return Plan(arrays.points(), with_gravity(options, course.gravity));
  }
  /// The potential, too, in every step: a gradient that depended on who asks for energies would not be reproducible.
  void evaluate() {
    plan_.evaluate(arrays_.strengths(), arrays_.outputs());
    arrays_.use_threads(plan_.report().threads);
  }

  A& arrays_;
  double dt_;
  Plan plan_;
};

}  // namespace farfield::motion
