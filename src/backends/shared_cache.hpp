// SharedCache: values that are costly to make and never change, made once per process and shared by all callers that
// ask for the same key at the same time or soon after.
#pragma once
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace farfield {

/// A value is shared as long as a caller holds it. The cache itself holds values of up to `most_bytes` in all and drops
/// the least recently used first. Any thread may call. A Value has held_bytes().
template <class Key, class Value>
class SharedCache {
 public:
  explicit SharedCache(std::int64_t most_bytes) : most_bytes_(most_bytes) {}

  /// The value of `key`; where there is none, make() returns it as a shared_ptr. Other callers of the same key wait
  /// meanwhile; if make throws, the next of them tries again.
  template <class Make>
  std::shared_ptr<const Value> get(const Key& key, const Make& make) {
    const std::shared_ptr<Entry> entry = find(key);
    const std::lock_guard making(entry->making);
    std::shared_ptr<const Value> value = entry->shared.lock();
    if (!value) entry->shared = value = make();
    keep(*entry, value);
    return value;
  }

  /// Bytes of the values that the cache itself holds.
  std::int64_t held_bytes() const {
    const std::lock_guard lock(entries_lock_);
    return held_bytes_;
  }

 private:
  struct Entry {
    Key key;
    std::int64_t used = 0;
    std::mutex making;
    std::weak_ptr<const Value> shared;  ///< guarded by `making`
    std::shared_ptr<const Value> held;  ///< guarded by entries_lock_, as are `key` and `used`
  };

  std::shared_ptr<Entry> find(const Key& key) {
    const std::lock_guard lock(entries_lock_);
    for (const std::shared_ptr<Entry>& entry : entries_)
      if (entry->key == key) return entry;
    std::erase_if(entries_, [](const auto& entry) {  // nobody has what this one made: no other key need wait for it
      return entry.use_count() == 1 && !entry->held && entry->shared.expired();
    });
    entries_.push_back(std::make_shared<Entry>());
    entries_.back()->key = key;
    return entries_.back();
  }

  void keep(Entry& entry, const std::shared_ptr<const Value>& value) {
    const std::lock_guard lock(entries_lock_);
    entry.used = ++clock_;
    if (!entry.held && value->held_bytes() <= most_bytes_) {
      entry.held = value;
      held_bytes_ += value->held_bytes();
    }
    while (held_bytes_ > most_bytes_) drop_oldest();
  }

  void drop_oldest() {
    Entry* oldest = nullptr;
    for (const std::shared_ptr<Entry>& entry : entries_)
      if (entry->held && (!oldest || entry->used < oldest->used)) oldest = entry.get();
    held_bytes_ -= oldest->held->held_bytes();
    oldest->held.reset();
  }

  mutable std::mutex entries_lock_;
  std::vector<std::shared_ptr<Entry>> entries_;  ///< one per key whose value is in use, being made or held
  std::int64_t most_bytes_, held_bytes_ = 0, clock_ = 0;
};

}  // namespace farfield
