// Biot and Savart: the velocity that vortex particles induce, and how it stretches them; three densities of 1/r.
#pragma once
#include <farfield/export.h>

#include <cstdint>
#include <farfield/options.hpp>
#include <farfield/plan.hpp>
#include <farfield/views.hpp>
#include <span>
#include <vector>

namespace farfield {

/// What vortex particles do at points, in the order of the caller's points.
template <Real T>
struct VortexField {
  std::vector<T> velocity;  ///< (count, 3)
  /// (count, 3, 3), with Options::hessian: the derivative of component i of the velocity along axis j is element
  /// 9 point + 3 i + j. Its trace is 0, and its antisymmetric part is the vorticity.
  std::vector<T> velocity_gradient;
  /// (count, 3), with Options::hessian, where the targets are the particles: (alpha . grad) u, by which a particle's
  /// strength alpha changes in time.
  std::vector<T> stretching;
  Report report;
};

/// u(x) = sum_j alpha_j x (x - y_j) / (4 pi |x - y_j|^3), the curl of A = sum_j alpha_j / (4 pi |x - y_j|), by a plan
/// for A. A particle's strength alpha is its vorticity times its volume. Options::softening regularises: with
/// SofteningKind::plummer this is the kernel of Rosenhead and Moore, with algebraic and gauss the cores of Winckelmans &
/// Leonard (docs/biot-savart.md). The gradient, and with Options::hessian the second
/// derivatives of A keep the tolerance. Options::kernel is laplace3d; Options::scale multiplies the result. Errors are
/// those of Plan.
class FARFIELD_API BiotSavart {
 public:
  /// Velocities at the particles themselves.
  explicit BiotSavart(const Points& particles, const Options& options = {});
  /// Velocities at targets of their own.
  BiotSavart(const Points& particles, const Points& targets, const Options& options = {});

  /// Of particles whose strengths stand one after another, (count, 3).
  template <Real T>
  VortexField<T> evaluate(std::span<const T> strengths);
  template <Real T>
  VortexField<T> evaluate(const std::vector<T>& strengths) {
    return evaluate(std::span<const T>(strengths));
  }

  /// For the next time step, as Plan::move.
  void move(const Points& particles);
  void move(const Points& particles, const Points& targets);

 private:
  Plan plan_;
  bool with_gradient_;  ///< of the velocity
  bool alike_;
};

}  // namespace farfield
