// The vertices of a Wavefront obj file, each of strength 1; faces, normals and the rest are passed over.
#include <fmt/format.h>

#include "io/binary/bytes.hpp"
#include "io/formats.hpp"
#include "io/text/text.hpp"

namespace farfield::io {

Bodies read_obj(const Origin& origin, std::string_view text) {
  Bodies bodies;
  Lines lines(text);
  while (lines.next()) {
    std::string_view line = lines.line();
    if (take_word(line) != "v") continue;
    for (const char axis : {'x', 'y', 'z'}) {
      const auto word = take_word(line);
      const auto value = to_number(word);
      if (!value)
        refuse(
            origin.path, lines.where(),
            fmt::format("'{}' for {} of a vertex is not a number that fits a double; correct it", shown(word), axis));
      bodies.positions.push_back(*value);
    }
  }
  if (bodies.count() == 0)
    refuse(origin.path, "", "there is no vertex in it (a line 'v x y z'); export the model again");
  bodies.strengths.assign(static_cast<std::size_t>(bodies.count()), 1.0);
  bodies.description = fmt::format("obj, {} bodies (vertices), unit strengths", bodies.count());
  bodies.up = 1;
  return bodies;
}

}  // namespace farfield::io
