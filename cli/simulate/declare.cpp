// The options of `farfield simulate`.
#include "cli/arguments.hpp"
#include "cli/report/values.hpp"
#include "cli/simulate/record.hpp"
#include "cli/softening/lengths.hpp"

namespace farfield::cli {
namespace {

void add_view(CLI::App& app, std::vector<double>& view) {
  const auto take = [&view](const std::string& text) {
    view.clear();
    for (const std::string& part : split(text)) view.push_back(parse_number(part));
    if (view.size() != 4)
      throw CLI::ValidationError("'" + text + "' is not four numbers; write LEFT,RIGHT,LOW,HIGH",
                                 CLI::ExitCodes::ValidationError);
  };
  add_parsed(app, "--view", take, "Limits of the frames (default: the first's)")->type_name("L,R,B,T");
}

void add_course(CLI::App& app, SimulateArguments& a) {
  const auto take_dt = [&a](const std::string& text) { a.dt = parse_number(text), a.timed = true; };
  add_parsed(app, "--dt", take_dt, "Length of a step, in the bodies' unit of time")->type_name("T");
  add_count(app, "--steps", a.steps, "How many")->required();
  add_number(app, "--gravity", a.gravity, "Gravitational constant (default 1)")->type_name("G");
  app.add_flag("--resume", a.resume, "Go on from INPUT, a snapshot, as if never stopped");
}

void add_outputs(CLI::App& app, SimulateArguments& a) {
  app.add_option("-o,--output", a.output, "Where all goes (default: INPUT-motion)")->type_name("FOLDER");
  add_count(app, "--energies", a.energies, "Print a row every N steps (default 10)");
  add_count(app, "--snapshots", a.snapshots, "Write one every N steps (default: the last)");
  app.add_flag("--paraview", a.paraview, "With each snapshot a vtp file, and a pvd");
  app.add_flag("--gadget", a.gadget, "With each snapshot one of GADGET, in HDF5");
  add_count(app, "--frames", a.frames, "Draw one every N steps; a movie by ffmpeg");
  add_view(app, a.view);
  add_plot_axis(app, a.plot_axis);
}

/// A run that goes on does so as it was begun; how many threads it takes changes no bit.
void refuse_with_resume(const CLI::App& app) {
  if (app.get_option("--resume")->count() == 0) return;
  std::vector<std::string> names = {"--dt", "--gravity", "--softening-column"};
  const Options any;
  visit_options(any, [&](const OptionText& text, const auto&) {
    if (is_recorded(text)) names.push_back(flag_of(text));
  });
  for (const std::string& name : names)
    if (app.get_option(name)->count() > 0)
      throw CLI::ValidationError(name + " cannot be given with --resume, which goes on as the run was begun",
                                 CLI::ExitCodes::ValidationError);
}

}  // namespace

void add_simulate(CLI::App& parent, SimulateArguments& a) {
  CLI::App& app = *parent.add_subcommand("simulate", "Move the bodies of a file under their gravity");
  app.add_option("INPUT", a.input, "Bodies with masses and velocities; - for a pipe")->required()->type_name("");
  add_course(app, a);
  add_outputs(app, a);
  const auto general = [](const OptionText& text) {
    return is_of_motion(text) && text.where == option::Where::general && text.name != std::string_view("softening");
  };
  add_options(app, a.options, general);
  add_softening(app, a.options, a.softening);
  add_reading(app, a.reading);
  app.add_flag("-q,--quiet", a.quiet, "Print nothing but errors");
  add_options(app, a.options,
              [](const OptionText& text) { return is_of_motion(text) && text.where == option::Where::expert; });
  app.parse_complete_callback([&app] { refuse_with_resume(app); });
  app.footer(
      "Velocities: columns vx, vy, vz; npz: velocities (N, 3); GADGET's own; else the\n"
      "bodies start at rest. Leapfrog (kick, drift, kick) with a fixed step.\n\n"
      "Examples:\n"
      "  farfield generate galaxies -n 20000 --seed 1 -o galaxies.npz\n"
      "  farfield simulate galaxies.npz --dt 0.05 --steps 600 --softening 0.05\n"
      "  farfield simulate galaxies-motion/snapshot_000600.npz --resume --steps 600\n"
      "  farfield simulate snapshot.dat --dt 0.003 --steps 1000 --gravity 43007.1 \\\n"
      "      --softening 1,0.4 --softening-kind spline");
}

}  // namespace farfield::cli
