#include "cli/terminal.hpp"

#include <gtest/gtest.h>

namespace farfield::cli {
namespace {

TEST(Terminal, BarsHaveTheirWidth) {
  for (const bool utf8 : {false, true})
    for (const double share : {0.0, 1e-9, 0.1, 0.5, 0.99, 1.0, 1.7})
      EXPECT_EQ(width_of(Terminal{utf8, false}.bar(share, 20)), 20) << utf8 << " " << share;
}

TEST(Terminal, BarsShowWhatIsNotNothing) {
  EXPECT_EQ(Terminal{}.bar(0, 4), "    ");
  EXPECT_EQ(Terminal{}.bar(1e-9, 4), "#   ");
  EXPECT_EQ(Terminal{}.bar(0.5, 4), "##  ");
  EXPECT_EQ((Terminal{true, false}.bar(0.375, 4)), "█▌  ");
}

TEST(Terminal, ShowsNamesOfAnyBytesSafely) {
  EXPECT_EQ(printable("plain, \u00fc \u20ac \U0001f30c"), "plain, \u00fc \u20ac \U0001f30c");
  EXPECT_EQ(printable("a\033[31mb\r\n\x7f"), "a?[31mb???");
  EXPECT_EQ(printable("\xff\xfe\x80"), "???");
  EXPECT_EQ(printable("cut \xe2\x82"), "cut ??");
  EXPECT_EQ(printable("\xc2\x9b"
                      "1m"),
            "??1m");
}

TEST(Terminal, ColourOnlyWhereWanted) {
  EXPECT_EQ(Terminal{}.bold("word"), "word");
  EXPECT_EQ((Terminal{false, true}.bold("word")), "\033[1mword\033[0m");
}

TEST(Terminal, WrapsBeforeColumn80) {
  std::string text;
  for (int i = 0; i < 60; ++i) text += "word ";
  const std::string wrapped = std::string(12, ' ') + Terminal{}.wrap(text, 12);
  std::size_t begin = 0;
  for (std::size_t end; (end = wrapped.find('\n', begin)) != wrapped.npos; begin = end + 1) EXPECT_LE(end - begin, 80u);
  EXPECT_EQ(Terminal{}.wrap("", 5), "");
  EXPECT_EQ(Terminal{}.wrap(std::string(200, 'x'), 5), std::string(200, 'x'));  // a path stays whole
}

}  // namespace
}  // namespace farfield::cli
