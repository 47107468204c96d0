// The folder of a simulation: what lies in it under which name, and the snapshots.
#pragma once
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/simulate/start.hpp"
#include "io/snapshot.hpp"

namespace farfield::cli {

class Folder {
 public:
  /// --output; else INPUT-motion here, or where the run goes on the folder of its snapshot. Makes it. Throws
  /// Error(output) where that cannot be, Error(usage) where another run has been there.
  explicit Folder(const SimulateArguments& arguments);

  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const;
  /// "snapshot_000120.npz"
  static std::string numbered(const std::string& name, std::int64_t step, const std::string& extension);
  /// A folder within; throws Error(output) where it cannot be made.
  std::string make(const std::string& name) const;

 private:
  std::string path_;
};

/// Snapshots of a run, and the same for ParaView and for GADGET where these are asked for.
class Snapshots {
 public:
  /// Throws Error(usage) where --gadget is more than this build has.
  Snapshots(const SimulateArguments& arguments, const Folder& folder, const Start& start);

  /// Of the step that `start.record` tells; once only. Returns the path of the npz file.
  std::string write();

 private:
  void write_others(const io::Snapshot& snapshot);

  const Folder& folder_;
  const Start& start_;
  std::vector<io::Timed> series_;  // for ParaView
  bool paraview_, gadget_;
  std::int64_t last_ = -1;
};

}  // namespace farfield::cli
