// Numbers as people read them: 60,000 bodies, 3.2e-7, 85 ms, 12.4 MB.
#pragma once
#include <cstdint>
#include <string>

#include "io/bodies.hpp"

namespace farfield::cli {

std::string grouped(std::int64_t value);            ///< 60,000
std::string scientific(double value);               ///< 3.2e-7; two digits, an exponent without padding
std::string shortest(double value);                 ///< 1e-6, 0.0795775: as a person would type it, six digits at most
std::string with_digits(double value, int digits);  ///< 4.50359962737050e15: like shortest, with so many digits
std::string duration(double seconds);               ///< 85 ms, 1.24 s, 3.2 min, 5.1 h, 12 days
std::string bytes(std::int64_t count);              ///< 12.4 MB, in powers of 1000
std::string about(double value);                    ///< 1.24 million: three digits and a word
std::string percent(double share);                  ///< 97.1 %; never rounds up to 100 %
std::string plural(std::int64_t n, const char* one, const char* many);  ///< 1 box, 12 boxes

/// What the bodies are, in the words of their reader, with the thousands of their number set apart.
std::string told(const io::Bodies& bodies);

}  // namespace farfield::cli
