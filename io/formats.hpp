// One reader per format, called by `read` alone: each gets the bytes of the file (already out of gzip).
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "io/bodies.hpp"
#include "io/parts/part.hpp"

namespace farfield::io {

/// Where the file came from and what for: the name to blame, and whether strengths must be there.
struct Origin {
  std::string path;
  bool needs_strengths = true;
  Reading reading;
  std::size_t most_bytes = 0;            ///< that what is compressed in the file may unpack to
  Part part = {};                        ///< of the bodies, where a reader can read just that
  std::vector<Piece>* pieces = nullptr;  ///< not null where `part` is one of several

  bool in_parts() const { return pieces != nullptr; }
};

Bodies read_csv(const Origin& origin, std::string_view text);
Bodies read_npy(const Origin& origin, std::string_view bytes);
Bodies read_npz(const Origin& origin, std::string_view bytes);
Bodies read_obj(const Origin& origin, std::string_view text);
Bodies read_ply(const Origin& origin, std::string_view bytes);
Bodies read_xyz(const Origin& origin, std::string_view text);
Bodies read_gro(const Origin& origin, std::string_view text);
Bodies read_lammps(const Origin& origin, std::string_view text);
Bodies read_gadget(const Origin& origin, std::string_view bytes);
Bodies read_gadget_hdf5(const Origin& origin, std::string_view bytes);
Bodies read_scafacos(const Origin& origin, std::string_view text);

/// Told by sight, as their names rarely tell.
bool looks_like_gro(std::string_view text);
bool looks_like_lammps(std::string_view text);

}  // namespace farfield::io
