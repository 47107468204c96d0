// In place of read.cpp and write.cpp where libhdf5 was not found.
#include "farfield/error.hpp"
#include "io/binary/bytes.hpp"
#include "io/formats.hpp"
#include "io/snapshot.hpp"

namespace farfield::io {

Bodies read_gadget_hdf5(const Origin& origin, std::string_view /*bytes*/) {
  refuse(origin.path, "",
         "this is HDF5, which this build does not read; install libhdf5-dev and build again, or convert it to csv "
         "(x,y,z,q), npy or npz");
}

void write_gadget_hdf5(const std::string& path, const Snapshot& /*snapshot*/) {
  throw Error(ErrorCode::usage,
              path + ": this build writes no HDF5; install libhdf5-dev and build again, or use the npz snapshots.");
}

bool has_hdf5() { return false; }

}  // namespace farfield::io
