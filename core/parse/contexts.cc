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

std::optional<ContextId> Contexts::united(ContextId a, ContextId b) {
  const auto is_frame = [this](ContextId context) {
    return context > kBeyond && context.index() < parts_.size() && parts(context).size() == 1 &&
           rows_.waits(parts(context).front().waits).size() == 1;
  };
  size_t n_differing = 0;
  bool is_a_within = true;  // the sets of a within those of b
  bool is_b_within = true;
  std::vector<Rows::Id> waits;  // of the united frames, from the top
  ContextId at_a = a;
  ContextId at_b = b;
  while (at_a != at_b) {
    if (!is_frame(at_a) || !is_frame(at_b) || !have_bounds(at_a)) return std::nullopt;
    const Part part_a = parts(at_a).front();
    const Part part_b = parts(at_b).front();
    const Wait wait_a = rows_.waits(part_a.waits).front();
    const Wait wait_b = rows_.waits(part_b.waits).front();
    if (!wait_a.is_same_but_counts(wait_b)) return std::nullopt;
    Rows::Id both = part_a.waits;
    if (part_a.waits != part_b.waits) {
      if (program_.kind(wait_a.after.state) != StateKind::kCounted) return std::nullopt;
      both = rows_.united_waits(part_a.waits, part_b.waits);
      ++n_differing;
      is_a_within = is_a_within && both == part_b.waits;
      is_b_within = is_b_within && both == part_a.waits;
    }
    waits.push_back(both);
    at_a = part_a.origin;
    at_b = part_b.origin;
  }
  if (is_a_within) return b;
  if (is_b_within) return a;
  if (n_differing > 1) return std::nullopt;
  ContextId frame = at_a;
  for (size_t i = waits.size(); i-- > 0;) {
    std::vector<Part> part{{waits[i], frame}};
    frame = of(part);
  }
  return frame;
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
ContextId Contexts::clamped(ContextId context, Rows::Id goals, uint32_t reach) {
  if (!have_bounds(context)) return context;
  if (const ContextId* known = clamped_.find({context.value, goals})) return *known;
  std::vector<Asked> open;
  open.push_back(asked(context, goals, reach));
  while (!open.empty()) {
    const size_t n_open = open.size();
    for (size_t i = 0; i < open[n_open - 1].parts.size(); ++i) {
      const std::optional<NumberPair> below = asked_below(open[n_open - 1], i);
      if (below && !clamped_.contains(*below))
        open.push_back(asked(ContextId(below->first), below->second, reach));
    }
    if (open.size() > n_open) continue;
    const Asked& at = open.back();
    count_work("counting repetitions", at.parts.size() + 1);
    const NumberPair key{at.context.value, at.goals};
    if (!clamped_.contains(key)) clamped_.add_absent(key, with_clamped_parts(at));
    open.pop_back();
  }
  return clamped_.at({context.value, goals});
}

bool Contexts::have_bounds(ContextId context) {
  if (!program_.has_counts() || context <= kBeyond) return false;
  // A context is newer than the contexts below it, so theirs are known.
  while (have_bounds_.size() <= context.index()) {
    const std::span<const Part> of = parts_[static_cast<uint32_t>(have_bounds_.size())];
    have_bounds_.push_back(std::ranges::any_of(of, [this](const Part& part) {
      const ContextId below = without_mark(part.origin);
      return rows_.have_bounds(part.waits) || (below != kSelf && have_bounds_[below.index()]);
    }));
  }
  return have_bounds_[context.index()];
}

Contexts::Asked Contexts::asked(ContextId context, Rows::Id goals, uint32_t reach) {
  Asked found{context, goals, {}, {}};
  // A goal that began here resumes items that wait here, which lead to goals that began here.
  const Rows::Id all = rows_.goals_led_to(own(context), goals);
  for (const Part& part : parts(context)) {
    const Rows::Id kept = rows_.waits_for(part.waits, all);
    if (kept == 0) continue;
    found.parts.push_back({rows_.clamped(kept, reach), part.origin});
    found.goals_below.push_back(rows_.goals_after(kept));
  }
  return found;
}

std::optional<NumberPair> Contexts::asked_below(const Asked& of, size_t part) {
  const ContextId origin = without_mark(of.parts[part].origin);
  if (origin == kSelf || !have_bounds(origin)) return std::nullopt;
  return NumberPair{origin.value, of.goals_below[part]};
}

ContextId Contexts::with_clamped_parts(const Asked& of) {
  std::vector<Part> clamped = of.parts;
  for (size_t i = 0; i < clamped.size(); ++i) {
    const std::optional<NumberPair> below = asked_below(of, i);
    if (clamped[i].origin != kSelf) clamped[i].origin = without_mark(clamped[i].origin);
    if (below) clamped[i].origin = clamped_.at(*below);
  }
  // Nobody waits for a goal that can't be completed. An empty context would be kOutside.
  if (clamped.empty() || std::ranges::equal(clamped, parts(of.context))) return of.context;
  // Contexts that differed before may be one now: their waits become one list.
  std::ranges::sort(clamped, {}, &Part::origin);
  size_t n_kept = 0;
  for (const Part& part : clamped) {
    if (n_kept > 0 && clamped[n_kept - 1].origin == part.origin)
      clamped[n_kept - 1].waits = rows_.united_waits(clamped[n_kept - 1].waits, part.waits);
    else clamped[n_kept++] = part;
  }
  clamped.resize(n_kept);
  return this->of(clamped);
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
    if (group.end - begin >= kManyParts) find_shared(group);
    groups_.append() = group;
    begin = group.end;
  }
  groups_[first].n_of_context = static_cast<uint32_t>(groups_.size()) - first;
  return first_groups_.add(context, first).value;
}

// The group of the context with this list of waits; kNone if the context has no groups, or none
// with this list. The groups of a context are sorted by their waits, as its parts are (I3).
uint32_t Contexts::group_of(ContextId context, Rows::Id waits) const {
  const uint32_t* first = first_groups_.find(context);
  if (first == nullptr) return Group::kNone;
  uint32_t begin = *first;
  uint32_t end = begin + groups_[begin].n_of_context;
  while (begin < end) {
    const uint32_t middle = begin + (end - begin) / 2;
    const Rows::Id at = parts(context)[groups_[middle].begin].waits;
    if (at == waits) return middle;
    if (at < waits) begin = middle + 1;
    else end = middle;
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
