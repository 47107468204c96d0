#include "cli/report/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/report/numbers.hpp"

namespace farfield::cli {
namespace {

double pairs(const Report& r) { return static_cast<double>(r.sources) * static_cast<double>(r.targets); }

std::string input(const SumArguments& a, const Computation& c, const Terminal& t) {
  const auto one = [&](const char* heading, const std::string& path, const io::Bodies& bodies) {
    std::string text = section(heading, printable(path) + ": " + told(bodies), t);
    for (const std::string& warning : bodies.warnings) text += section("", t.warn("warning: ") + printable(warning), t);
    return text;
  };
  return one("Input", a.input, c.sources) + (c.targets ? one("Targets", a.targets, *c.targets) : "");
}

const char* derivatives(const Report& r) {
  return r.hessian ? ", its gradient and Hessian" : r.gradient ? " and its gradient" : "";
}

std::string formula(const Report& r, const Terminal& t) {
  if (r.kernel == "count") return fmt::format("u(x) = {} q_j, a diagnostic: every pair counts 1", t.either("Σ", "sum"));
  const std::string factor = r.scale == 1 ? "" : r.scale == -1 ? t.either("−", "-") : shortest(r.scale) + " ";
  if (r.softening_varies)
    return fmt::format("u(x) = {}{} q_j{}|x {} y_j|{}, softened ({}) by lengths from {} to {}", factor,
                       t.either("Σ", "sum"), t.either(" / ", "/"), t.either("−", "-"), derivatives(r), r.softening_kind,
                       shortest(r.least_softening), shortest(r.softening));
  if (r.softening > 0 && r.softening_kind == "spline")
    return fmt::format("u(x) = {}{} q_j{}|x {} y_j|{}, softened by the spline of length {}", factor,
                       t.either("Σ", "sum"), t.either(" / ", "/"), t.either("−", "-"), derivatives(r),
                       shortest(r.softening));
  if (r.softening > 0)
    return fmt::format("u(x) = {}{} q_j{}{}(|x {} y_j|{} + {}{}){}, softened", factor, t.either("Σ", "sum"),
                       t.either(" / ", "/"), t.either("√", "sqrt"), t.either("−", "-"), t.either("²", "^2"),
                       shortest(r.softening), t.either("²", "^2"), derivatives(r));
  std::vector<std::string> lengths;
  for (const double length : r.cell)
    if (length > 0) lengths.push_back(shortest(length));
  const std::string row =
      r.periodic.empty() ? "" : fmt::format(", repeated along {} every {}", r.periodic, fmt::join(lengths, ", "));
  if (r.kernel == "vortex") {
    const std::string core =
        r.core.empty() ? "" : fmt::format(", cores {} of radius {}", r.core, shortest(r.core_radius));
    return fmt::format("u {} iv = {}{} q_j/(2{}i (z {} z_j)){}{}", t.either("−", "-"), factor, t.either("Σ", "sum"),
                       t.either("π", " pi "), t.either("−", "-"), core,
                       r.potential ? ", and its stream function" : "") +
           row;
  }
  if (r.kernel == "cauchy")
    return fmt::format("f = {}{} q_j/(z {} z_j), z = x + iy", factor, t.either("Σ", "sum"), t.either("−", "-")) + row;
  if (r.kernel == "laplace2d")
    return fmt::format("u(x) = {}{} q_j ({}log |x {} y_j|){}, in the plane", factor, t.either("Σ", "sum"),
                       t.either("−", "-"), t.either("−", "-"), derivatives(r));
  if (r.kernel == "yukawa3d")
    return fmt::format("u(x) = {}{} q_j exp({}{} |x {} y_j|){}|x {} y_j|{}, screened", factor, t.either("Σ", "sum"),
                       t.either("−", "-"), shortest(r.kappa), t.either("−", "-"), t.either(" / ", "/"),
                       t.either("−", "-"), derivatives(r));
  if (r.kernel == "gauss")
    return fmt::format("u(x) = {}{} q_j exp({}|x {} y_j|{} / 2 {}{}){}, {} = {}", factor, t.either("Σ", "sum"),
                       t.either("−", "-"), t.either("−", "-"), t.either("²", "^2"), t.either("σ", "sigma"),
                       t.either("²", "^2"), derivatives(r), t.either("σ", "sigma"), shortest(r.bandwidth));
  const std::string minus = t.either("−", "-"), over = t.either(" / ", "/");
  const std::string dipoles = r.dipoles ? fmt::format(" + p_j{}(x {} y_j){}|x {} y_j|{}", t.either("·", "."), minus,
                                                      over, minus, t.either("³", "^3"))
                                        : "";
  return fmt::format("u(x) = {}{} q_j{}|x {} y_j|{}{}, unsoftened", factor, t.either("Σ", "sum"), over, minus, dipoles,
                     derivatives(r)) +
         row;
}

/// What an error is measured against.
std::string norm(const Report& r) {
  const bool of_gradient = r.tolerance_for == "gradient";
  if (r.relative_to != "strengths")
    return of_gradient ? "relative error of the " + r.vector + " at most {}, L2 over all targets"
                       : "relative error at most {}, L2 over all targets";
  return r.gradient ? "errors at most {} of the sum of |strengths|, of gradients this over the bandwidth"
                    : "error at most {} of the sum of |strengths|, at every target";
}

std::string words_of_method(const Report& r) {
  if (r.method == "fmm") return "fast multipole method";
  if (r.method == "treecode") return "treecode";
  if (r.method == "cutoff") return "sums over near pairs, cell by cell,";
  if (r.method == "grid") return "grid: spread, convolve, interpolate,";
  return "direct sum over all pairs";
}

std::string task(const Computation& c, const Terminal& t) {
  const Report& r = c.result.report;
  const std::string place = c.targets ? fmt::format("at {}", plural(r.targets, "target", "targets")) : "at the bodies";
  const std::string machine =
      r.backend == "cuda" ? r.device + " (cuda)"
      : r.backend == "hybrid"
          ? fmt::format("{} and {}, {} (hybrid)", r.device, r.simd, plural(r.threads, "thread", "threads"))
          : fmt::format("{}, {}, {}", r.backend, r.simd, plural(r.threads, "thread", "threads"));
  const std::string each =
      c.ranks && c.ranks->ranks.size() > 1 ? fmt::format(" on each of {} ranks", c.ranks->ranks.size()) : "";
  const std::string dipoles = r.dipoles && r.softening > 0 ? ", of charges and dipoles" : "";
  const std::string densities = r.vectors > 1 ? fmt::format(", of {} densities", r.vectors) : "";
  return section("Sum", formula(r, t) + dipoles + ", " + place + densities, t) +
         section("Asked", fmt::format(fmt::runtime(norm(r)), shortest(r.tolerance)), t) +
         section("Method", words_of_method(r) + (" on " + machine) + each, t);
}

std::string choices(const Report& r, const Terminal& t) {
  int names = 0;
  for (const Choice& c : r.choices) names = std::max(names, width_of(c.name));
  std::string text = t.bold("Choices") + "\n";
  for (const Choice& c : r.choices) {
    const bool shown_apart = c.value.size() <= 9;  // in a column of its own, which longer values would break
    text += "  " + pad(c.name, names) + "  " + (shown_apart ? pad(c.value, 9) + "  " : "") +
            t.wrap(shown_apart ? c.reason : c.value + ", " + c.reason, names + (shown_apart ? 15 : 4)) + "\n";
  }
  return text;
}

std::string tree(const Report& r, const Terminal& t) {
  if (r.boxes == 0) return "";
  const std::string shape = fmt::format("{}, {}, {}", plural(r.levels, "level", "levels"),
                                        plural(r.boxes, "box", "boxes"), plural(r.leaves, "leaf", "leaves"));
  const std::string far = fmt::format("{} of {} pairs go through expansions", percent(r.far_fraction), about(pairs(r)));
  return section("Tree", shape, t) + (pairs(r) > 0 ? section("", far, t) : "");
}

/// 1.2, 46, 1,300
std::string times_of(double ratio) {
  return ratio < 9.95 ? fmt::format("{:.1f}", ratio) : grouped(std::llround(std::min(ratio, 1e15)));
}

std::string speed(const Computation& c, const Terminal& t) {
  const Report& r = c.result.report;
  const double whole = c.wall.plan + c.wall.evaluate;
  if (r.targets == 0 || c.wall.evaluate <= 0) return "";
  const auto rate = [&](double seconds) { return about(static_cast<double>(r.targets) / seconds); };
  std::string text = section(
      "Speed", fmt::format("{} targets per second; {} including the plan", rate(c.wall.evaluate), rate(whole)), t);
  if (r.method == "direct" || r.pairs_per_second <= 0) return text;
  const double direct = pairs(r) / (static_cast<double>(r.pairs_per_second) * std::max(1, r.threads));
  const std::string times = direct > whole ? fmt::format(", {} times as long", times_of(direct / whole)) : "";
  return text +
         section("", fmt::format("a direct sum of {} pairs: about {}{}", about(pairs(r)), duration(direct), times), t);
}

std::string verdict(double error, double tolerance, const Terminal& t) {
  return error <= tolerance ? t.good("pass") : t.bad("MISSED");
}

std::string accuracy(const Report& r, const Terminal& t) {
  if (!r.error) return r.targets > 0 ? section("Error", "not measured; --check 1000 does", t) : "";
  const ErrorReport& e = *r.error;
  const std::string where = e.samples < r.targets ? plural(e.samples, "random target", "random targets")
                            : r.targets == 1      ? "the only target"
                                                  : "all " + grouped(r.targets) + " targets";
  const char* which = r.vectors > 1 ? " of the first density" : "";
  std::string text =
      section("Error",
              fmt::format("{}, on {}{} against direct summation in {}",
                          r.relative_to == "strengths" ? "relative to the sum of |strengths|" : "relative", where,
                          which, duration(e.seconds)),
              t);
  const bool narrow = t.columns < 80;
  const int wide = narrow ? 8 : 10;
  const auto line = [&](const char* name, std::string_view asked, std::string_view norm, std::string_view median,
                        std::string_view p95, std::string_view max) {
    return fmt::format("  {:<{}}{:>{}}{:>{}}{:>{}}{:>{}}{:>{}}", name, narrow ? 9 : 10, asked, wide, norm, wide + 2,
                       median, wide, p95, wide, max, wide);
  };
  text += t.dim(line("", "asked", "measured", "median", "95 %", "worst")) + "\n";
  const auto row = [&](const char* name, double norm, double median, double p95, double max) {
    const bool judged = r.tolerance_for != "gradient" || std::string_view(name) != "potential";
    text += line(name, judged ? shortest(r.tolerance) : "-", scientific(norm), scientific(median), scientific(p95),
                 scientific(max)) +
            (narrow ? " " : "    ") + (judged ? verdict(norm, r.tolerance, t) : "") + "\n";
  };
  if (r.potential) row("potential", e.potential, e.potential_median, e.potential_p95, e.potential_max);
  if (r.gradient) row(r.vector.c_str(), e.gradient, e.gradient_median, e.gradient_p95, e.gradient_max);
  if (r.hessian) row("Hessian", e.hessian, e.hessian_median, e.hessian_p95, e.hessian_max);
  return text;
}

/// Half the sum of q u. Strengths of both signs are charges; those of one sign may be masses, which attract.
std::string energy(const Computation& c, const Sums& sums, const Terminal& t) {
  const Report& r = c.result.report;
  if (c.targets || r.kernel != "laplace3d" || r.sources == 0 || r.vectors > 1 || r.dipoles) return "";
  const double sum = sums.energy;
  std::string text = fmt::format("{} q u = {}", t.either("½ Σ", "0.5 sum"), with_digits(sum, 9));
  if (!sums.masses)
    text += ", the electrostatic energy of the charges";
  else if (r.scale == 1 && sum > 0)
    text += fmt::format(" (of masses with G = 1: {}{})", t.either("−", "-"), with_digits(sum, 9));
  return section("Energy", text, t);
}

/// Of the first density: half the sum of d F over pairs and images.
std::string virial(const Computation& c, const Terminal& t) {
  const std::vector<double>& w = c.result.virial;
  if (w.empty()) return "";
  const char* const names[] = {"xx", "yy", "zz", "xy", "xz", "yz"};
  std::string text = c.result.report.vectors > 1 ? "of the first density, " : "";
  for (std::size_t i = 0; i < 6; ++i) text += fmt::format("{}{} {}", i > 0 ? ", " : "", names[i], with_digits(w[i], 9));
  return section("Virial", text, t);
}

std::string memory(const Computation& c, const Terminal& t) {
  if (c.ranks) return section("Memory", bytes(c.ranks->most_memory) + " for the largest of the processes", t);
  return section("Memory",
                 fmt::format("{} for the plan at its peak, {} for the whole process",
                             bytes(c.result.report.memory_bytes), bytes(peak_of_process())),
                 t);
}

std::string warnings(const Report& r, const Terminal& t) {
  std::string text;
  for (const std::string& w : r.warnings) text += t.warn("Warning") + "     " + t.wrap(w, heading_width) + "\n";
  return text.empty() ? text : "\n" + text;
}

std::string files(const Computation& c, const Terminal& t) {
  std::string text;
  for (const std::string& path : c.written) text += section(text.empty() ? "Written" : "", printable(path), t);
  if (text.empty()) text = section("Written", "nothing; -o FILE.npz keeps the results", t);
  return text;
}

std::string file_times(const Computation& c) {
  const std::string written = c.written.empty() ? "" : ", written in " + duration(c.wall.write);
  return "(read in " + duration(c.wall.read) + written + ")";
}

/// Against results that the file itself brings, of an earlier run or of another program.
std::string comparison(const Computation& c, const Sums& sums, const Terminal& t) {
  const Report& r = c.result.report;
  if (!c.at().references_apply) return "";
  std::vector<std::string> parts;
  const auto compare = [&](const char* what, const Difference& d) {
    const double relative = d.squares > 0 ? std::sqrt(d.squares / d.of_theirs) : 0.0;
    if (d.there) parts.push_back(fmt::format("{} {}", what, scientific(relative)));
  };
  compare("potential", sums.potential);
  if (r.vector == "gradient") compare("gradient", sums.gradient);
  compare("Hessian", sums.hessian);
  if (parts.empty()) return "";
  return section("Reference",
                 fmt::format("relative L2 difference to the results in the file: {}", fmt::join(parts, ", ")), t);
}

}  // namespace

std::string section(const char* heading, const std::string& text, const Terminal& t) {
  return (*heading ? t.bold(heading) : "") +
         std::string(static_cast<std::size_t>(heading_width - width_of(heading)), ' ') + t.wrap(text, heading_width) +
         "\n";
}

std::string describe_run(const SumArguments& a, const Computation& c, const Terminal& t) {
  const Report& r = c.result.report;
  const Sums sums = c.ranks ? c.ranks->sums : sums_of(c);
  return input(a, c, t) + task(c, t) + tree(r, t) + describe_ranks(c, t) + "\n" + choices(r, t) + "\n" +
         describe_stages(c, t) + accuracy(r, t) + warnings(r, t) + "\n" + speed(c, t) + energy(c, sums, t) +
         virial(c, t) + comparison(c, sums, t) + memory(c, t) + files(c, t) + section("", file_times(c), t);
}

std::string describe_check(const SumArguments& a, const Computation& c, const Terminal& t) {
  const Report& r = c.result.report;
  std::string text = input(a, c, t) + task(c, t) + describe_ranks(c, t) + "\n";
  text += r.error && r.targets > 0 ? accuracy(r, t) : section("Error", "there is nothing to measure", t);
  text += warnings(r, t) + virial(c, t);
  return c.written.empty() ? text : text + "\n" + files(c, t);
}

}  // namespace farfield::cli
