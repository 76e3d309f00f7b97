#include "runtime/contents_on_demand.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "runtime/compiled_grammar.h"

namespace xg2lab {
namespace {

constexpr size_t kMostContents = 24;  // in a program that is not whole
constexpr size_t kMostMade = 32;      // programs that are kept for other matchers

}  // namespace

ContentsOnDemand::Compiled ContentsOnDemand::with(std::span<const uint32_t> present,
                                                  std::span<const uint32_t> needed) {
  std::vector<uint32_t> contents(present.begin(), present.end());
  contents.insert(contents.end(), needed.begin(), needed.end());
  std::ranges::sort(contents);
  contents.erase(std::ranges::unique(contents).begin(), contents.end());
  if (contents.size() > kMostContents) return whole();
  const std::lock_guard lock(mutex_);
  return made(std::move(contents));
}

ContentsOnDemand::Compiled ContentsOnDemand::whole() {
  const std::lock_guard lock(mutex_);
  if (!whole_) {
    std::vector<uint32_t> all(n_contents_);
    std::iota(all.begin(), all.end(), 0);
    whole_ = compile_(all);
  }
  return whole_;
}

bool ContentsOnDemand::is_whole(const CompiledGrammar& compiled) const {
  const std::lock_guard lock(mutex_);
  return whole_.get() == &compiled;
}

ContentsOnDemand::Compiled ContentsOnDemand::made(std::vector<uint32_t> contents) {
  const auto known = std::ranges::find(made_, contents, &Made::contents);
  if (known != made_.end()) {
    made_.splice(made_.begin(), made_, known);
  } else {
    Compiled compiled = compile_(contents);
    made_.push_front({std::move(contents), std::move(compiled)});
    if (made_.size() > kMostMade) made_.pop_back();
  }
  return made_.front().compiled;
}

size_t ContentsOnDemand::memory_size_bytes() const {
  const std::lock_guard lock(mutex_);
  size_t n_bytes = whole_ ? whole_->memory_size_bytes() : 0;
  for (const Made& made : made_) n_bytes += made.compiled->memory_size_bytes();
  return n_bytes;
}

}  // namespace xg2lab
