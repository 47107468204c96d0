#include "cli/report_text.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <cctype>
#include <cmath>

#include "cli/numbers.hpp"

namespace farfield::cli {
namespace {

/// Numbers inside the sentences of others: 1e-06 becomes 1e-6.
std::string tidy(std::string text) {
  for (std::size_t at = text.find("e-0"); at != text.npos; at = text.find("e-0", at + 1))
    if (at > 0 && std::isdigit(static_cast<unsigned char>(text[at - 1]))) text.erase(at + 2, 1);
  return text;
}

double pairs(const Report& r) { return static_cast<double>(r.sources) * static_cast<double>(r.targets); }

std::string input(const SumArguments& a, const Computation& c, const Terminal& t) {
  const auto one = [&](const char* heading, const std::string& path, const io::Bodies& bodies) {
    std::string text = section(heading, path + ": " + told(bodies), t);
    for (const std::string& warning : bodies.warnings) text += section("", t.warn("warning: ") + warning, t);
    return text;
  };
  return one("Input", a.input, c.sources) + (c.targets ? one("Targets", a.targets, *c.targets) : "");
}

std::string formula(const Report& r, const Terminal& t) {
  if (r.kernel == "count") return fmt::format("u(x) = {} q_j, a diagnostic: every pair counts 1", t.either("Σ", "sum"));
  const std::string factor = r.scale == 1 ? "" : r.scale == -1 ? t.either("−", "-") : shortest(r.scale) + " ";
  if (r.softening > 0)
    return fmt::format("u(x) = {}{} q_j{}{}(|x {} y_j|{} + {}{}){}, softened", factor, t.either("Σ", "sum"),
                       t.either(" / ", "/"), t.either("√", "sqrt"), t.either("−", "-"), t.either("²", "^2"),
                       shortest(r.softening), t.either("²", "^2"), r.gradient ? " and its gradient" : "");
  return fmt::format("u(x) = {}{} q_j{}|x {} y_j|{}, unsoftened", factor, t.either("Σ", "sum"), t.either(" / ", "/"),
                     t.either("−", "-"), r.gradient ? " and its gradient" : "");
}

std::string task(const Computation& c, const Terminal& t) {
  const Report& r = c.result.report;
  const std::string place = c.targets ? fmt::format("at {}", plural(r.targets, "target", "targets")) : "at the bodies";
  const std::string machine =
      r.backend == "cuda" ? r.device + " (cuda)"
                          : fmt::format("{}, {}, {}", r.backend, r.simd, plural(r.threads, "thread", "threads"));
  return section("Sum", formula(r, t) + ", " + place, t) +
         section("Asked", fmt::format("relative error at most {}, L2 over all targets", shortest(r.tolerance)), t) +
         section("Method",
                 (r.method == "fmm" ? "fast multipole method" : "direct sum over all pairs") + (" on " + machine), t);
}

std::string choices(const Report& r, const Terminal& t) {
  std::string text = t.bold("Choices") + "\n";
  for (const Choice& c : r.choices) {
    const std::string value = c.value.size() > 9 ? c.value + ", " : "";
    text += "  " + pad(c.name, 11) + " " + (value.empty() ? pad(c.value, 9) + " " : "") +
            wrap(tidy(value + c.reason), value.empty() ? 24 : 14) + "\n";
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

std::string speed(const Computation& c, const Terminal& t) {
  const Report& r = c.result.report;
  const double whole = c.wall.plan + c.wall.evaluate;
  if (r.targets == 0 || c.wall.evaluate <= 0) return "";
  const auto rate = [&](double seconds) { return about(static_cast<double>(r.targets) / seconds); };
  std::string text = section(
      "Speed", fmt::format("{} targets per second; {} including the plan", rate(c.wall.evaluate), rate(whole)), t);
  if (r.method == "direct" || r.pairs_per_second <= 0) return text;
  const double direct = pairs(r) / (static_cast<double>(r.pairs_per_second) * std::max(1, r.threads));
  const std::string times = direct > whole ? fmt::format(", {:.2g} times as long", direct / whole) : "";
  return text +
         section("", fmt::format("a direct sum of {} pairs: about {}{}", about(pairs(r)), duration(direct), times), t);
}

std::string verdict(double error, double tolerance, const Terminal& t) {
  return error <= tolerance ? t.good("pass") : t.bad("MISSED");
}

std::string accuracy(const Report& r, const Terminal& t) {
  if (!r.error) return r.targets > 0 ? section("Error", "not measured; --check 1000 does", t) : "";
  const ErrorReport& e = *r.error;
  std::string text =
      t.bold("Error") + fmt::format("       relative, on {} against direct summation in {}\n",
                                    plural(e.samples, "random target", "random targets"), duration(e.seconds));
  text +=
      t.dim(fmt::format("  {:<10}{:>10}{:>12}{:>10}{:>10}{:>10}", "", "asked", "measured", "median", "95 %", "worst")) +
      "\n";
  const auto row = [&](const char* name, double norm, double median, double p95, double max) {
    text += fmt::format("  {:<10}{:>10}{:>12}{:>10}{:>10}{:>10}    {}\n", name, shortest(r.tolerance), scientific(norm),
                        scientific(median), scientific(p95), scientific(max), verdict(norm, r.tolerance, t));
  };
  row("potential", e.potential, e.potential_median, e.potential_p95, e.potential_max);
  if (r.gradient) row("gradient", e.gradient, e.gradient_median, e.gradient_p95, e.gradient_max);
  return text;
}

/// Half the sum of q u. Its sign is that of charges; masses attract.
std::string energy(const Computation& c, const Terminal& t) {
  const Report& r = c.result.report;
  if (c.targets || r.kernel != "laplace3d" || r.sources == 0) return "";
  double sum = 0;
  for (std::size_t i = 0; i < c.result.potential.size(); ++i)
    sum += 0.5 * c.sources.strengths[i] * c.result.potential[i];
  std::string text = fmt::format("{} q u = {:.9g}", t.either("½ Σ", "0.5 sum"), sum);
  if (r.scale == 1 && sum > 0) text += fmt::format(" (of masses with G = 1: {}{:.9g})", t.either("−", "-"), sum);
  return section("Energy", text, t);
}

std::int64_t peak_of_process() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::int64_t>(usage.ru_maxrss) * 1024;  // Linux counts KiB
}

std::string memory(const Report& r, const Terminal& t) {
  return section("Memory",
                 fmt::format("{} for the plan at its peak, {} for the whole process", bytes(r.memory_bytes),
                             bytes(peak_of_process())),
                 t);
}

std::string warnings(const Report& r, const Terminal& t) {
  std::string text;
  for (const std::string& w : r.warnings) text += t.warn("Warning") + "     " + wrap(w, heading_width) + "\n";
  return text.empty() ? text : "\n" + text;
}

std::string files(const Computation& c, const Terminal& t) {
  std::string text;
  for (const std::string& path : c.written) text += section(text.empty() ? "Written" : "", path, t);
  return text.empty() ? section("Written", "nothing; -o FILE.npz keeps the results", t) : text;
}

double relative_difference(const std::vector<double>& ours, const std::vector<double>& theirs) {
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    difference += (ours[i] - theirs[i]) * (ours[i] - theirs[i]);
    size += theirs[i] * theirs[i];
  }
  return difference > 0 ? std::sqrt(difference / size) : 0.0;
}

/// Against results that the file itself brings, computed by others or by an earlier run.
std::string comparison(const Computation& c, const Terminal& t) {
  std::vector<std::string> parts;
  const auto compare = [&](const char* what, const std::vector<double>& ours, const std::vector<double>& theirs) {
    if (!ours.empty() && ours.size() == theirs.size())
      parts.push_back(fmt::format("{} {}", what, scientific(relative_difference(ours, theirs))));
  };
  compare("potential", c.result.potential, c.at().reference_potential);
  compare("gradient", c.result.gradient, c.at().reference_gradient);
  if (parts.empty()) return "";
  return section("Reference",
                 fmt::format("relative L2 difference to the results in the file: {}", fmt::join(parts, ", ")), t);
}

}  // namespace

std::string section(const char* heading, const std::string& text, const Terminal& t) {
  return (*heading ? t.bold(heading) : "") +
         std::string(static_cast<std::size_t>(heading_width - width_of(heading)), ' ') + wrap(text, heading_width) +
         "\n";
}

std::string describe_run(const SumArguments& a, const Computation& c, const Terminal& t) {
  const Report& r = c.result.report;
  return input(a, c, t) + task(c, t) + tree(r, t) + "\n" + choices(r, t) + "\n" + describe_stages(c, t) +
         accuracy(r, t) + warnings(r, t) + "\n" + speed(c, t) + energy(c, t) + comparison(c, t) + memory(r, t) +
         files(c, t) +
         section("", fmt::format("(read in {}, written in {})", duration(c.wall.read), duration(c.wall.write)), t);
}

std::string describe_check(const SumArguments& a, const Computation& c, const Terminal& t) {
  const Report& r = c.result.report;
  std::string text = input(a, c, t) + task(c, t) + "\n";
  text += r.error && r.targets > 0 ? accuracy(r, t) : section("Error", "there is nothing to measure", t);
  text += warnings(r, t);
  return c.written.empty() ? text : text + "\n" + files(c, t);
}

}  // namespace farfield::cli
