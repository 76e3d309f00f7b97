// Read: add (the kinds of expressions), add_parts and its loops, choices of texts and by heads,
// add_repeat.
#include "lower/thompson.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string>

#include "automata/text_machine.h"
#include "automata/utf8.h"
#include "support/budget.h"
#include "support/error.h"
#include "support/text.h"

namespace xg2lab {

namespace {

[[noreturn]] void refuse(const Grammar& grammar, RuleId id, const std::string& size,
                         const char* hint) {
  const Rule& rule = grammar.rule(id);
  Diagnostic diagnostic{"too_many_states", Severity::kError,
                        "rule `" + rule.name + "` needs more than " + size,
                        rule.name_span.empty() ? rule.span : rule.name_span, hint};
  throw Error(ErrorKind::kLimitError, {diagnostic}, *grammar.source());
}

}  // namespace

[[noreturn]] void refuse_states(const Grammar& grammar, RuleId id, size_t max_states) {
  refuse(grammar, id, concat(max_states, " states"),
         "use smaller repetition counts, or split the rule: {n,m} is written out m times, without "
         "EngineOptions.repetition_compression or up to repetition_threshold");
}

[[noreturn]] void refuse_edges(const Grammar& grammar, RuleId id, size_t max_edges) {
  refuse(grammar, id, concat(max_edges, " edges: many of its parts may follow many others"),
         "give the parts that may be repeated or left out a rule of their own, or raise "
         "EngineOptions.max_fsm_states");
}

namespace {

constexpr size_t kMostPartsAgain = 16;
constexpr size_t kManyAlternatives = 16;
constexpr size_t kFewestTexts = 4;  // in a choice whose texts are joined

// For x (s x)*: the number of parts of x, and the parts of s. Zero parts if `parts` don't have this
// form.
std::pair<size_t, std::span<const ExprId>> repeated(const Grammar& grammar,
                                                    std::span<const ExprId> parts) {
  for (size_t n = 1; n < std::min(parts.size(), kMostPartsAgain + 1); ++n) {
    const Expr& repeat = grammar.expr(parts[n]);
    if (repeat.kind != ExprKind::kRepeat) continue;
    if (repeat.min != 0 || repeat.max != kNoUpperBound) return {};
    std::span<const ExprId> inner = grammar.children(parts[n]);
    if (grammar.expr(inner.front()).kind == ExprKind::kSequence)
      inner = grammar.children(inner.front());
    if (inner.size() < n || !std::ranges::equal(parts.first(n), inner.last(n))) return {};
    return {n, inner.first(inner.size() - n)};
  }
  return {};
}

}  // namespace

const Fsm& Thompson::build(std::span<const ExprId> parts, RuleId rule) {
  rule_ = rule;
  if (parts.size() == 1) whole_ = parts.front();
  const StateId start = add_state();
  fsm_.set_accepting(add_parts(parts, start));
  return fsm_;
}

const Fsm& Thompson::build_members(ExprId any_order, std::span<const uint32_t> order, RuleId rule) {
  rule_ = rule;
  const StateId start = add_state();
  const StateId last = add_state();
  const auto children = grammar_.children(any_order);
  for (uint32_t i = 0; i < order.size(); ++i) {
    const ExprId member = children[order[i]];
    const StateId end = add(body_of_part(grammar_, member).value_or(member), start);
    fsm_.add_rule(end, end_of_member(i), last, origin(member));
  }
  fsm_.set_accepting(last);
  return fsm_;
}

StateId Thompson::add_state() {
  if (n_states() >= max_states_) refuse_states(grammar_, rule_, max_states_);
  count_work("building the machine of a rule");
  return fsm_.add_state();
}

StateId Thompson::add(ExprId id, StateId from) {
  const Expr& expr = grammar_.expr(id);
  switch (expr.kind) {
    case ExprKind::kEmpty: return from;
    case ExprKind::kNothing: return add_state();
    case ExprKind::kLiteral: return add_literal(id, from);
    case ExprKind::kClass: return add_class(id, from);
    case ExprKind::kRuleRef: {
      const StateId to = add_state();
      const RuleId rule = grammar_.rule_ref(id);
      fsm_.add_rule(from, kept_ == nullptr ? rule : (*kept_)[rule], to, origin(id));
      return to;
    }
    case ExprKind::kAnyOrder: {
      XG2LAB_ASSERT(made_ != nullptr, "members in any order are no machine (regular_rules.cc)");
      const StateId to = add_state();
      fsm_.add_rule(from, made_->rule_of(id, rule_), to, origin(id));
      return to;
    }
    case ExprKind::kSequence: {
      return add_parts(grammar_.children(id), from);
    }
    case ExprKind::kChoice: return add_choice(id, from);
    case ExprKind::kRepeat: return add_repeat(id, from);
    case ExprKind::kTokenSet: {
      const StateId to = add_state();
      fsm_.add_rule(from, tokens_.rule_of(grammar_.token_set(id)), to, origin(id));
      return to;
    }
    case ExprKind::kMachine: return add_machine(id, from);
    case ExprKind::kDispatch: break;
  }
  XG2LAB_ASSERT(false, "a dispatch is the whole of its rule (passes/machines_to_rules)");
  return from;
}

// Builds a sequence. A part x (s x)* with the same x is built once: after x, s leads back to its
// start.
StateId Thompson::add_parts(std::span<const ExprId> parts, StateId from) {
  StateId at = from;
  for (size_t i = 0; i < parts.size();) {
    const auto [n_again, separator] = repeated(grammar_, parts.subspan(i));
    if (n_again == 0) {
      at = add(parts[i++], at);
      continue;
    }
    // States of their own at both ends of the loop: no edge may enter the state behind which the
    // sequence is built.
    const StateId begin = add_state();
    fsm_.add_epsilon(at, begin);
    at = begin;
    for (size_t end = i + n_again; i < end; ++i) at = add(parts[i], at);
    const StateId last = add_state();
    fsm_.add_epsilon(at, last);
    fsm_.add_epsilon(add_parts(separator, last), begin);
    at = last;
    ++i;  // skips the repetition
  }
  return at;
}

StateId Thompson::add_literal(ExprId id, StateId from) {
  StateId at = from;
  for (char c : grammar_.literal(id)) {
    const auto byte = static_cast<uint8_t>(c);
    const StateId to = add_state();
    fsm_.add_terminal(at, {byte, byte}, to, origin(id));
    at = to;
  }
  return at;
}

StateId Thompson::add_choice(ExprId id, StateId from) {
  if (joins_texts_) {
    if (const auto to = add_texts(id, from)) return *to;
  }
  const StateId to = add_state();
  // A choice that is the whole body of a rule is called already.
  if (calls_choices_ && id != whole_ && grammar_.children(id).size() >= kManyAlternatives) {
    fsm_.add_rule(from, made_->rule_of_part(id, rule_), to, origin(id));
    has_called_ = true;
    return to;
  }
  std::vector<Head> heads;
  const bool shares_heads = grammar_.children(id).size() >= kFewestTexts;
  for (const ExprId child : grammar_.children(id)) {
    const auto head = shares_heads ? head_of(child) : std::nullopt;
    if (head) heads.push_back(*head);
    else fsm_.add_epsilon(add(child, from), to);
  }
  add_heads(std::move(heads), from, to);
  return to;
}

// Nothing if the expression doesn't begin with a literal, or is a loop that begins with one.
std::optional<Thompson::Head> Thompson::head_of(ExprId id) const {
  const Expr& expr = grammar_.expr(id);
  std::span<const ExprId> parts;  // for a literal alone: itself
  ExprId first = id;
  if (expr.kind == ExprKind::kSequence) {
    parts = grammar_.children(id);
    if (repeated(grammar_, parts).first != 0) return std::nullopt;
    first = parts.front();
    parts = parts.subspan(1);
  }
  if (grammar_.expr(first).kind != ExprKind::kLiteral) return std::nullopt;
  return Head{grammar_.literal(first), first, parts};
}

// Builds the trie of the literals that alternatives begin with, and behind each literal the parts
// that follow it. The subset construction would find the common prefixes too, but again in each set
// that contains the choice's first state.
void Thompson::add_heads(std::vector<Head> heads, StateId from, StateId to) {
  std::ranges::stable_sort(heads, {}, &Head::bytes);
  struct Open {
    size_t begin;  // of the heads that share this prefix
    size_t end;
    size_t depth;
    StateId at;
    OriginSetId origins;  // of the edge into this node
  };
  std::vector<Open> open;
  if (!heads.empty()) open.push_back({0, heads.size(), 0, from, origins_.none()});
  std::vector<OriginSetId> together;
  while (!open.empty()) {
    const Open here = open.back();
    open.pop_back();
    size_t begin = here.begin;
    // Literals that end at this node continue with their remaining parts. Sorting puts them first.
    for (; begin < here.end && heads[begin].bytes.size() == here.depth; ++begin) {
      const std::span<const ExprId> rest = heads[begin].rest;
      fsm_.add_epsilon(rest.empty() ? here.at : add_parts(rest, here.at), to);
    }
    while (begin < here.end) {
      const char first = heads[begin].bytes[here.depth];
      const auto goes_on_alike = [&](const Head& head) { return head.bytes[here.depth] == first; };
      size_t end = begin + 1;
      while (end < here.end && goes_on_alike(heads[end])) ++end;
      OriginSetId origins = here.origins;  // the same heads have the same origins
      if (here.depth == 0 || begin != here.begin || end != here.end) {
        together.clear();
        for (size_t i = begin; i < end; ++i) together.push_back(origin(heads[i].literal));
        origins = origins_.unite(together);
      }
      const StateId next = add_state();
      const auto byte = static_cast<uint8_t>(first);
      fsm_.add_terminal(here.at, {byte, byte}, next, origins);
      // Counts the states that separate copies of the literals would have had, since limits are in
      // proportion to these.
      n_left_out_ += end - begin - 1;
      open.push_back({begin, end, here.depth + 1, next, origins});
      begin = end;
    }
  }
}

// Builds the minimal machine of the choice's texts with start `from`; returns the state in which it
// ends. Nothing if some alternative is not a literal, or there are too few.
std::optional<StateId> Thompson::add_texts(ExprId choice, StateId from) {
  const auto children = grammar_.children(choice);
  const auto is_text = [&](ExprId id) { return grammar_.expr(id).kind == ExprKind::kLiteral; };
  if (children.size() < kFewestTexts || !std::ranges::all_of(children, is_text))
    return std::nullopt;
  std::vector<Text> texts;
  texts.reserve(children.size());
  size_t n_written_out = 0;
  for (const ExprId child : children) {
    texts.push_back({grammar_.literal(child), origin(child)});
    n_written_out += texts.back().bytes.size();
  }
  const FrozenFsm machine = machine_of_texts(std::move(texts), origins_);
  const size_t n_states_before = n_states();
  const StateId to = add_state();
  std::vector<StateId> state_of{from};
  for (size_t s = 1; s < machine.n_states(); ++s) {
    const bool is_last = machine.terminals(StateId(s)).empty();
    state_of.push_back(is_last ? to : add_state());
    if (is_last) continue;
    fsm_.set_joined(state_of.back());
    if (machine.is_accepting[s]) fsm_.add_epsilon(state_of.back(), to);
  }
  for (size_t s = 0; s < machine.n_states(); ++s) {
    for (const TerminalEdge& edge : machine.terminals(StateId(s)))
      fsm_.add_terminal(state_of[s], edge.range, state_of[edge.to.index()], edge.origins);
  }
  has_joined_texts_ = true;
  n_left_out_ += n_states_before + 1 + n_written_out - n_states();
  if (n_states() > max_states_) refuse_states(grammar_, rule_, max_states_);
  return to;
}

// Sequences share the states before their free continuation bytes. Otherwise [^<] would have 16
// states between its bytes, of which minimization would leave 7.
StateId Thompson::add_class(ExprId id, StateId from) {
  const StateId to = add_state();
  const OriginSetId origins = origin(id);
  constexpr ByteRange kFree{0x80, 0xBF};
  std::array<std::optional<StateId>, 4> before_free{to};  // index: free bytes left to read
  size_t n_left_out = 0;
  for (const Utf8Sequence& sequence : sequences_of(grammar_.ranges(id))) {
    size_t n_own = sequence.n_bytes;  // bytes before the free ones
    while (n_own > 1 && sequence.bytes[n_own - 1] == kFree) --n_own;
    const size_t n_free = sequence.n_bytes - n_own;
    for (size_t n = 1; n <= n_free; ++n) {
      if (before_free[n]) {
        ++n_left_out;
        continue;
      }
      before_free[n] = add_state();
      fsm_.add_terminal(*before_free[n], kFree, *before_free[n - 1], origins);
    }
    StateId at = from;
    for (size_t i = 0; i < n_own; ++i) {
      const StateId next = i + 1 == n_own ? *before_free[n_free] : add_state();
      fsm_.add_terminal(at, sequence.bytes[i], next, origins);
      at = next;
    }
  }
  leave_out(n_left_out);
  return to;
}

// The same class often follows itself: a body is inlined at each of its uses.
std::span<const Utf8Sequence> Thompson::sequences_of(std::span<const CodePointRange> ranges) {
  if (!std::ranges::equal(ranges, last_class_)) {
    last_class_.assign(ranges.begin(), ranges.end());
    sequences_.clear();
    for (const CodePointRange& range : ranges)
      std::ranges::copy(utf8_sequences(range.lo, range.hi), std::back_inserter(sequences_));
  }
  return sequences_;
}

StateId Thompson::add_machine(ExprId id, StateId from) {
  const FrozenFsm& machine = grammar_.machine(id).fsm;
  const StateId first = add_state();
  for (size_t i = 1; i < machine.n_states(); ++i) add_state();
  const StateId to = add_state();
  const auto copy_of = [&](size_t state) { return StateId(first.index() + state); };
  fsm_.add_epsilon(from, first);
  for (size_t i = 0; i < machine.n_states(); ++i) {
    for (const TerminalEdge& edge : machine.terminals(StateId(i))) {
      fsm_.add_terminal(copy_of(i), edge.range, copy_of(edge.to.index()), origin(id));
    }
    if (machine.is_accepting[i]) fsm_.add_epsilon(copy_of(i), to);
  }
  return to;
}

StateId Thompson::add_repeat(ExprId id, StateId from) {
  const Expr& expr = grammar_.expr(id);
  if (made_ != nullptr && made_->is_counted(expr)) {
    const StateId to = add_state();
    fsm_.add_rule(from, made_->rule_of(id, rule_), to, origin(id));
    return to;
  }
  const ExprId child = grammar_.children(id)[0];
  StateId at = from;
  const bool loops = expr.max == kNoUpperBound;
  const uint32_t n_before_loop = loops && expr.min > 0 ? expr.min - 1 : expr.min;
  for (uint32_t i = 0; i < n_before_loop; ++i) at = add(child, at);
  if (loops && expr.min > 0) return add_loop(child, at);
  if (loops) {
    const StateId loop = add_state();
    fsm_.add_epsilon(at, loop);
    fsm_.add_epsilon(add(child, loop), loop);
    return loop;
  }
  const StateId to = add_state();
  for (uint32_t i = expr.min; i < expr.max; ++i) {
    fsm_.add_epsilon(at, to);
    const size_t before = fsm_.n_states();
    at = add(child, at);
    if (fsm_.n_states() == before) break;  // the child matches only the empty string
  }
  fsm_.add_epsilon(at, to);
  return to;
}

// Builds the child once for both its first match and all further ones: x+ is not x x*, whose two
// copies minimization would have to join.
StateId Thompson::add_loop(ExprId child, StateId from) {
  const StateId begin = add_state();
  fsm_.add_epsilon(from, begin);
  const size_t n_before = n_states();
  const StateId end = add(child, begin);
  const size_t n_child = n_states() - n_before;
  const StateId last = add_state();
  fsm_.add_epsilon(end, last);
  fsm_.add_epsilon(last, begin);
  // Written out, the loop has the child's states twice and one state more.
  if (n_child > 0) leave_out(n_child - 1);
  return last;
}

void Thompson::leave_out(size_t n) {
  n_left_out_ += n;
  count_work("building the machine of a rule", n);
  if (n_states() > max_states_) refuse_states(grammar_, rule_, max_states_);
}

}  // namespace xg2lab
