// What a run writes: the bodies it was about, and what was computed for them.
#pragma once
#include <string>
#include <vector>

#include "io/bodies.hpp"

namespace farfield::io {

/// Views of what to write; null means absent. Lengths must agree: n, 3 n and 6 n times the vectors; a list that is
/// empty although there are bodies is absent, too.
struct Results {
  const Bodies* bodies = nullptr;
  const std::vector<double>* potential = nullptr;  ///< n for each vector
  const std::vector<double>* gradient = nullptr;   ///< 3 n, interleaved
  std::string vector = "gradient";                 ///< name of the gradient's array, which may hold another vector
  std::vector<std::string> components = {"gx", "gy", "gz"};  ///< names of its first columns, those that tables have
  const std::vector<double>* hessian = nullptr;              ///< 6 n, interleaved: xx yy zz xy xz yz
  std::int64_t vectors = 1;                                  ///< of strengths that the results are of
};

/// Writes .npz (arrays positions, strengths, potential, gradient and one per extra column; positions stay float32 where
/// they came so), .csv (x,y,z,q,potential,gx,gy,gz and the extra columns, digits that read back to the same double) or
/// .npy (results alone: (N,) potential, or (N, 4) potential and gradient, or (N, 3) gradient; without results (N, 4)
/// x, y, z, strength). A Hessian is an array hessian, or columns hxx,hyy,hzz,hxy,hxz,hyz, after the gradient. Results
/// of the second vector of strengths follow those of the first as potential2, gradient2, gx2 and so on. `format` is one
/// of these words; empty: the extension tells, and csv goes to standard output, which is "-". A file appears whole or
/// not at all. Throws Error(output), or Error(usage) for another format.
void write(const std::string& path, const Results& results, const std::string& format = "");

/// The format that `write` takes; throws Error(usage) as it does.
std::string output_format(const std::string& path, const std::string& format = "");

}  // namespace farfield::io
