// A process-wide cache, by name, of values that are expensive to make and often needed.
//
// Tests: tests/unit/support_arrays.cc
//
// COST      a look-up by text. When the cache holds `most` values, it is cleared: frequent values
//           soon return.
// THREADS   any. A thread that finds the cache in use continues without it, so a fork at such a
//           moment leaves no lock held.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace xg2lab {

template <class Value>
class KnownValues {
 public:
  explicit KnownValues(size_t most) : most_(most) {}

  std::shared_ptr<const Value> find(const std::string& name) const {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock()) return nullptr;
    const auto known = values_.find(name);
    return known == values_.end() ? nullptr : known->second;
  }
  void keep(std::string name, std::shared_ptr<const Value> value) {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock()) return;
    if (values_.size() >= most_) values_.clear();
    values_.emplace(std::move(name), std::move(value));
  }

 private:
  const size_t most_;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<const Value>> values_;
};

}  // namespace xg2lab
