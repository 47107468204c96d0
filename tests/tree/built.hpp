// A tree with what it was built from, as the tests of boxes and lists want it.
#pragma once
#include <string>
#include <vector>

#include "backends/cpu/boxes/tree.hpp"
#include "backends/cpu/transfer/survey.hpp"
#include "tree/clouds.hpp"

namespace farfield::test {

struct Input {
  std::string name;
  Cloud sources, targets;
  bool alike = true;
};

/// All clouds with themselves, with other targets, and with targets outside.
inline std::vector<Input> all_inputs(std::int64_t n, unsigned seed) {
  std::vector<Input> inputs;
  for (const NamedCloud& cloud : all_clouds()) inputs.push_back({cloud.name, cloud.make(n, seed), {}, true});
  for (const NamedCloud& cloud : all_clouds())
    inputs.push_back({cloud.name + " with other targets", cloud.make(n, seed), cloud.make(n / 2, seed + 1), false});
  Cloud outside = all_clouds()[0].make(n, seed + 2), inside = all_clouds()[2].make(n, seed + 3);
  for (double& x : outside) x += 1.25;
  inputs.push_back({"targets outside", all_clouds()[0].make(n, seed), outside, false});
  inputs.push_back({"targets within", all_clouds()[1].make(n, seed), inside, false});
  inputs.push_back({"one target", all_clouds()[0].make(n, seed), {0.3, 0.3, 0.3}, false});
  inputs.push_back({"one source", {0.3, 0.3, 0.3}, all_clouds()[0].make(n, seed), false});
  inputs.push_back({"no targets", all_clouds()[0].make(n, seed), {}, false});
  inputs.push_back({"no sources", {}, all_clouds()[0].make(n, seed), false});
  inputs.push_back({"one point", {1, 2, 3}, {}, true});
  inputs.push_back({"nothing", {}, {}, true});
  return inputs;
}

inline cpu::CpuTree built_from(const Input& input, const TreeOptions& options) {
  const Points sources = points(input.sources), targets = points(input.targets);
  const Points* separate = input.alike ? nullptr : &targets;
  cpu::CpuTree built;
  cpu::build(built, sources, separate, cpu::survey(sources, separate, options.threads), options);
  return built;
}

}  // namespace farfield::test
