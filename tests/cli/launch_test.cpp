// What launchers of MPI tell a program that they start.
#include "cli/launch/launch.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <farfield/error.hpp>

namespace farfield::cli {
namespace {

/// The environment of a test: what launchers set is gone before and after it.
class Launching : public ::testing::Test {
 protected:
  void SetUp() override { clear(); }
  void TearDown() override { clear(); }
  static void clear() {
    for (const char* name :
         {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "PMI_SIZE", "PMI_RANK", "MV2_COMM_WORLD_SIZE",
          "MV2_COMM_WORLD_RANK", "SLURM_STEP_NUM_TASKS", "SLURM_NTASKS", "SLURM_PROCID"})
      unsetenv(name);
  }
  static void expect(int ranks, int rank) {
    EXPECT_EQ(launched().ranks, ranks);
    EXPECT_EQ(launched().rank, rank);
  }
};

TEST_F(Launching, IsNoneByItself) { expect(1, 0); }

TEST_F(Launching, IsToldByEachLauncher) {
  const char* const names[][2] = {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
                                  {"PMI_SIZE", "PMI_RANK"},
                                  {"MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK"},
                                  {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"}};
  for (const auto& [size, rank] : names) {
    setenv(size, "4", 1), setenv(rank, "3", 1);
    expect(4, 3);
    clear();
  }
}

TEST_F(Launching, IsNoneInTheScriptOfAJob) {
  setenv("SLURM_NTASKS", "4", 1), setenv("SLURM_PROCID", "0", 1);
  expect(1, 0);
}

TEST_F(Launching, IsNoneWhereTheWordsMakeNoSense) {
  for (const char* ranks : {"", "many", "-3", "4x"}) {
    setenv("OMPI_COMM_WORLD_SIZE", ranks, 1), setenv("OMPI_COMM_WORLD_RANK", "1", 1);
    expect(1, 0);
  }
  setenv("OMPI_COMM_WORLD_SIZE", "4", 1), setenv("OMPI_COMM_WORLD_RANK", "4", 1);
  expect(1, 0);
}

TEST_F(Launching, SettlesWhatRuns) {
  char name[] = "farfield";
  char* words[] = {name, nullptr};
  EXPECT_TRUE(settle_launch({1, 0}, "run", words));
  EXPECT_TRUE(settle_launch({3, 0}, "info", words));
  EXPECT_FALSE(settle_launch({3, 2}, "man", words));
  EXPECT_THROW(settle_launch({3, 0}, "simulate", words), Error);
  EXPECT_THROW(settle_launch({3, 0}, "run", words), Error);  // no farfield-mpi stands beside this test
}

}  // namespace
}  // namespace farfield::cli
