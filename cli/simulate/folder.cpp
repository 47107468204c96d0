#include "cli/simulate/folder.hpp"

#include <fmt/format.h>

#include <farfield/error.hpp>
#include <filesystem>

namespace farfield::cli {
namespace fs = std::filesystem;
namespace {

/// "galaxies-motion" for data/galaxies.csv.gz
std::string default_folder(const SimulateArguments& a) {
  if (a.resume && a.input != "-") return fs::path(a.input).parent_path().string();
  fs::path name = fs::path(a.input).filename();
  if (name.extension() == ".gz") name = name.stem();
  return a.input == "-" ? "motion" : name.stem().string() + "-motion";
}

void make_folder(const std::string& path) {
  std::error_code trouble;
  fs::create_directories(path, trouble);
  if (!fs::is_directory(path))
    throw Error(ErrorCode::output,
                fmt::format("{}: this folder cannot be made ({}); check the name and the permissions, or name another "
                            "with --output",
                            path, trouble ? trouble.message() : "a file has its name"));
}

}  // namespace

Folder::Folder(const SimulateArguments& a) : path_(a.output.empty() ? default_folder(a) : a.output) {
  if (path_.empty()) path_ = ".";
  make_folder(path_);
  if (!a.resume && fs::exists(file("energy.csv")))
    throw Error(ErrorCode::usage,
                fmt::format("{} holds another run; go on with it by --resume and its last snapshot, name another "
                            "folder with --output, or remove that one",
                            path_));
}

std::string Folder::file(const std::string& name) const { return (fs::path(path_) / name).string(); }

std::string Folder::numbered(const std::string& name, std::int64_t step, const std::string& extension) {
  return fmt::format("{}_{:06}{}", name, step, extension);
}

std::string Folder::make(const std::string& name) const {
  make_folder(file(name));
  return file(name);
}

Snapshots::Snapshots(const SimulateArguments& a, const Folder& folder, const Start& start)
    : folder_(folder), start_(start), paraview_(a.paraview), gadget_(a.gadget) {
  if (gadget_ && !io::has_hdf5())
    throw Error(ErrorCode::usage,
                "--gadget: this build has no HDF5; install libhdf5-dev and build again, or leave it out");
  if (!paraview_ || !a.resume) return;
  for (const io::Timed& one : io::read_pvd(folder.file("snapshots.pvd")))
    if (one.time < start.record.time()) series_.push_back(one);  // later ones are of a run that this one replaces
}

std::string Snapshots::write() {
  const Record& record = start_.record;
  const std::string path = folder_.file(Folder::numbered("snapshot", record.step, ".npz"));
  if (last_ == record.step) return path;
  last_ = record.step;
  const motion::HostArrays& arrays = start_.arrays;
  const io::Snapshot snapshot{&start_.bodies,   &arrays.positions(), &arrays.velocities(),
                              &arrays.masses(), &arrays.potential(), numbers_of(record)};
  io::write_snapshot(path, snapshot);
  write_others(snapshot);
  return path;
}

void Snapshots::write_others(const io::Snapshot& snapshot) {
  const std::int64_t step = start_.record.step;
  if (gadget_) io::write_gadget_hdf5(folder_.file(Folder::numbered("snapshot", step, ".hdf5")), snapshot);
  if (!paraview_) return;
  const std::string name = Folder::numbered("snapshot", step, ".vtp");
  io::write_vtp(folder_.file(name), snapshot);
  series_.push_back({start_.record.time(), name});
  io::write_pvd(folder_.file("snapshots.pvd"), series_);
}

}  // namespace farfield::cli
