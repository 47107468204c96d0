// How many terms refine the reciprocal square root of a pair sum: as many as the tolerance needs.
//
// A hardware seed s of 1/sqrt(x) with relative error at most E leaves e = 1 - x s^2, |e| <= 2 E, and
//     x^(-3/2) = s^3 (1 - e)^(-3/2) = s^3 (1 + 3/2 e + 15/8 e^2 + 35/16 e^3 + 315/128 e^4 + ...),
//     x^(-1/2) = s   (1 - e)^(-1/2) = s   (1 + 1/2 e +  3/8 e^2 +  5/16 e^3 +  35/128 e^4 + ...),
// and so on for x^(-5/2), which Hessians and gradients of dipoles need, and x^(-7/2), Hessians of dipoles.
// Stopping after e^n leaves the next term as error. A term fewer saves one instruction of about seventeen per vector.
#pragma once
#include <farfield/options.hpp>

namespace farfield::cpu {

/// E: rsqrt14 of AVX-512; rsqrtps of the other x86 levels, in double with a rounded argument.
constexpr double seed_error(bool avx512) { return avx512 ? 1.0 / 16384 : 3.67e-4; }

/// Largest relative error of x^(-1/2 - derivatives) after the term e^terms.
constexpr double pair_error(bool avx512, int derivatives, int terms) {
  double error = 1;  // the coefficient of the next term
  for (int i = 0; i <= terms; ++i) error = error * (derivatives + 0.5 + i) / (i + 1);
  for (int i = 0; i <= terms; ++i) error *= 2 * seed_error(avx512);
  return error;
}

/// Terms that reach the precision's own rounding, and the fewest that are compiled.
constexpr int full_terms(bool avx512, bool single) { return (single ? 1 : 3) + (avx512 ? 0 : 1); }
constexpr int fewest_terms(bool avx512, bool single) { return full_terms(avx512, single) - (single ? 1 : 2); }

/// The part of the tolerance that a pair's largest error may have: a fifth, for two derivatives a third. The root mean
/// square is a quarter of the largest or less, so that about a thousandth, or three, is added to the result's error
/// when squares add. With a third the seed alone is enough for dipoles at 1e-3 with AVX-512, 4 of 29 instructions less.
constexpr int pairs_part(int derivatives) { return derivatives == 2 ? 3 : 5; }

/// Fewest terms whose largest error is at most that part of `tolerance`.
constexpr int terms_for(bool avx512, bool single, int derivatives, double tolerance) {
  const double most = tolerance / pairs_part(derivatives);
  int terms = fewest_terms(avx512, single);
  while (terms < full_terms(avx512, single) && pair_error(avx512, derivatives, terms) > most) ++terms;
  return terms;
}

}  // namespace farfield::cpu
