#include "io/drawing/font.hpp"

#include <cstring>

namespace farfield::io {
namespace {

// One digit to base 32 per row; rows left out at the end are blank.
struct Drawn {
  char c;
  const char* rows;
};

constexpr Drawn drawn[] = {
    {'A', "EHHVHHH"},   {'B', "UHHUHHU"}, {'C', "EHGGGHE"}, {'D', "UHHHHHU"},   {'E', "VGGUGGV"},   {'F', "VGGUGGG"},
    {'G', "EHGNHHE"},   {'H', "HHHVHHH"}, {'I', "E44444E"}, {'J', "72222IC"},   {'K', "HIKOKIH"},   {'L', "GGGGGGV"},
    {'M', "HRLLHHH"},   {'N', "HHPLJHH"}, {'O', "EHHHHHE"}, {'P', "UHHUGGG"},   {'Q', "EHHHLID"},   {'R', "UHHUKIH"},
    {'S', "FGGE11U"},   {'T', "V444444"}, {'U', "HHHHHHE"}, {'V', "HHHHHA4"},   {'W', "HHHLLLA"},   {'X', "HHA4AHH"},
    {'Y', "HHHA444"},   {'Z', "V1248GV"}, {'0', "EHJLPHE"}, {'1', "4C4444E"},   {'2', "EH1248V"},   {'3', "V2421HE"},
    {'4', "26AIV22"},   {'5', "VGU11HE"}, {'6', "68GUHHE"}, {'7', "V124888"},   {'8', "EHHEHHE"},   {'9', "EHHF12C"},
    {'a', "00E1FHF"},   {'b', "GGMPHHU"}, {'c', "00EGGHE"}, {'d', "11DJHHF"},   {'e', "00EHVGE"},   {'f', "698S888"},
    {'g', "00FHHHF1E"}, {'h', "GGMPHHH"}, {'i', "40C444E"}, {'j', "2062222IC"}, {'k', "GGIKOKI"},   {'l', "C44444E"},
    {'m', "00QLLLL"},   {'n', "00MPHHH"}, {'o', "00EHHHE"}, {'p', "00UHHHUGG"}, {'q', "00FHHHF11"}, {'r', "00MPGGG"},
    {'s', "00FGE1U"},   {'t', "88S8896"}, {'u', "00HHHJD"}, {'v', "00HHHA4"},   {'w', "00HHLLA"},   {'x', "00HA4AH"},
    {'y', "00HHHHF1E"}, {'z', "00V248V"}, {' ', ""},        {'.', "00000CC"},   {',', "00000CC48"}, {'-', "000V"},
    {'+', "044V44"},    {'/', "11248GG"}, {'(', "2488842"}, {')', "8422248"},   {':', "00CC0CC"},   {';', "00CC0CC48"},
    {'=', "00V0V"},     {'_', "000000V"}, {'%', "OP248J3"}, {'^', "4AH"},       {'*', "04LEL4"},    {'<', "0248420"},
    {'>', "0842480"},   {'!', "4444404"}, {'?', "EH12404"}, {'\'', "448"},      {'#', "AAVAVAA"},   {'&', "CIK8LID"},
    {'[', "E88888E"},   {']', "E22222E"}, {'|', "4444444"}, {'~', "008L2"},     {'"', "AA"},        {'@', "EHNLNGE"},
};

unsigned digit(char c) { return static_cast<unsigned>(c <= '9' ? c - '0' : c - 'A' + 10); }

}  // namespace

std::array<unsigned, glyph_height> glyph(char c) {
  const char* rows = "EH12404";
  for (const Drawn& candidate : drawn)
    if (candidate.c == c) rows = candidate.rows;
  std::array<unsigned, glyph_height> bits{};
  for (std::size_t row = 0; row < std::strlen(rows); ++row) bits[row] = digit(rows[row]);
  return bits;
}

}  // namespace farfield::io
