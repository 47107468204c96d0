// Met: what replays of a captured graph met that they cannot sum.
#pragma once

namespace farfield {

/// The numbers are bits.
enum class Met : unsigned { nothing = 0, far_points = 1, other_strengths = 2, both = 3 };

}  // namespace farfield
