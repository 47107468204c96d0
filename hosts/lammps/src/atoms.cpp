#include "atoms.hpp"

#include <chrono>
#include <thread>

#include "atom.h"
#include "comm.h"

namespace farfield::lammps {

void Atoms::gather() {
  local_.resize(static_cast<std::size_t>(comm->nprocs));
  MPI_Gather(&atom->nlocal, 1, MPI_INT, local_.data(), 1, MPI_INT, 0, world);
  xyz = gathered(atom->nlocal ? atom->x[0] : nullptr, 3);
  charges = gathered(atom->q, 1);
}

Atoms::Parts Atoms::parts(int each) const {
  Parts all;
  int next = 0;
  for (const int n : local_) {
    all.count.push_back(each * n), all.begin.push_back(next);
    next += each * n;
  }
  return all;
}

std::vector<double> Atoms::gathered(const double* own, int each) const {
  const auto [count, begin] = parts(each);
  std::vector<double> all(comm->me == 0 ? static_cast<std::size_t>(begin.back() + count.back()) : 0);
  MPI_Gatherv(own, each * atom->nlocal, MPI_DOUBLE, all.data(), count.data(), begin.data(), MPI_DOUBLE, 0, world);
  return all;
}

std::vector<double> Atoms::scatter(const double* all, int each) const {
  const auto [count, begin] = parts(each);
  std::vector<double> own(static_cast<std::size_t>(each) * static_cast<std::size_t>(atom->nlocal));
  MPI_Scatterv(all, count.data(), begin.data(), MPI_DOUBLE, own.data(), each * atom->nlocal, MPI_DOUBLE, 0, world);
  return own;
}

static void wait_asleep(MPI_Request request) {
  for (int done = 0; !done;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (!done) std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
}

void broadcast(News& news, MPI_Comm world) {
  std::array<double, 8> sent{};  // the length of the sentence and the numbers
  sent[0] = static_cast<double>(news.failure.size());
  std::copy(news.numbers.begin(), news.numbers.end(), sent.begin() + 1);
  MPI_Request request;
  MPI_Ibcast(sent.data(), 8, MPI_DOUBLE, 0, world, &request);
  wait_asleep(request);
  std::copy(sent.begin() + 1, sent.end(), news.numbers.begin());
  news.failure.resize(static_cast<std::size_t>(sent[0]));
  MPI_Bcast(news.failure.data(), static_cast<int>(news.failure.size()), MPI_CHAR, 0, world);
}

int ranks_of_host(MPI_Comm world) {
  MPI_Comm host;
  int count = 1;
  MPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  MPI_Comm_size(host, &count);
  MPI_Comm_free(&host);
  return count;
}

}  // namespace farfield::lammps
