#include "distributed/route/rows.hpp"

#include <algorithm>

#include "distributed/agree.hpp"

namespace farfield::distributed {

/// Throws where `bytes` are not a row for each of so many points.
static void require_rows(std::size_t bytes, std::size_t row, std::int64_t points, const char* which) {
  if (bytes == row * static_cast<std::size_t>(points)) return;
  throw Error(ErrorCode::input, std::to_string(bytes) + " bytes were passed for " + std::to_string(points) +
                                    " rows of " + std::to_string(row) + "; pass a row for each point that this rank " +
                                    which);
}

static void to_owned(Ranks& ranks, const Carrier& carrier, const Rows& rows, int threads) {
  const auto width = static_cast<std::int64_t>(rows.bytes);
  const std::vector<std::byte> owned = carrier.to_tree<std::byte>(
      ranks, width, [&](std::int64_t i, std::byte* row) { std::copy_n(rows.from.data() + i * width, width, row); },
      threads);
  std::copy(owned.begin(), owned.end(), rows.to.begin());
}

static void to_given(Ranks& ranks, const Carrier& carrier, const Rows& rows, int threads) {
  const auto width = static_cast<std::int64_t>(rows.bytes);
  carrier.to_caller(
      ranks, width, rows.from.data(),
      [&](std::int64_t i, const std::byte* row) { std::copy_n(row, width, rows.to.data() + i * width); }, threads);
}

void carry_rows(Ranks& ranks, const Carrier& carrier, std::int64_t given, const Rows& rows, Order wanted, int threads) {
  require_same(ranks, static_cast<std::int64_t>(rows.bytes),
               "rows have other sizes on some ranks; pass the same on all");
  if (rows.bytes == 0)
    throw Error(ErrorCode::input, "rows of 0 bytes cannot be carried; pass at least one element for each point");
  const bool out = wanted == Order::owned;
  require_rows((out ? rows.from : rows.to).size(), rows.bytes, given, "was given");
  require_rows((out ? rows.to : rows.from).size(), rows.bytes, carrier.count(), "owns");
  out ? to_owned(ranks, carrier, rows, threads) : to_given(ranks, carrier, rows, threads);
}

}  // namespace farfield::distributed
