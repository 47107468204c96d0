// Seconds per stage as bars: where the time of a plan and of an evaluation went.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cli/report/numbers.hpp"
#include "cli/report/text.hpp"

namespace farfield::cli {
namespace {

struct Meaning {
  const char* stage;
  const char* words;
};

constexpr std::array<Meaning, 26> meanings = {{
    {"cell", "near images as points"},
    {"images", "all images farther away"},
    {"survey", "extent and shape of the cloud"},
    {"read", "copy the points"},
    {"keys", "number the cells of space"},
    {"sort", "neighbours side by side"},
    {"boxes", "make the tree"},
    {"lists", "who is near, who is far"},
    {"share", "points to their owners"},
    {"rows", "boxes and targets dealt out"},
    {"degree", "how the points lie"},
    {"tables", "translation operators"},
    {"gather", "strengths into tree order"},
    {"p2m", "bodies to multipoles"},
    {"m2m", "multipoles up to parents"},
    {"m2l", "far multipoles to locals"},
    {"p2l", "far bodies to locals"},
    {"l2l", "locals down to children"},
    {"l2p", "locals to targets"},
    {"m2p", "multipoles to targets"},
    {"p2p", "near pairs, one by one"},
    {"spread", "strengths onto the grid"},
    {"convolve", "the kernel, axis by axis"},
    {"interp", "from the grid to targets"},
    {"examine", "the size of the error"},
    {"scatter", "results into your order"},
}};

constexpr int narrowest_with_words = 76;
int bar_width(const Terminal& t) { return t.columns < narrowest_with_words ? 22 : t.columns - 58; }

const char* meaning(const StageReport& s) {
  if (s.building && s.name == "gather") return "points into tree order";
  for (const Meaning& m : meanings)
    if (s.name == m.stage) return m.words;
  return "";
}

/// "    m2l  ██████▌    61 %   52 ms  far multipoles to locals". Bars take what the words leave of a line; where that
/// is little, the words give way.
std::string line(const std::string& name, double seconds, double total, const std::string& words, const Terminal& t) {
  const bool narrow = t.columns < narrowest_with_words;
  const double share = total > 0 ? std::min(1.0, seconds / total) : 0;
  const std::string text = fmt::format("  {} {} {:>4.0f} % {}", pad(name, 9), t.bar(share, bar_width(t)), 100 * share,
                                       pad_left(duration(seconds), 9));
  return text + (narrow ? "" : " " + t.dim("  " + words)) + "\n";
}

/// One half of the story; `wall` is what the clock on the wall said, so that nothing hides between the stages.
std::string half(const char* title, bool building, double wall, const Report& r, const Terminal& t) {
  double sum = 0;
  std::string text;
  for (const StageReport& s : r.stages) {
    if (s.building != building) continue;
    sum += s.seconds;
    // A stage without work, such as m2p on an evenly filled tree, is no news.
    if (s.seconds > 0.0005 * wall) text += line(s.name, s.seconds, wall, meaning(s), t);
  }
  if (wall - sum > 0.01 * wall)
    text += line("other", wall - sum, wall, building ? "survey and choices" : "memory, conditioning", t);
  if (sum > 1.01 * wall)
    text +=
        "  " + t.dim(t.wrap("stages ran side by side: together they took less than the sum of their times", 2)) + "\n";
  const std::string total = duration(wall);
  return t.bold(title) + std::string(static_cast<std::size_t>(20 + bar_width(t) - width_of(title)), ' ') +
         pad_left(total, 9) + "\n" + text;
}

}  // namespace

std::string describe_stages(const Computation& c, const Terminal& t) {
  const Report& r = c.result.report;
  std::string text = half("Plan, once per set of points", true, c.wall.plan, r, t) + "\n";
  text += half("Evaluation, once per set of strengths", false, c.wall.evaluate, r, t) + "\n";
  return text;
}

}  // namespace farfield::cli
