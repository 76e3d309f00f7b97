// One step, by the kind of the front expression. Read: push and step, then uses_in. The trick: the
// last child of a sequence and the last round of a repetition are pushed directly onto the
// following continuation. So a right-recursive rule returns to the list that it started from.
#include "checks/continuation.h"

#include <algorithm>
#include <set>
#include <utility>

#include "support/hash.h"

namespace xg2lab::checks {

size_t Continuations::FrameHash::operator()(const Frame& frame) const noexcept {
  uint64_t hash = hash_combine(frame.expr.value, frame.at);
  hash = hash_combine(hash, (uint64_t{frame.min} << 32) | frame.max);
  hash = hash_combine(hash, frame.next.value);
  return hash_combine(hash, (uint64_t{frame.mark} << 1) | static_cast<uint64_t>(frame.is_mark));
}

Continuations::Continuations(const Grammar& grammar) : grammar_(grammar), frames_(1) {}

ContinuationId Continuations::intern(Frame frame) {
  // Every frame stores the mark at the end of its list, so mark_of needs no walk.
  if (!frame.is_mark) frame.mark = mark_of(frame.next);
  const auto [found, is_new] = known_.try_emplace(frame, ContinuationId(frames_.size()));
  if (is_new) frames_.push_back(frame);
  return found->second;
}

ContinuationId Continuations::push(ExprId expr, ContinuationId next) {
  const Expr& e = grammar_.expr(expr);
  if (e.kind == ExprKind::kEmpty) return next;
  Frame frame;
  frame.expr = expr;
  frame.next = next;
  if (e.kind == ExprKind::kRepeat) {
    frame.min = e.min;
    frame.max = e.max;
  }
  return intern(frame);
}

ContinuationId Continuations::marked(Mark mark) {
  Frame frame;
  frame.mark = mark;
  frame.is_mark = true;
  return intern(frame);
}

// ---- One step ----

// The continuation of a repetition after one more round.
ContinuationId Continuations::again(const Frame& repeat) {
  if (repeat.max == 1) return repeat.next;
  Frame frame = repeat;
  frame.min -= frame.min > 0 ? 1 : 0;
  frame.max -= frame.max != kNoUpperBound ? 1 : 0;
  return intern(frame);
}

void Continuations::step_class(const Frame& frame, Steps& steps) {
  const auto [found, is_new] = classes_.try_emplace(frame.expr);
  std::vector<Utf8Sequence>& sequences = found->second;
  if (is_new) {
    for (const CodePointRange& range : grammar_.ranges(frame.expr)) {
      const auto more = utf8_sequences(range.lo, range.hi);
      sequences.insert(sequences.end(), more.begin(), more.end());
    }
  }
  const auto add = [&](uint32_t sequence, uint32_t byte) {
    Frame rest = frame;
    rest.at = 4 * sequence + byte + 1;
    // Code points are read byte by byte: `at` stores the sequence and the bytes matched so far.
    const bool is_last = byte + 1 == sequences[sequence].n_bytes;
    steps.bytes.push_back({sequences[sequence].bytes[byte], is_last ? frame.next : intern(rest)});
  };
  if (frame.at != 0) return add(frame.at / 4, frame.at % 4);
  for (uint32_t i = 0; i < sequences.size(); ++i) add(i, 0);
}

const DispatchMachine& Continuations::machine_of(ExprId id) {
  const auto [found, is_new] = machines_.try_emplace(id);
  if (is_new) {
    const Dispatch& dispatch = grammar_.dispatch(id);
    found->second = dispatch_machine({views(dispatch.tags), views(dispatch.stop_texts),
                                      views(dispatch.excludes), dispatch.stop_eos,
                                      dispatch.loop_after_dispatch});
  }
  return found->second;
}

void Continuations::step_dispatch(const Frame& frame, Steps& steps) {
  const FrozenFsm& fsm = machine_of(frame.expr).fsm;
  const auto references = grammar_.children(frame.expr);
  const auto rest_at = [&](StateId state) {
    Frame rest = frame;
    rest.at = state.value;
    return intern(rest);
  };
  for (const TerminalEdge& edge : fsm.terminals(StateId(frame.at))) {
    steps.bytes.push_back({edge.range, rest_at(edge.to)});
  }
  for (const RuleEdge& edge : fsm.rules(StateId(frame.at))) {
    const RuleId rule = grammar_.rule_ref(references[edge.rule.index()]);
    steps.calls.push_back({rule, rest_at(edge.to)});
  }
  if (fsm.is_accepting[frame.at]) steps.empties.push_back(frame.next);
}

void Continuations::step_machine(const Frame& frame, Steps& steps) {
  const FrozenFsm& fsm = grammar_.machine(frame.expr).fsm;
  for (const TerminalEdge& edge : fsm.terminals(StateId(frame.at))) {
    Frame rest = frame;
    rest.at = edge.to.value;
    steps.bytes.push_back({edge.range, intern(rest)});
  }
  if (fsm.is_accepting[frame.at]) steps.empties.push_back(frame.next);
}

// ---- Members in any order ----

namespace {

// Values of `at`; 0: before all members.
constexpr uint32_t kAfterMember = 1;
constexpr uint32_t kAfterSeparator = 2;
constexpr size_t kMostSets = 1000;  // larger families of sets are replaced by all sets

}  // namespace

MemberSets& Continuations::member_sets(ExprId id) {
  return member_sets_.try_emplace(id, grammar_.any_order(id)).first->second;
}

void Continuations::step_any_order(const Frame& frame, Steps& steps) {
  MemberSets& sets = member_sets(frame.expr);
  const auto children = grammar_.children(frame.expr);
  const auto rest_at = [&](uint32_t at, uint32_t set) {
    Frame rest = frame;
    rest.at = at;
    rest.min = set;
    return intern(rest);
  };
  if (frame.at != kAfterSeparator && sets.may_end(frame.min)) steps.empties.push_back(frame.next);
  if (frame.at == kAfterMember) {
    if (sets.may_go_on(frame.min))
      steps.empties.push_back(push(children.back(), rest_at(kAfterSeparator, frame.min)));
    return;
  }
  for (uint32_t i = 0; i + 1 < children.size(); ++i) {
    if (!sets.may_match(frame.min, i)) continue;
    steps.calls.push_back(
        {grammar_.rule_ref(children[i]), rest_at(kAfterMember, sets.with(frame.min, i))});
  }
}

// The uses of members with each possible set of matched members. If there are more than kMostSets
// sets, any set is assumed.
void Continuations::uses_in_any_order(RuleId caller, Frame frame, std::vector<Use>& uses) {
  MemberSets& sets = member_sets(frame.expr);
  const auto children = grammar_.children(frame.expr);
  const auto use = [&](ExprId child, uint32_t at, uint32_t set) {
    frame.at = at;
    frame.min = set;
    if (grammar_.expr(child).kind != ExprKind::kRuleRef) return;
    uses.push_back({caller, grammar_.rule_ref(child), child, intern(frame), false});
  };
  std::vector<uint32_t> reached{MemberSets::kNoneMatched};
  std::set<uint32_t> known{MemberSets::kNoneMatched};
  for (size_t s = 0; s < reached.size() && reached.size() <= kMostSets; ++s) {
    for (uint32_t i = 0; i + 1 < children.size(); ++i) {
      if (!sets.may_match(reached[s], i)) continue;
      const uint32_t after = sets.with(reached[s], i);
      if (known.insert(after).second) reached.push_back(after);
    }
  }
  if (reached.size() > kMostSets) reached = {MemberSets::kAny};
  for (uint32_t set : reached) {
    for (uint32_t i = 0; i + 1 < children.size(); ++i) {
      if (sets.may_match(set, i)) use(children[i], kAfterMember, sets.with(set, i));
    }
    if (sets.may_go_on(set)) use(children.back(), kAfterSeparator, set);
  }
}

void Continuations::step(ContinuationId id, Steps& steps) {
  steps.bytes.clear();
  steps.tokens.clear();
  steps.empties.clear();
  steps.calls.clear();
  steps.mark = kNoMark;
  if (id == kNothingLeft) return;
  const Frame frame = frames_[id.index()];  // a copy: intern moves the table
  if (frame.is_mark) {
    steps.mark = frame.mark;
    return;
  }
  const auto children = grammar_.children(frame.expr);
  Frame rest = frame;
  ++rest.at;
  switch (grammar_.expr(frame.expr).kind) {
    case ExprKind::kEmpty: steps.empties.push_back(frame.next); break;
    case ExprKind::kNothing: break;
    case ExprKind::kLiteral: {
      const std::string_view bytes = grammar_.literal(frame.expr);
      const auto byte = static_cast<uint8_t>(bytes[frame.at]);
      steps.bytes.push_back({{byte, byte}, rest.at == bytes.size() ? frame.next : intern(rest)});
      break;
    }
    case ExprKind::kClass: step_class(frame, steps); break;
    case ExprKind::kRuleRef:
      steps.calls.push_back({grammar_.rule_ref(frame.expr), frame.next});
      break;
    case ExprKind::kSequence:
      steps.empties.push_back(
          push(children[frame.at], rest.at == children.size() ? frame.next : intern(rest)));
      break;
    case ExprKind::kChoice:
      for (ExprId child : children) steps.empties.push_back(push(child, frame.next));
      break;
    case ExprKind::kRepeat:
      if (frame.max > 0) steps.empties.push_back(push(children.front(), again(frame)));
      if (frame.min == 0) steps.empties.push_back(frame.next);
      break;
    case ExprKind::kDispatch: step_dispatch(frame, steps); break;
    case ExprKind::kTokenSet:
      steps.tokens.push_back({&grammar_.token_set(frame.expr), frame.next});
      break;
    case ExprKind::kMachine: step_machine(frame, steps); break;
    case ExprKind::kAnyOrder: step_any_order(frame, steps); break;
  }
}

// ---- Uses: a walk down a body that carries the continuation ----

std::vector<Use> Continuations::uses_in(RuleId caller, ContinuationId end) {
  struct Occurrence {
    ExprId expr;
    ContinuationId next;
    bool is_first;
    auto operator<=>(const Occurrence&) const = default;
  };
  std::vector<Use> uses;
  std::set<Occurrence> seen;  // parts may be shared
  std::vector<Occurrence> pending{{grammar_.rule(caller).body, end, true}};
  while (!pending.empty()) {
    const Occurrence occurrence = pending.back();
    pending.pop_back();
    if (!seen.insert(occurrence).second) continue;
    const auto children = grammar_.children(occurrence.expr);
    Frame frame;
    frame.expr = occurrence.expr;
    frame.next = occurrence.next;
    switch (grammar_.expr(occurrence.expr).kind) {
      case ExprKind::kRuleRef:
        uses.push_back({caller, grammar_.rule_ref(occurrence.expr), occurrence.expr,
                        occurrence.next, occurrence.is_first});
        break;
      case ExprKind::kSequence:
        for (size_t i = children.size(); i-- > 0;) {
          frame.at = static_cast<uint32_t>(i + 1);
          const ContinuationId next = frame.at == children.size() ? occurrence.next : intern(frame);
          pending.push_back({children[i], next, occurrence.is_first && i == 0});
        }
        break;
      case ExprKind::kChoice:
        for (size_t i = children.size(); i-- > 0;) {
          pending.push_back({children[i], occurrence.next, occurrence.is_first});
        }
        break;
      case ExprKind::kRepeat: {
        // After a round, any number of rounds up to the maximum less one may follow. The minimum
        // doesn't matter: earlier rounds may have satisfied it.
        frame.max = grammar_.expr(occurrence.expr).max;
        pending.push_back({children.front(), again(frame), occurrence.is_first && frame.max == 1});
        break;
      }
      case ExprKind::kDispatch: {
        const FrozenFsm& fsm = machine_of(occurrence.expr).fsm;
        for (const RuleEdge& edge : fsm.rule_edges) {
          frame.at = edge.to.value;
          const ExprId reference = children[edge.rule.index()];
          uses.push_back({caller, grammar_.rule_ref(reference), reference, intern(frame), false});
        }
        break;
      }
      case ExprKind::kAnyOrder: uses_in_any_order(caller, frame, uses); break;
      default: break;
    }
  }
  return uses;
}

}  // namespace xg2lab::checks
