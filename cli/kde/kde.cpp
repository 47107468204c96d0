// `farfield kde`: the density of points by Gaussian kernels.
#include <chrono>
#include <farfield/error.hpp>

#include "cli/commands.hpp"
#include "cli/compute.hpp"
#include "cli/kde/results.hpp"
#include "cli/report/numbers.hpp"
#include "cli/terminal.hpp"
#include "io/map/outline.hpp"
#include "io/results.hpp"

namespace farfield::cli {
namespace {

void require_names(const KdeArguments& a) {
  const auto refuse = [](const std::string& sentence) { throw Error(ErrorCode::usage, sentence); };
  if (!a.output.empty()) io::output_format(a.output, a.format);
  if (a.output.empty() && !a.format.empty())
    refuse("--format is that of the density; name a file for it with --output, or - for a pipe");
  if (!a.plot.empty() && a.plot != "-" && !a.plot.ends_with(".png") && !a.plot.ends_with(".PNG"))
    refuse(a.plot + ": pictures are written as PNG only; use a name that ends in .png");
  if (a.plot.empty() && !a.coast.empty()) refuse("--coast is drawn in a picture; ask for one with --plot FILE.png");
  if (!a.plot.empty() && (a.plot == a.output || a.plot == a.input || a.plot == a.targets || a.plot == a.coast))
    refuse("--plot would overwrite another file of this command; give it a name of its own");
  if (a.input == "-" && a.targets == "-")
    refuse("points and targets cannot both come from standard input; name a file for one");
}

void require_error(const Report& r) {
  if (!r.error || r.error->potential <= r.tolerance) return;
  throw Error(ErrorCode::accuracy, "the error is " + scientific(r.error->potential) +
                                       " of the sum of weights, more than "
                                       "the tolerance " +
                                       shortest(r.tolerance));
}

}  // namespace

void kde(const KdeArguments& a) {
  require_names(a);
  for (const std::string* path : {&a.output, &a.plot}) require_writable(*path);
  if (!a.coast.empty()) io::read_outlines(a.coast);  // refused before the work, not after it
  Progress progress(a.quiet);
  const Question question = read_question(a, progress);
  progress("summing");
  const auto start = std::chrono::steady_clock::now();
  const density::Estimate estimate = answer(question, question.targets, a.options);
  Told told{std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), {}};
  if (!a.output.empty()) {
    progress("writing " + a.output);
    write_density(a, question, estimate.density);
    told.written.push_back(a.output == "-" ? "standard output" : a.output);
  }
  if (!a.plot.empty()) {
    progress("drawing " + a.plot);
    draw_density(a, question, estimate.density);
    told.written.push_back(a.plot);
  }
  progress.clear();
  const bool taken = a.output == "-" || a.plot == "-";
  if (!a.quiet) print(describe_kde(a, question, estimate, told), taken ? stderr : stdout);
  require_error(estimate.report);
}

}  // namespace farfield::cli
