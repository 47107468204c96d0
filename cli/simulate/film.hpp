// Frames of a run, and the movie that ffmpeg makes of them where it is installed.
#pragma once
#include <string>

#include "cli/arguments.hpp"
#include "cli/simulate/folder.hpp"
#include "io/picture/picture.hpp"

namespace farfield::cli {

class Film {
 public:
  /// A run that goes on keeps the view of its frames, unless --view or --plot-axis name another.
  Film(const SimulateArguments& arguments, const Folder& folder, const Record& record);

  /// Draws the bodies where they are now, coloured by their potential; their record tells of the view.
  void draw(Start& start);

  /// Makes the movie of all frames in the folder; a sentence on what became of it, or nothing where there are no two.
  std::string finish();

 private:
  const Folder& folder_;
  io::Series series_;
  std::string frames_;  // the folder of the pictures
  std::int64_t drawn_ = 0;
};

}  // namespace farfield::cli
