// ParaView's files: points with their numbers as XML with raw arrays behind it (vtp), and the list of a series (pvd).
#include <fmt/format.h>

#include <filesystem>
#include <numeric>

#include "io/binary/bytes.hpp"
#include "io/output.hpp"
#include "io/snapshot.hpp"
#include "io/text/text.hpp"
#include "io/text/xml.hpp"

namespace farfield::io {
namespace {

constexpr const char* file_tag = "<VTKFile type=\"{}\" version=\"1.0\" byte_order=\"{}\" header_type=\"UInt64\">\n";
constexpr const char* byte_order = std::endian::native == std::endian::little ? "LittleEndian" : "BigEndian";

// What stands behind the XML: each array after its size in bytes.
class Appended {
 public:
  /// The element of the XML that says where the array stands.
  std::string add(const char* type, const std::string& name, int components, std::string_view bytes) {
    const std::string element = fmt::format(
        "<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"appended\" offset=\"{}\"/>\n", type,
        name, components, offset_);
    offset_ += sizeof(std::uint64_t) + bytes.size();
    arrays_.push_back(bytes);
    return element;
  }
  std::string add(const std::string& name, int components, const std::vector<double>& values) {
    return add("Float64", name, components,
               {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double)});
  }
  void write(Output& out) const {
    for (const std::string_view bytes : arrays_) {
      const std::uint64_t size = bytes.size();
      out.write({reinterpret_cast<const char*>(&size), sizeof(size)});
      out.write(bytes);
    }
  }

 private:
  std::size_t offset_ = 0;
  std::vector<std::string_view> arrays_;
};

std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : text) safe += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '"' ? "&quot;" : std::string(1, c);
  return safe;
}

std::string time_of(const Snapshot& s) {
  for (const auto& [name, value] : s.numbers)
    if (name == "time")
      return fmt::format(
          "<FieldData><DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" "
          "format=\"ascii\">{}</DataArray></FieldData>\n",
          value);
  return "";
}

std::string point_data(const Snapshot& s, Appended& appended) {
  std::string xml = "<PointData Scalars=\"potential\" Vectors=\"velocity\">\n" +
                    appended.add("velocity", 3, *s.velocities) + appended.add("mass", 1, *s.masses);
  if (s.potential) xml += appended.add("potential", 1, *s.potential);
  for (const Named& column : other_columns(*s.bodies)) xml += appended.add(escaped(column.name), 1, *column.values);
  return xml + "</PointData>\n";
}

}  // namespace

void write_vtp(const std::string& path, const Snapshot& s) {
  const std::size_t n = s.masses->size();
  Appended appended;
  // All bodies are one cell, a vertex of many points: ParaView shows nothing of points that no cell has.
  std::vector<std::int64_t> corners(n);
  std::iota(corners.begin(), corners.end(), 0);
  const auto end = static_cast<std::int64_t>(n);
  std::string xml = "<?xml version=\"1.0\"?>\n" + fmt::format(fmt::runtime(file_tag), "PolyData", byte_order) +
                    "<PolyData>\n" + time_of(s) +
                    fmt::format(
                        "<Piece NumberOfPoints=\"{}\" NumberOfVerts=\"{}\" NumberOfLines=\"0\" "
                        "NumberOfStrips=\"0\" NumberOfPolys=\"0\">\n",
                        n, n > 0 ? 1 : 0);
  xml += point_data(s, appended) + "<Points>\n" + appended.add("positions", 3, *s.positions) + "</Points>\n<Verts>\n";
  xml += appended.add("Int64", "connectivity", 1, {reinterpret_cast<const char*>(corners.data()), n * sizeof(end)});
  xml += appended.add("Int64", "offsets", 1, {reinterpret_cast<const char*>(&end), n > 0 ? sizeof(end) : 0});
  Output out(path);
  out.write(xml + "</Verts>\n</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_");
  appended.write(out);
  out.write("\n</AppendedData>\n</VTKFile>\n");
  out.commit();
}

void write_pvd(const std::string& path, const std::vector<Timed>& files) {
  std::string xml = "<?xml version=\"1.0\"?>\n" + fmt::format(fmt::runtime(file_tag), "Collection", byte_order);
  xml += "<Collection>\n";
  for (const Timed& one : files)
    xml += fmt::format("<DataSet timestep=\"{}\" file=\"{}\"/>\n", one.time, escaped(one.file));
  Output out(path);
  out.write(xml + "</Collection>\n</VTKFile>\n");
  out.commit();
}

std::vector<Timed> read_pvd(const std::string& path) {
  std::vector<Timed> files;
  if (!std::filesystem::exists(path)) return files;
  const Blob blob = load_file(path);
  TagScanner tags(path, blob.view());
  for (Tag tag; tags.next(tag);) {
    if (tag.name != "DataSet") continue;
    const auto time = tag.attribute("timestep"), file = tag.attribute("file");
    const auto number = time ? to_number(*time) : std::nullopt;
    if (!number || !file) tags.fail(tag.at, "a DataSet lacks its timestep or its file; remove the list");
    files.push_back({*number, std::string(*file)});
  }
  return files;
}

}  // namespace farfield::io
