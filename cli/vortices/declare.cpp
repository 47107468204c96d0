// The options of `farfield biot-savart`.
#include <algorithm>
#include <string_view>

#include "cli/arguments.hpp"
#include "cli/report/values.hpp"

namespace farfield::cli {
namespace {

bool is_of_vortices(const OptionText& text) {
  constexpr std::string_view names[] = {"tolerance", "method", "precision", "backend",
                                        "threads",   "check",  "seed",      "simd"};
  return std::find(std::begin(names), std::end(names), std::string_view(text.name)) != std::end(names);
}

}  // namespace

void add_biot_savart(CLI::App& parent, BiotSavartArguments& a) {
  CLI::App& app = *parent.add_subcommand("biot-savart", "Velocities that vortex particles induce");
  app.add_option("INPUT", a.input, "Particles: columns x,y,z,ax,ay,az; - for a pipe")->required()->type_name("");
  add_word<std::string>(app, "--core", a.core, {{"plummer", "plummer"}, {"algebraic", "algebraic"}, {"gauss", "gauss"}},
                        "Of each particle; without, they are points");
  add_number(app, "--sigma", a.options.softening, "Length of the core")->type_name("S");
  app.add_flag("--stretching", a.options.hessian, "Compute (alpha . grad) u of each particle, too");
  app.add_option("--targets", a.targets, "Velocities at these points, not at the particles")->type_name("FILE");
  app.add_option("-o,--output", a.output, "Velocities: .npz, .csv or .npy; - for a pipe")->type_name("FILE");
  add_output_format(app, a.format);
  const auto general = [](const OptionText& text) {
    return is_of_vortices(text) && text.where == option::Where::general;
  };
  add_options(app, a.options, general);
  add_reading(app, a.reading);
  app.add_flag("-q,--quiet", a.quiet, "Print nothing but errors");
  add_options(app, a.options, [&](const OptionText& text) { return is_of_vortices(text) && !general(text); });
  app.footer(
      "u(x) = sum alpha x (x - y) / (4 pi |x - y|^3), where alpha = (ax, ay, az) is\n"
      "vorticity times volume. Columns ux,uy,uz (arrays velocity) and sx,sy,sz\n"
      "(stretching) follow those of INPUT.\n\n"
      "Examples:\n"
      "  farfield biot-savart ring.csv --core gauss --sigma 0.02 -o velocities.csv\n"
      "  farfield biot-savart wake.npz --core algebraic --sigma 0.01 --stretching \\\n"
      "    --tolerance 1e-4 -o wake-velocities.npz");
}

}  // namespace farfield::cli
