// One reader per format, called by `read` alone: each gets the bytes of the file (already out of gzip).
#pragma once
#include <string>
#include <string_view>

#include "bodies.hpp"

namespace farfield::io {

/// Where the file came from and what for: the name to blame, and whether strengths must be there.
struct Origin {
  std::string path;
  bool needs_strengths = true;
};

Bodies read_csv(const Origin& origin, std::string_view text);
Bodies read_npy(const Origin& origin, std::string_view bytes);
Bodies read_npz(const Origin& origin, std::string_view bytes);
Bodies read_gadget(const Origin& origin, std::string_view bytes);
Bodies read_scafacos(const Origin& origin, std::string_view text);

}  // namespace farfield::io
