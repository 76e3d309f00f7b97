// Tarjan's algorithm with an explicit stack. Read: Values::find.
#include "frontends/lark/inclusions.h"

#include <algorithm>

#include "support/budget.h"

namespace xg2lab::lark {

// Groups the pairs by their first element, in the order of insertion.
void Inclusions::finish() {
  begin_.assign(n_vars() + 1, 0);
  for (const auto& [x, y] : pairs_) ++begin_[x + 1];
  for (size_t x = 0; x < n_vars(); ++x) begin_[x + 1] += begin_[x];
  to_.resize(pairs_.size());
  std::vector<uint32_t> at(begin_.begin(), begin_.end() - 1);
  for (const auto& [x, y] : pairs_) to_[at[x]++] = y;
  pairs_ = {};
}

SetId Values::value(Var x) {
  find(x);
  return {value_[x]};
}

bool Values::is_any(Var x) {
  find(x);
  return is_any_[x];
}

void Values::open(Var x) {
  met_at_[x] = lowest_[x] = n_met_++;
  met_.push_back(x);
  frames_.push_back({x, 0});
}

void Values::find(Var x) {
  if (value_.empty()) {
    value_.assign(graph_.n_vars(), kNoValue);
    is_any_.assign(graph_.n_vars(), false);
    met_at_.assign(graph_.n_vars(), kNotMet);
    lowest_.assign(graph_.n_vars(), kNotMet);
  }
  if (value_[x] != kNoValue) return;
  open(x);
  while (!frames_.empty()) {
    Frame& frame = frames_.back();
    const Var var = frame.var;
    const auto parts = graph_.parts(var);
    if (frame.next < parts.size()) {
      const Var part = parts[frame.next++];
      if (++n_steps_ % 4096 == 0) check_budget("finding adjacent parts of rules");
      if (value_[part] != kNoValue) continue;
      if (met_at_[part] == kNotMet) open(part);
      else lowest_[var] = std::min(lowest_[var], met_at_[part]);
      continue;
    }
    frames_.pop_back();
    if (!frames_.empty()) {
      uint32_t& above = lowest_[frames_.back().var];
      above = std::min(above, lowest_[var]);
    }
    if (lowest_[var] == met_at_[var]) close(var);
  }
}

// The variables visited since `root` form a component.
void Values::close(Var root) {
  std::vector<SetId> whole;
  bool is_any = false;
  size_t begin = met_.size();
  do {
    const Var x = met_[--begin];
    if (const uint32_t symbol = graph_.symbol(x); symbol != Inclusions::kNoSymbol) {
      is_any = true;
      whole.push_back(set_of_(symbol));
    }
    for (Var part : graph_.parts(x)) {
      if (value_[part] == kNoValue) continue;
      is_any = is_any || is_any_[part];
      if (value_[part] != 0) whole.push_back({value_[part]});
    }
  } while (met_[begin] != root);
  std::sort(whole.begin(), whole.end());
  whole.erase(std::unique(whole.begin(), whole.end()), whole.end());
  const SetId value = sets_.unite(whole);
  for (size_t i = begin; i < met_.size(); ++i) {
    value_[met_[i]] = value.value;
    is_any_[met_[i]] = is_any;
  }
  met_.resize(begin);
}

}  // namespace xg2lab::lark
