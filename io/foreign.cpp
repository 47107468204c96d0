#include "io/foreign.hpp"

namespace farfield::io {
namespace {

struct Mark {
  std::string_view bytes;
  const char* format;
};

// What stands at the very beginning: bytes that no text has, and words that a table could begin with as well.
constexpr Mark binary_marks[] = {
    {"CDF\x01", "netCDF"},
    {"CDF\x02", "netCDF"},
    {"CDF\x05", "netCDF"},
    {"PAR1", "Parquet"},
    {"LASF", "a LAS point cloud"},
    {"%PDF", "PDF"},
    {"\x89PNG", "a PNG picture"},
    {"BZh", "compressed by bzip2"},
    {"\xfd\x37zXZ", "compressed by xz"},
    {"\x28\xb5\x2f\xfd", "compressed by zstd"},
};
constexpr Mark text_marks[] = {
    {"SIMPLE  =", "FITS"},
    {"MATLAB 5.0", "a MATLAB file"},
    {"# vtk DataFile", "VTK"},
    {"<VTKFile", "VTK"},
    {"# .PCD", "a point cloud of PCL (pcd)"},
    {"ITEM: TIMESTEP", "a LAMMPS dump"},
    {"HEADER    ", "a PDB structure"},
    {"CRYST1", "a PDB structure"},
    {"ATOM  ", "a PDB structure"},
    {"HETATM", "a PDB structure"},
    {"REMARK ", "a PDB structure"},
};

// Where the first bytes may be those of anything.
constexpr Mark endings[] = {{".pdb", "a PDB structure"},
                            {".json", "JSON"},
                            {".h5", "HDF5"},
                            {".hdf5", "HDF5"},
                            {".nc", "netCDF"},
                            {".fits", "FITS"},
                            {".stl", "STL"},
                            {".vtk", "VTK"},
                            {".dcd", "a DCD trajectory"},
                            {".xtc", "an XTC trajectory"},
                            {".mat", "a MATLAB file"},
                            {".parquet", "Parquet"}};

bool is_json(std::string_view bytes) {
  const auto first = bytes.find_first_not_of(" \t\r\n");
  if (first == bytes.npos || (bytes[first] != '{' && bytes[first] != '[')) return false;
  const auto second = bytes.find_first_not_of(" \t\r\n", first + 1);
  return second != bytes.npos && std::string_view("\"{[]}-0123456789tfn").find(bytes[second]) != std::string_view::npos;
}

}  // namespace

std::string foreign_format(std::string_view bytes, std::string_view name) {
  for (const Mark& mark : binary_marks)
    if (bytes.starts_with(mark.bytes)) return mark.format;
  if (name.ends_with(".csv") || name.ends_with(".txt")) return "";
  for (const Mark& mark : text_marks)
    if (bytes.starts_with(mark.bytes)) return mark.format;
  if (is_json(bytes)) return "JSON";
  for (const Mark& ending : endings)
    if (name.ends_with(ending.bytes)) return ending.format;
  return "";
}

}  // namespace farfield::io
