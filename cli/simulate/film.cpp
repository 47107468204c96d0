#include "cli/simulate/film.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "cli/report/numbers.hpp"
#include "cli/report/values.hpp"

extern char** environ;

namespace farfield::cli {
namespace fs = std::filesystem;
namespace {

io::PictureStyle style_of(const SimulateArguments& a) {
  io::PictureStyle style;
  if (!a.plot_axis.empty()) style.axis = a.plot_axis[0];
  if (!a.view.empty()) style.limits = {a.view[0], a.view[1], a.view[2], a.view[3]};
  return style;
}

/// The program in the folders of PATH; empty where there is none.
std::string program(const std::string& name) {
  const char* const folders = std::getenv("PATH");
  for (const std::string& folder : split(folders ? folders : "", ':')) {
    const std::string path = (fs::path(folder.empty() ? "." : folder) / name).string();
    if (::access(path.c_str(), X_OK) == 0 && fs::is_regular_file(path)) return path;
  }
  return "";
}

/// Runs a program to its end, silently. True where it succeeds.
bool run(const std::string& path, const std::vector<std::string>& words) {
  std::vector<char*> arguments{const_cast<char*>(path.c_str())};
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t silence;
  posix_spawn_file_actions_init(&silence);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&silence, stream, "/dev/null", O_RDWR, 0);
  pid_t child = 0;
  const int trouble = ::posix_spawn(&child, path.c_str(), &silence, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&silence);
  int status = 0;
  return trouble == 0 && ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// 25 frames a second; dots of both kinds in even numbers, as the usual encoders want them.
std::vector<std::string> movie_words(const std::string& frames, const std::string& output) {
  std::vector<std::string> words = {
      "-y", "-loglevel", "error", "-framerate", "25", "-pattern_type", "glob", "-i", frames + "/frame_*.png"};
  if (output.ends_with(".mp4")) words.insert(words.end(), {"-pix_fmt", "yuv420p", "-movflags", "+faststart"});
  words.push_back(output);
  return words;
}

}  // namespace

Film::Film(const SimulateArguments& a, const Folder& folder, const Record& record)
    : folder_(folder), series_(style_of(a)) {
  if (a.view.empty() && a.plot_axis.empty()) series_.take_look(record.look);
  if (a.frames > 0) frames_ = folder.make("frames");
}

void Film::draw(Start& start) {
  start.bodies.positions = start.arrays.positions();
  const std::string title = fmt::format("t = {}", with_digits(start.record.time(), 6));
  series_.draw((fs::path(frames_) / Folder::numbered("frame", start.record.step, ".png")).string(), start.bodies,
               start.arrays.potential(), title);
  start.record.look = series_.look();
  ++drawn_;
}

std::string Film::finish() {
  if (drawn_ < 2) return "";
  const std::string ffmpeg = program("ffmpeg");
  if (ffmpeg.empty())
    return "no movie: ffmpeg is not installed (apt install ffmpeg); then: ffmpeg -pattern_type glob -i '" + frames_ +
           "/frame_*.png' -pix_fmt yuv420p " + folder_.file("movie.mp4");
  for (const char* name : {"movie.mp4", "movie.gif"}) {  // every ffmpeg can write a gif
    const std::string part = folder_.file(std::string("part-") + name);
    std::error_code ignored;
    if (run(ffmpeg, movie_words(frames_, part))) {
      fs::rename(part, folder_.file(name), ignored);
      if (!ignored) return folder_.file(name);
    }
    fs::remove(part, ignored);
  }
  return "no movie: " + ffmpeg + " made none of " + frames_ + "/frame_*.png; try it by hand";
}

}  // namespace farfield::cli
