#include "cli/launch/launch.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <farfield/error.hpp>
#include <filesystem>
#include <optional>
#include <string_view>

namespace farfield::cli {
namespace {

struct Variables {
  const char *ranks, *rank;
};
// Of Open MPI, of MPICH and those made from it (Intel, Cray), of MVAPICH, of Slurm. Slurm's SLURM_NTASKS is also set in
// the script of a job, which runs once.
constexpr std::array<Variables, 4> known = {{{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
                                             {"PMI_SIZE", "PMI_RANK"},
                                             {"MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK"},
                                             {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"}}};

std::optional<int> number_in(const char* variable) {
  const char* const text = std::getenv(variable);
  if (!text) return std::nullopt;
  const std::string_view digits = text;
  int number = 0;
  const auto [end, trouble] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return trouble == std::errc() && end == digits.data() + digits.size() ? std::optional(number) : std::nullopt;
}

/// Empty where the system does not tell where this program is.
std::filesystem::path sibling(const char* name) {
  std::error_code trouble;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", trouble);
  return trouble ? std::filesystem::path() : self.parent_path() / name;
}

}  // namespace

Launch launched() {
  for (const Variables& names : known) {
    const auto ranks = number_in(names.ranks), rank = number_in(names.rank);
    if (ranks && rank && *ranks > 1 && *rank >= 0 && *rank < *ranks) return {*ranks, *rank};
  }
  return {};
}

bool settle_launch(const Launch& launch, const std::string& name, char** words) {
  if (launch.ranks == 1) return true;
  const auto pages = {"info", "help", "completion", "man"};
  if (std::find(pages.begin(), pages.end(), name) != pages.end()) return launch.first();
  if (name != "run" && name != "check")
    throw Error(ErrorCode::usage, fmt::format("{} runs in one process, but {} were started; start it without mpirun",
                                              name, launch.ranks));
  const std::string program = sibling("farfield-mpi").string();
  if (!program.empty()) ::execv(program.c_str(), words);
  throw Error(
      ErrorCode::usage,
      fmt::format("{} processes were started, but no farfield-mpi stands beside this program to share the work; "
                  "build Farfield where MPI is found, or start one process",
                  launch.ranks));
}

}  // namespace farfield::cli
