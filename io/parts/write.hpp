// Results to one file by several processes, each of which has a part of the bodies.
#pragma once
#include "io/parts/shared_output.hpp"
#include "io/results.hpp"

namespace farfield::io {

/// What `write` makes of the bodies and results of all parts, byte for byte. Called by all parts with the same path and
/// format; the bodies are one part of Bodies::all. Not to standard output.
void write_part(const std::string& path, const Results& results, const std::string& format, const Part& part,
                const AllGather& all_gather);

}  // namespace farfield::io
