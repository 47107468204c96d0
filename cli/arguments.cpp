#include "cli/arguments.hpp"

#include <algorithm>
#include <cctype>
#include <farfield/version.hpp>
#include <type_traits>

#include "cli/pages/help.hpp"
#include "cli/report/values.hpp"
#include "cli/softening/lengths.hpp"
#include "cli/terminal.hpp"

namespace farfield::cli {
namespace {

/// Of type int; what exceeds a million is refused by the library, in better words than an overflow has.
CLI::Option* add_small(CLI::App& app, const std::string& name, int& value, const std::string& help) {
  const auto take = [&value](const std::string& text) {
    value = static_cast<int>(std::min<std::int64_t>(parse_count(text), 1'000'000));
  };
  return add_parsed(app, name, take, help)->type_name("N");
}

// An option of options_list.h by its type.
CLI::Option* add(CLI::App& app, const std::string& name, bool& value, const OptionText& text) {
  return app.add_flag(name, value, text.help);
}
CLI::Option* add(CLI::App& app, const std::string& name, int& value, const OptionText& text) {
  return add_small(app, name, value, text.help);
}
CLI::Option* add(CLI::App& app, const std::string& name, std::int64_t& value, const OptionText& text) {
  return add_count(app, name, value, text.help);
}
CLI::Option* add(CLI::App& app, const std::string& /*name*/, std::uint64_t& value, const OptionText& text) {
  return add_seed(app, value, text.help);
}
CLI::Option* add(CLI::App& app, const std::string& name, double& value, const OptionText& text) {
  return add_number(app, name, value, text.help)->type_name(text.sign);
}
template <class Enum>
requires std::is_enum_v<Enum> CLI::Option* add(CLI::App& app, const std::string& name, Enum& value,
                                               const OptionText& text) {
  std::vector<std::pair<std::string, Enum>> words;
  for (const Word<Enum>& one : words_of(Enum{})) words.emplace_back(one.word, one.value);
  return add_word<Enum>(app, name, value, words, text.help);
}

/// Those of a group; --softening is declared by add_softening.
auto of(option::Where where) {
  return [where](const OptionText& text) { return text.where == where && text.name != std::string_view("softening"); };
}

char parse_delimiter(const std::string& text) {
  if (text == "tab") return '\t';
  if (text == "blank" || text == "space") return ' ';
  const bool letter = text.size() == 1 && !std::isalnum(static_cast<unsigned char>(text[0]));
  if (!letter || std::string("+-.\"#_\n\r").find(text[0]) != std::string::npos)
    throw CLI::ValidationError("'" + text + "' is none; use a sign such as ';', or tab, or blank",
                               CLI::ExitCodes::ValidationError);
  return text[0];
}

std::pair<std::string, std::string> parse_column(const std::string& text) {
  const auto equals = text.find('=');
  const std::string role = text.substr(0, equals);
  if (equals == text.npos || equals + 1 == text.size() || (role != "x" && role != "y" && role != "z" && role != "q"))
    throw CLI::ValidationError("'" + text + "' does not name a column for x, y, z or q; write x=NAME,y=NAME",
                               CLI::ExitCodes::ValidationError);
  return {role, text.substr(equals + 1)};
}

std::vector<int> parse_devices(const std::string& text) {
  std::vector<int> devices;
  for (const std::string& part : split(text))
    devices.push_back(static_cast<int>(std::min<std::int64_t>(parse_count(part), 1'000'000)));
  return devices;
}

/// gauss:0.01
void parse_core(const std::string& text, Options& o) {
  const auto colon = text.find(':');
  const std::string word = text.substr(0, colon);
  for (const Word<Core>& one : words_of(Core{}))
    if (one.word == word && one.value != Core::none && colon != text.npos) {
      o.core = one.value;
      return void(o.core_radius = parse_number(text.substr(colon + 1)));
    }
  throw CLI::ValidationError("'" + text + "' is none; write gauss:RADIUS or rankine:RADIUS",
                             CLI::ExitCodes::ValidationError);
}

void add_sum(CLI::App& app, SumArguments& a) {
  Options& o = a.options;
  app.add_option("INPUT", a.input, "Bodies: csv, npz, ply, ...; - for a pipe")->required()->type_name("");
  add_options(app, o, of(option::Where::general));
  add_softening(app, o, a.softening);
  add_parsed(
      app, "--core", [&o](const std::string& text) { parse_core(text, o); }, "Core of vortices: gauss:R or rankine:R")
      ->type_name("KIND:R");
  add_parsed(
      app, "--cell", [&a](const std::string& text) { parse_cell(text, a.cell); },
      "Lengths of the cell, or its three vectors")
      ->type_name("L,...");
  add_parsed(
      app, "--devices", [&a](const std::string& text) { a.devices = parse_devices(text); },
      "GPUs that share the sum, from 0")
      ->type_name("I,...");
  app.add_option("--targets", a.targets, "Sum at these points, not at the bodies")->type_name("FILE");
  app.add_option("-o,--output", a.output, "Results: .npz, .csv or .npy; - for a pipe")->type_name("FILE");
  add_output_format(app, a.format);
  app.add_option("--report", a.report, "Write the whole report as JSON")->type_name("FILE");
  app.add_option("--plot", a.plot, "Draw the points, coloured by result: PNG")->type_name("FILE");
  add_plot_axis(app, a.plot_axis);
  add_reading(app, a.reading);
  app.add_flag("-q,--quiet", a.quiet, "Print nothing but errors");
  add_options(app, o, of(option::Where::expert));
}

void add_run(CLI::App& app, SumArguments& a) {
  CLI::App& run = *app.add_subcommand("run", "Sum over the bodies of a file");
  add_sum(run, a);
  run.footer(
      "Formats of INPUT: csv, npy, npz, obj, ply, xyz, gro, LAMMPS data, GADGET,\n"
      "ScaFaCoS; also .gz\n\n"
      "Examples:\n"
      "  farfield run stars.npz -o potential.npz\n"
      "  farfield run stars.csv --gradient --tolerance 1e-9 --check 1000 -o forces.csv\n"
      "  farfield run ions.csv --scale 0.0795774715 --targets grid.csv -o field.csv\n"
      "  farfield run quakes.csv --columns x=Longitude,y=Latitude,z=0,q=Magnitude\n"
      "  zcat stars.csv.gz | farfield run - -o - --format npy >potential.npy\n"
      "  farfield run galaxies.npz --plot galaxies.png --report run.json\n"
      "  farfield run stars.npz --devices 0,1 -o potential.npz   # two GPUs\n"
      "  mpirun -n 4 farfield run stars.npz -o potential.npz   # where built with MPI");
}

void add_check(CLI::App& app, SumArguments& a) {
  CLI::App& check = *app.add_subcommand("check", "Measure the error; exit code 1 if missed");
  a.options.check = 1000;
  add_sum(check, a);
  check.get_option("--check")->description("On so many random targets (default 1000)");
  check.footer(
      "Examples:\n"
      "  farfield check stars.npz --gradient\n"
      "  farfield check stars.npz --tolerance 1e-9 --check 1e4 --seed 7\n"
      "  farfield check stars.npz --degree 4 && echo 'degree 4 suffices'");
}

void add_generate(CLI::App& app, GenerateArguments& a) {
  CLI::App& generate = *app.add_subcommand("generate", "Make bodies to try Farfield on");
  std::string kinds = "Kinds:\n";
  for (const io::GeneratorKind& kind : io::generator_kinds())
    kinds += "  " + kind.name + std::string(kind.name.size() < 14 ? 14 - kind.name.size() : 1, ' ') +
             Terminal::of(stdout).wrap(kind.summary, 16) + "\n";
  generate.add_option("KIND", a.kind, "What to make; the kinds are listed below")->required()->type_name("");
  add_count(generate, "-n,--count", a.n, "How many, 60000 or 1e6")->required();
  add_seed(generate, a.seed, "Other seed, other bodies (default 0)");
  add_word<io::Strengths>(generate, "--strengths", a.strengths,
                          {{"natural", io::Strengths::natural},
                           {"unit", io::Strengths::unit},
                           {"positive", io::Strengths::positive},
                           {"mixed", io::Strengths::mixed}},
                          "The kind's; 1; in (0,1); in (-1/2,1/2)");
  generate.add_flag("--dipoles", a.dipoles, "Add dipoles: columns dx, dy, dz in (-1/2,1/2)");
  generate.add_option("-o,--output", a.output, "Where to: .npz, .csv or .npy; - for a pipe")
      ->type_name("FILE")
      ->required();
  add_output_format(generate, a.format);
  generate.footer(kinds +
                  "\nExamples:\n"
                  "  farfield generate galaxies -n 60000 --seed 1 -o galaxies.npz\n"
                  "  farfield generate uniform -n 1e6 --strengths mixed -o salt.npz");
}

void add_info(CLI::App& app, std::string& file, io::Reading& reading) {
  CLI::App& info = *app.add_subcommand("info", "What this machine offers, or a file holds");
  info.add_option("FILE", file, "A file of bodies; - for a pipe")->type_name("");
  add_reading(info, reading);
  info.footer("Examples:\n  farfield info\n  farfield info stars.npz");
}

void add_bench(CLI::App& app, BenchArguments& a) {
  CLI::App& bench = *app.add_subcommand("bench", "Measure speed and error on generated bodies");
  bench.add_option("--n", a.counts, "Numbers of bodies (default 1e5,1e6)")->type_name("N,...");
  bench.add_option("--dist", a.kinds, "Kinds (default uniform,sphere,plummer)")->type_name("KIND,...");
  bench.add_option("--tolerance", a.tolerances, "Tolerances (default 1e-3,1e-6,1e-9)")->type_name("X,...");
  add_count(bench, "--repeat", a.repeat, "Timed runs, the median counts (default 3)");
  add_options(bench, a.options, [](const OptionText& text) {
    const std::string names[] = {"gradient", "precision", "backend", "threads", "simd"};
    return std::find(std::begin(names), std::end(names), text.name) != std::end(names);
  });
  bench.add_option("--json", a.json, "Write all figures as JSON")->type_name("FILE");
  bench.footer(
      "Each case runs once for its error, then --repeat times in turn with all others.\n\n"
      "Examples:\n"
      "  farfield bench\n"
      "  farfield bench --n 1e6 --dist uniform --tolerance 1e-6 --gradient --repeat 5");
}

/// `help` for people; the other two are for the build, which installs what they print.
void add_pages(CLI::App& app, Arguments& a) {
  CLI::App& help = *app.add_subcommand("help", "Print the help of a subcommand");
  help.add_option("COMMAND", a.help_of, "Which; none: of all")->type_name("");
  help.footer("Examples:\n  farfield help run");
  CLI::App& completion = *app.add_subcommand("completion", "Print the completion of a shell")->group("");
  add_word<int>(completion, "SHELL", a.shell, {{"bash", 0}}, "Which shell")->required();
  app.add_subcommand("man", "Print the manual page")->group("");
}

}  // namespace

/// remove_net_force is --remove-net-force here.
template <class Value>
static void add_one(CLI::App& app, const OptionText& text, Value& value) {
  std::string name = std::string("--") + text.name;
  std::replace(name.begin(), name.end(), '_', '-');
  CLI::Option* added = add(app, name, value, text);
  if (text.where == option::Where::expert) added->group("Expert");
}

void add_options(CLI::App& app, Options& o, const std::function<bool(const OptionText&)>& wanted) {
  visit_options(o, [&](const OptionText& text, auto& value) {
    if (text.where != option::Where::interface_only && wanted(text)) add_one(app, text, value);
  });
}

void add_coulomb_options(CLI::App& app, CoulombOptions& o) {
  visit_coulomb_options(o, [&](const OptionText& text, auto& value) {
    if (text.where != option::Where::interface_only && text.name != std::string_view("surface"))
      add_one(app, text, value);
  });
}

void add_reading(CLI::App& app, io::Reading& reading) {
  std::vector<std::pair<std::string, std::string>> words;
  for (const std::string& name : io::input_formats()) words.emplace_back(name, name);
  add_word<std::string>(app, "--input-format", reading.format, words, "Format of INPUT, else told by content")
      ->type_name("FORMAT");
  const auto take_delimiter = [&reading](const std::string& text) { reading.delimiter = parse_delimiter(text); };
  add_parsed(app, "--delimiter", take_delimiter, "Of csv, else told by the header: ; tab blank")->type_name("C");
  const auto take_columns = [&reading](const std::string& text) {
    for (const std::string& part : split(text)) reading.columns.push_back(parse_column(part));
  };
  add_parsed(app, "--columns", take_columns, "Columns of csv: x=Lon,y=Lat,z=0,q=Mass")->type_name("x=NAME,...");
}

void parse_cell(const std::string& text, std::vector<double>& lengths) {
  lengths.clear();
  for (const std::string& part : split(text)) lengths.push_back(parse_number(part));
}

CLI::Option* add_output_format(CLI::App& app, std::string& format) {
  return add_word<std::string>(app, "--format", format, {{"csv", "csv"}, {"npz", "npz"}, {"npy", "npy"}},
                               "Of the results, else told by -o's name");
}

void add_plot_axis(CLI::App& app, std::string& axis) {
  add_word<std::string>(app, "--plot-axis", axis, {{"x", "x"}, {"y", "y"}, {"z", "z"}},
                        "Look along it (default: the shortest)");
}

/// What the command is, whatever its subcommands.
static void declare_frame(CLI::App& app) {
  app.description(
      "Farfield computes u(x) = sum_j q_j / |x - y_j| for all pairs of bodies, and its\n"
      "gradient, in linear time and to the accuracy that you ask for.");
  app.set_version_flag("-V,--version", std::string("farfield ") + FARFIELD_VERSION, "Print the version and exit");
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.require_subcommand(1);
  app.formatter(help_formatter());
  app.name("farfield");
}

static constexpr const char* exit_codes =
    "Exit codes: 0 ok, 1 accuracy missed, 2 usage, 3 input, 4 device, 5 memory,\n"
    "6 output, 7 internal error.";

void declare(CLI::App& app, Arguments& a) {
  declare_frame(app);
  add_run(app, a.run);
  add_check(app, a.check);
  add_simulate(app, a.simulate);
  add_kde(app, a.kde);
  add_coulomb(app, a.coulomb);
  add_biot_savart(app, a.biot_savart);
  add_generate(app, a.generate);
  add_info(app, a.info_file, a.info_reading);
  add_bench(app, a.bench);
  add_pages(app, a);
  app.set_help_all_flag("--help-all", "Print the help of all subcommands and exit");
  app.footer(
      "Examples:\n"
      "  farfield generate galaxies -n 60000 --seed 1 -o galaxies.npz\n"
      "  farfield run galaxies.npz --gradient --check 1000 -o potential.npz\n"
      "  farfield run --help\n\n" +
      std::string(exit_codes));
}

void declare_for_ranks(CLI::App& app, Arguments& a) {
  declare_frame(app);
  app.name("farfield-mpi");
  add_run(app, a.run);
  add_check(app, a.check);
  const std::string not_offered =
      "Not over several processes: other formats than npy and npz in parts (each\n"
      "reads the whole file), pipes, plots, softening by types. With --backend cuda\n"
      "the processes of a machine share its GPUs out, and periodic axes, virials,\n"
      "softening, cores, dipoles, Hessians and kernel yukawa3d are not offered.\n\n";
  app.get_subcommand("run")->footer(not_offered +
                                    "Examples:\n"
                                    "  mpirun -n 4 farfield-mpi run stars.npz --gradient -o forces.npz\n"
                                    "  srun -n 16 farfield-mpi run stars.npz -o potential.npy --report run.json");
  app.get_subcommand("check")->footer(not_offered + "Examples:\n  mpirun -n 4 farfield-mpi check stars.npz --gradient");
  app.footer(
      "The subcommands of farfield that processes of MPI share: each reads its part of\n"
      "the file and writes its part of the output.\n\n"
      "Examples:\n"
      "  mpirun -n 4 farfield-mpi run galaxies.npz --gradient -o potential.npz\n"
      "  mpirun -n 4 farfield run galaxies.npz -o potential.npz    # becomes farfield-mpi\n\n" +
      std::string(exit_codes));
}

}  // namespace farfield::cli
