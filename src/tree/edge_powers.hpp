// The powers of lengths with which errors and results go.
#pragma once

namespace farfield {

/// How often a pair's potential may be differentiated: twice for a Hessian, and once for a dipole. With k derivatives
/// pairs at distance r give r^-1-k, and boxes of edge a lack terms that go as a^-1-k: their squares have edge_powers
/// powers, a^-2 to a^-8.
inline constexpr int most_derivatives = 3, edge_powers = most_derivatives + 1;

}  // namespace farfield
