#include <string>

#include "kernels/periodic/cells.hpp"
#include "kernels/traits.hpp"
#include "plan/repeating/box.hpp"
#include "plan/repeating/open_virial.hpp"
#include "plan/repeating/repeating.hpp"
#include "plan/rows.hpp"

namespace farfield {

void validate_periodic(const Options& o) {
  const double of_axis[3][3] = {
      {o.cell_x, o.cell_ay, o.cell_az}, {o.cell_bx, o.cell_y, o.cell_bz}, {o.cell_cx, o.cell_cy, o.cell_z}};
  for (int axis = 0; axis < 3; ++axis)
    for (int component = 0; component < 3; ++component)
      if (of_axis[axis][component] != 0 && !(static_cast<unsigned>(o.periodic) >> axis & 1))
        throw Error(ErrorCode::usage, std::string("a cell is given along ") + "xyz"[axis] +
                                          ", an axis that is not periodic; add it to periodic, or leave the cell out");
  if (o.periodic == Axes::none) return;
  if (offers_cells(o.kernel)) return validate_box(o);
  validate_rows(o);
}

Options with_cell(Options o, const std::array<double, 9>& v) {
  if (o.periodic == Axes::none)
    throw Error(ErrorCode::usage, "the plan's points do not repeat; make it with options.periodic to give it a cell");
  o.cell_x = v[0], o.cell_ay = v[1], o.cell_az = v[2];
  o.cell_bx = v[3], o.cell_y = v[4], o.cell_bz = v[5];
  o.cell_cx = v[6], o.cell_cy = v[7], o.cell_z = v[8];
  validate_periodic(o);
  return o;
}

void validate_virial(const Options& o, bool targets_apart) {
  if (!o.virial) return;
  const auto refuse = [](const std::string& sentence) { throw Error(ErrorCode::usage, sentence); };
  if (!offers_cells(o.kernel))
    refuse(std::string("kernel ") + traits(o.kernel).name + " has no virial; leave it out, or use kernel laplace3d");
  if (o.dipoles) refuse("the virial of dipoles is not offered; leave it out, or the dipoles");
  if (targets_apart) refuse("a virial is that of sources among each other; leave it out, or the targets");
}

RepeatedBound bound_of_repeating(const Options& options, std::int64_t sources, std::int64_t targets) {
  if (options.periodic == Axes::none) return {sources, 8 * 7 * sources};  // positions, strengths, gradients
  if (offers_cells(options.kernel)) return Box::bound(options, sources, targets);
  return {3 * sources, 8 * (12 * sources + 5 * targets)};  // two images of each source, and a series beside
}

std::unique_ptr<Repeating> make_repeating(const Options& options, const Points& sources, const Points* targets,
                                          const PointParts& parts) {
  if (options.periodic == Axes::none) return std::make_unique<OpenVirial>(options, sources, parts);
  if (offers_cells(options.kernel)) return std::make_unique<Box>(options, sources, targets, parts);
  return std::make_unique<Rows>(options, sources, targets);
}

}  // namespace farfield
