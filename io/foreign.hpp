// Formats of other programs that are known by sight, so that a refusal can name them.
#pragma once
#include <string>
#include <string_view>

namespace farfield::io {

/// "a PDB structure" or the like; empty for what is not known. `name` is the file's, in small letters.
std::string foreign_format(std::string_view bytes, std::string_view name);

}  // namespace farfield::io
