// Bodies in motion at one time: what a simulation writes as it goes, and begins from.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "io/bodies.hpp"

namespace farfield::io {

using Numbers = std::vector<std::pair<std::string, double>>;

/// Views of what to write. `bodies` brings further columns (types, identifiers); its positions, strengths and columns
/// vx, vy, vz are passed over, since `positions`, `masses` and `velocities` are what they have become.
struct Snapshot {
  const Bodies* bodies = nullptr;
  const std::vector<double>*positions = nullptr, *velocities = nullptr;  ///< 3 n, interleaved
  const std::vector<double>* masses = nullptr;                           ///< n
  const std::vector<double>* potential = nullptr;                        ///< n
  Numbers numbers;                                                       ///< time, step, ...: of the whole
};

/// An npz archive: arrays positions (N, 3), velocities (N, 3), masses (N,), all float64, one (N,) for each column, and
/// the numbers as arrays without dimensions. Each is read again to the last bit. Throws Error(output).
void write_snapshot(const std::string& path, const Snapshot& snapshot);

/// A ParaView file (vtp): the bodies as points with velocity, mass, potential and the columns, float64 of this
/// machine's byte order, and the number `time`. Throws Error(output).
void write_vtp(const std::string& path, const Snapshot& snapshot);

/// One file of a series for ParaView, and its time.
struct Timed {
  double time;
  std::string file;
};

/// The list of a series (pvd); its files lie beside it. Throws Error(output).
void write_pvd(const std::string& path, const std::vector<Timed>& files);

/// The files of such a list; none where there is no file `path`. Throws Error(input).
std::vector<Timed> read_pvd(const std::string& path);

/// A snapshot of GADGET in HDF5: bodies by the column `type` (0 to 5; else 1), identifiers by `id` (else counted from
/// 1). Throws Error(output); Error(usage) where there is no HDF5 in this build.
void write_gadget_hdf5(const std::string& path, const Snapshot& snapshot);
bool has_hdf5();

/// The velocities of `bodies`, 3 n interleaved, from their columns vx, vy and vz; empty where one of them is missing.
std::vector<double> velocities_of(const Bodies& bodies);

/// The columns of `bodies` beside velocities, with names that every format can hold.
struct Named {
  std::string name;
  const std::vector<double>* values;
};
std::vector<Named> other_columns(const Bodies& bodies);

}  // namespace farfield::io
