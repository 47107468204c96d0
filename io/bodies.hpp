// What a file of bodies brings: positions, strengths and whatever stood beside them; and the two ways to read one.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace farfield::io {

/// One number per body that Farfield does not use but hands on to the output (velocities, identifiers, ...).
struct Column {
  std::string name;
  std::vector<double> values;
};

struct Bodies {
  std::vector<double> positions;            ///< 3 n, interleaved x y z, in the file's unit of length
  std::vector<double> strengths;            ///< n; empty where `read_points` found none
  std::vector<Column> extra;                ///< n values each, carried through
  std::string description;                  ///< one line: what the file is, and its units where the format states them
  bool single = false;                      ///< coordinates came as float32
  std::vector<double> reference_potential;  ///< n, where the file brings potentials computed by others; else empty
  std::vector<double> reference_gradient;   ///< 3 n, interleaved, likewise (a file's field is minus the gradient)
  std::vector<double> reference_hessian;    ///< 6 n, interleaved, likewise: xx yy zz xy xz yz
  bool references_apply = true;             ///< false: they are of another sum, such as that of a periodic system
  std::vector<std::pair<std::string, double>> numbers;  ///< of the whole, where the file brings any: time, step
  std::vector<double> cell;        ///< 9: vectors a, b, c of the cell, one behind the other; empty where none is stated
  std::array<bool, 3> periodic{};  ///< along a, b, c. gro and LAMMPS do not say: as these programs take a box
  std::array<double, 3> origin{};  ///< the cell's corner, zero where the file states none
  std::size_t up = 2;              ///< the axis that points up by custom of the format: z, in models y
  std::vector<std::string> warnings;  ///< sentences the user should see: what was ignored and why
  std::optional<std::int64_t> whole;  ///< bodies of the file, where these are a part of them (parts/part.hpp)

  std::int64_t count() const { return static_cast<std::int64_t>(positions.size() / 3); }
  std::int64_t all() const { return whole.value_or(count()); }
};

/// How to read, where a file does not say it by itself.
struct Reading {
  std::string format;     ///< one of `input_formats()`; empty: told by the first bytes or the extension
  char delimiter = '\0';  ///< of csv, a blank meaning any number of blanks and tabs; 0: told by the header line
  std::vector<std::pair<std::string, std::string>> columns;  ///< of csv: x, y, z or q, and its column or a number
  bool line = false;   ///< of csv: column y may be missing as z may; both are zero then
  bool globe = false;  ///< of csv: columns named longitude (lon, lng) and latitude (lat) stand for x and y
  /// Columns q2, q3, ... and dx, dy, dz, dx2, ... must hold numbers (densities.hpp). With dipoles, strengths may be
  /// missing: 0.
  bool densities = false;
};

/// Reads sources, the format told by extension or first bytes: csv, npy, npz, obj, ply, xyz, gro (which has no
/// strengths), LAMMPS data, GADGET snapshot, ScaFaCoS xml; each also within gzip. Of npz strengths (vectors, N) become
/// strengths and columns q2, q3, ...; dipoles (N, 3) or (vectors, N, 3) columns dx, dy, dz, dx2, ... "-" is standard
/// input; pipes are read as files are. Not-a-numbers and infinities are read as they stand: the library validates.
/// Throws Error(input) with one sentence: path, where, what is wrong, what to do; Error(memory) where it does not fit;
/// Error(usage) for a format that is none.
Bodies read(const std::string& path, const Reading& reading = {});

/// The same for targets: strengths may be missing.
Bodies read_points(const std::string& path, const Reading& reading = {});

std::vector<std::string> input_formats();

}  // namespace farfield::io
