// The grammar of the command line: subcommands, options, help. What they mean is the business of the files they name.
#pragma once
#include <cstdint>
#include <farfield/coulomb.hpp>
#include <farfield/options.hpp>
#include <functional>
#include <string>
#include <vector>

#include "io/bodies.hpp"
#include "io/generate/generate.hpp"

namespace CLI {  // its headers take 4 s of every file that includes them
class App;
class Option;
}  // namespace CLI

namespace farfield::cli {

struct SofteningArguments {      ///< lengths of bodies themselves; without any, Options::softening is that of all
  std::vector<double> of_types;  ///< one for each type of the bodies, in ascending order
  std::string column;            ///< of a length for each body
};

struct SumArguments {  ///< of `run` and `check`
  std::string input, targets, output, format, report, plot, plot_axis;
  io::Reading reading;
  Options options;
  SofteningArguments softening;
  std::vector<double> cell;  ///< a length for each axis of Options::periodic, or vectors a, b, c
  std::vector<int> devices;  ///< that share the sum, by their numbers; empty: one device, or none
  bool quiet = false;
};

struct GenerateArguments {
  std::string kind, output, format;
  std::int64_t n = 0;
  std::uint64_t seed = 0;
  io::Strengths strengths = io::Strengths::natural;
  bool dipoles = false;
};

struct BenchArguments {
  std::string counts = "1e5,1e6", kinds = "uniform,sphere,plummer", tolerances = "1e-3,1e-6,1e-9", json;
  std::int64_t repeat = 3;
  Options options;
};

struct SimulateArguments {
  std::string input, output, plot_axis;
  io::Reading reading;
  Options options;
  SofteningArguments softening;
  double dt = 0, gravity = 1;
  std::int64_t steps = 0, energies = 10, snapshots = 0, frames = 0;
  std::vector<double> view;  ///< empty, or low and high to the right, low and high upward
  bool timed = false;        ///< --dt was given
  bool resume = false, paraview = false, gadget = false, quiet = false;
};

struct KdeArguments {
  std::string input, targets, weights, bandwidth = "silverman", periodic, output, format, plot, coast;
  io::Reading reading;
  Options options;
  std::vector<std::int64_t> grid;  ///< how many places along each axis; empty: no grid
  std::vector<double> cell;        ///< of each periodic axis
  bool sphere = false, quiet = false;
};

struct BiotSavartArguments {
  std::string input, targets, core, output, format;
  io::Reading reading;
  Options options;  ///< softening: the length of the core
  bool quiet = false;
};

struct CoulombArguments {
  std::string input, output, format, units, periodic, exclude;  ///< empty: what the file has, or suits it
  io::Reading reading;
  Options options;
  CoulombOptions coulomb;
  std::vector<double> cell;                              ///< a length for each periodic axis, or vectors a, b, c
  std::vector<double> special = std::vector<double>(3);  ///< what stays of pairs 1-2, 1-3 and 1-4
  std::vector<double> dipole;                            ///< three numbers, or empty
  std::vector<std::pair<std::string, double>> charges;   ///< of atoms by their names
  double accuracy = 0;                                   ///< LAMMPS'; 0: Options::tolerance counts
  bool quiet = false;
};

struct Arguments {
  SumArguments run, check;
  SimulateArguments simulate;
  KdeArguments kde;
  BiotSavartArguments biot_savart;
  CoulombArguments coulomb;
  GenerateArguments generate;
  BenchArguments bench;
  std::string info_file, help_of;
  io::Reading info_reading;
  int shell = 0;
};

/// All options of the library for which wanted(text) holds; leaf_size is --leaf-size here.
void add_options(CLI::App& app, Options& options, const std::function<bool(const OptionText&)>& wanted);

/// Those of Coulomb sums but for the surface.
void add_coulomb_options(CLI::App& app, CoulombOptions& options);

/// How to read files that do not say it by themselves.
void add_reading(CLI::App& app, io::Reading& reading);

/// The axis to look along.
void add_plot_axis(CLI::App& app, std::string& axis);

CLI::Option* add_output_format(CLI::App& app, std::string& format);

/// Reads 6.28 or 2,3: the cell's length along each periodic axis, or the nine numbers of its vectors.
void parse_cell(const std::string& text, std::vector<double>& lengths);

void add_coulomb(CLI::App& app, CoulombArguments& arguments);
void add_biot_savart(CLI::App& app, BiotSavartArguments& arguments);
void add_kde(CLI::App& app, KdeArguments& arguments);
void add_simulate(CLI::App& app, SimulateArguments& arguments);

/// Declares everything; `arguments` must live as long as `app`.
void declare(CLI::App& app, Arguments& arguments);
/// What processes of MPI share: `run` and `check`.
void declare_for_ranks(CLI::App& app, Arguments& arguments);

}  // namespace farfield::cli
