#include "runtime/contents_on_demand.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "runtime/compiled_grammar.h"

namespace xg2lab {
namespace {

constexpr size_t kMostContents = 256;  // in a program that is not whole

}  // namespace

ContentsOnDemand::Compiled ContentsOnDemand::latest() const {
  const std::lock_guard lock(mutex_);
  return latest_;
}

ContentsOnDemand::Compiled ContentsOnDemand::with(std::vector<uint32_t> needed) {
  const std::lock_guard lock(mutex_);
  std::ranges::sort(needed);
  std::vector<uint32_t> contents;
  std::ranges::set_union(present_, needed, std::back_inserter(contents));
  contents.erase(std::ranges::unique(contents).begin(), contents.end());
  if (contents.size() > kMostContents) contents = all();
  if (contents.size() > present_.size()) {
    latest_ = contents.size() == n_contents_ ? made_whole() : compile_(contents);
    present_ = std::move(contents);
  }
  return latest_;
}

ContentsOnDemand::Compiled ContentsOnDemand::whole() {
  const std::lock_guard lock(mutex_);
  return made_whole();
}

ContentsOnDemand::Compiled ContentsOnDemand::made_whole() {
  if (!whole_) whole_ = compile_(all());
  return whole_;
}

bool ContentsOnDemand::is_whole(const CompiledGrammar& compiled) const {
  const std::lock_guard lock(mutex_);
  return whole_.get() == &compiled;
}

std::vector<uint32_t> ContentsOnDemand::all() const {
  std::vector<uint32_t> contents(n_contents_);
  std::iota(contents.begin(), contents.end(), 0);
  return contents;
}

size_t ContentsOnDemand::memory_size_bytes() const {
  const std::lock_guard lock(mutex_);
  size_t n_bytes = latest_ ? latest_->memory_size_bytes() : 0;
  if (whole_ && whole_ != latest_) n_bytes += whole_->memory_size_bytes();
  return n_bytes;
}

}  // namespace xg2lab
