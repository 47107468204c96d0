// Rows of lists while they are made: chunks of boxes in parallel, joined in their order.
#pragma once
#include <algorithm>
#include <vector>

#include "core/array.hpp"
#include "core/chunks.hpp"
#include "tree/lists.hpp"

namespace farfield::cpu {

/// The rows of one chunk of consecutive boxes.
struct ListPart {
  std::vector<BoxId> items;
  std::vector<std::int64_t> ends;  // of each row, in `items`
  std::size_t row_begin() const { return ends.empty() ? 0 : static_cast<std::size_t>(ends.back()); }
  void push(BoxId item) { items.push_back(item); }
  void end_row() {
    std::sort(items.begin() + static_cast<std::ptrdiff_t>(row_begin()), items.end());
    ends.push_back(static_cast<std::int64_t>(items.size()));
  }
  /// For a row of near boxes: the box itself first, the others ascending.
  void end_row_of(BoxId box) {
    const auto begin = static_cast<std::ptrdiff_t>(row_begin());
    end_row();
    const auto self = std::find(items.begin() + begin, items.end(), box);
    if (self != items.end()) std::rotate(items.begin() + begin, self, self + 1);
  }
};

/// Joins the parts, which cover all boxes in ascending order, to one list.
inline void join(List<Array>& list, const std::vector<ListPart>& parts, std::int64_t boxes, int threads) {
  std::vector<std::int64_t> item_base(parts.size()), row_base(parts.size());
  std::int64_t items = 0, rows = 0;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    item_base[p] = items;
    row_base[p] = rows;
    items += static_cast<std::int64_t>(parts[p].items.size());
    rows += static_cast<std::int64_t>(parts[p].ends.size());
  }
  list.begin.resize(boxes + 1);
  list.items.resize(items);
  list.begin[0] = 0;
  for_each_index(static_cast<std::int64_t>(parts.size()), 1, threads, [&](std::int64_t i) {
    const std::size_t p = static_cast<std::size_t>(i);
    for (std::size_t r = 0; r < parts[p].ends.size(); ++r)
      list.begin[row_base[p] + static_cast<std::int64_t>(r) + 1] = item_base[p] + parts[p].ends[r];
    std::copy(parts[p].items.begin(), parts[p].items.end(), list.items.begin() + item_base[p]);
  });
}

}  // namespace farfield::cpu
