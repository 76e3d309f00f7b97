// Read: of, then first_group and find_shared (long contexts).
#include "parse/contexts.h"

#include <algorithm>

#include "support/budget.h"
#include "support/error.h"
#include "support/sort_unique.h"

namespace xg2lab {

Contexts::Contexts(const Program& program, Rows& rows) : program_(program), rows_(rows) {
  // Number 0 is the empty list: kOutside. The content of kBeyond is made when it is asked for
  // (everyone); its part has no waits, as no other context's has.
  parts_.of({{0, kSelf}});
}

ContextId Contexts::of(std::vector<Part>& parts) {
  sort_unique(parts);
  return ContextId(parts_.of(parts));
}

Rows::Id Contexts::own(ContextId context) {
  if (context == kBeyond) return everyone();
  // One list holds all waits of an origin.
  const std::span<const Part> of = parts(context);
  const auto found = std::ranges::find(of, kSelf, &Part::origin);
  return found == of.end() ? 0 : found->waits;
}

std::vector<WaitingItem> Contexts::waiting(ContextId context) const {
  std::vector<WaitingItem> items;
  for (const Part& part : parts(context)) {
    for (const auto& [rule, after] : rows_.waits(part.waits))
      items.push_back({rule, {after.state, part.origin, after.goal, after.counts}});
  }
  return items;
}

bool Contexts::are_more_than(size_t n, ContextId context, RuleId goal) const {
  size_t found = 0;
  for (const Part& part : parts(context)) {
    found += rows_.waits_for(part.waits, goal).size();
    if (found > n) return true;
  }
  return false;
}

Rows::Id Contexts::everyone() {
  if (everyone_) return *everyone_;
  CountSets& counts = rows_.count_sets();
  std::vector<Wait> waits;
  for (size_t r = 0; r < program_.n_rules(); ++r) {
    for (StateId state : program_.return_states(RuleId(r)))
      waits.push_back({RuleId(r), {state, program_.rule_of(state), counts.of_any_context(state)}});
  }
  return everyone_.emplace(rows_.waits_of(waits));
}

// ---- Clamping ----

// The contexts below come first, from a stack: a recursion would be as deep as the text is nested.
ContextId Contexts::clamped(ContextId context, uint32_t reach) {
  if (context <= kBeyond) return context;
  if (context.index() < clamped_.size() && clamped_[context.index()] != kOutside)
    return clamped_[context.index()];
  clamped_.resize(parts_.size());
  std::vector<ContextId> open{context};
  while (!open.empty()) {
    const ContextId at = open.back();
    const size_t n_open = open.size();
    for (const Part& part :
         clamped_[at.index()] == kOutside ? parts(at) : std::span<const Part>()) {
      const ContextId below = without_mark(part.origin);
      if (below != kSelf && below > kBeyond && clamped_[below.index()] == kOutside)
        open.push_back(below);
    }
    if (open.size() > n_open) continue;
    open.pop_back();
    count_work("counting repetitions", parts(at).size() + 1);
    if (clamped_[at.index()] == kOutside) clamped_[at.index()] = with_clamped_parts(at, reach);
  }
  return clamped_[context.index()];
}

ContextId Contexts::with_clamped_parts(ContextId context, uint32_t reach) {
  std::vector<Part> clamped;
  for (const Part& part : parts(context)) {
    const ContextId below = without_mark(part.origin);
    const bool is_below = below != kSelf && below > kBeyond;
    clamped.push_back(
        {rows_.clamped(part.waits, reach), is_below ? clamped_[below.index()] : below});
  }
  if (std::ranges::equal(clamped, parts(context))) return context;
  // Contexts that differed before may be one now: their waits become one list.
  std::ranges::sort(clamped, {}, &Part::origin);
  size_t n_kept = 0;
  for (const Part& part : clamped) {
    if (n_kept > 0 && clamped[n_kept - 1].origin == part.origin)
      clamped[n_kept - 1].waits = rows_.united_waits(clamped[n_kept - 1].waits, part.waits);
    else clamped[n_kept++] = part;
  }
  clamped.resize(n_kept);
  return of(clamped);
}

// ---- Long contexts ----

uint32_t Contexts::first_group(ContextId context) {
  if (const uint32_t* known = first_groups_.find(context)) return *known;
  const std::span<const Part> of = parts(context);
  const auto first = static_cast<uint32_t>(groups_.size());
  for (uint32_t begin = 0; begin < of.size();) {
    Group group;
    group.context = context;
    group.begin = begin;
    group.end = begin + 1;
    while (group.end < of.size() && of[group.end].waits == of[begin].waits) ++group.end;
    find_shared(group);
    groups_.append() = group;
    begin = group.end;
  }
  return first_groups_.add(context, first).value;
}

// The group of the context with this list of waits; kNone if the context has no groups, or none
// with this list.
uint32_t Contexts::group_of(ContextId context, Rows::Id waits) const {
  const uint32_t* first = first_groups_.find(context);
  if (first == nullptr) return Group::kNone;
  for (uint32_t g = *first; g < groups_.size() && groups_[g].context == context; ++g) {
    if (parts(context)[groups_[g].begin].waits == waits) return g;
  }
  return Group::kNone;
}

// Finds an earlier group whose parts are exactly the first parts of this group. The only candidate
// is the group with the same waits in the newest origin (other than kSelf).
void Contexts::find_shared(Group& group) const {
  const std::span<const Part> ours = parts(group.context);
  uint32_t last = group.end;
  if (ours[last - 1].origin == kSelf) --last;
  if (last == group.begin) return;
  const ContextId origin = without_mark(ours[last - 1].origin);
  if (origin <= kBeyond) return;
  const uint32_t candidate = group_of(origin, ours[group.begin].waits);
  if (candidate == Group::kNone) return;
  const Group& other = groups_[candidate];
  const std::span<const Part> theirs = parts(origin);
  const uint32_t n = other.end - other.begin;
  if (n > last - group.begin) return;
  for (uint32_t i = 0; i < n; ++i) {
    Part part = theirs[other.begin + i];
    if (part.origin == kSelf) part.origin = origin;
    if (part != ours[group.begin + i]) return;
  }
  group.shared = candidate;
  group.n_shared = n;
}

void Contexts::check(ContextId context, bool has_stacks) const {
  const std::span<const Part> of = parts(context);
  XG2LAB_ASSERT(std::ranges::is_sorted(of), "contexts I3");
  for (const Part& part : of) {
    const bool is_earlier = part.origin == kSelf || without_mark(part.origin) < context;
    XG2LAB_ASSERT(is_earlier, "contexts I2");
    XG2LAB_ASSERT(!rows_.waits(part.waits).empty(), "contexts I1: a part has waits");
    if (has_stacks)
      XG2LAB_ASSERT(part.origin != kSelf && rows_.waits(part.waits).size() == 1, "contexts I4");
  }
  XG2LAB_ASSERT(!has_stacks || of.size() == 1, "contexts I4");
}

}  // namespace xg2lab
