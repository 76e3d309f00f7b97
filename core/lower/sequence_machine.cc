// Read: is_sequence and add (which expressions are parts), Writer::points (which parts end at one
// point), Writer::write (states breadth-first), Writer::write_point. The trick: the states of a
// sequence are known in advance, so a breadth-first walk over places in the sequence writes the
// frozen form at once.
#include "lower/sequence_machine.h"

#include <algorithm>
#include <utility>

#include "automata/class_fsm.h"
#include "automata/minimize.h"
#include "support/budget.h"
#include "support/error.h"
#include "support/phases.h"

namespace xg2lab {

struct SequenceMachines::Part {
  ExprId expr;
  OriginSetId origins;
  std::string_view bytes;            // of a literal; empty for other parts
  const ClassMachine* of = nullptr;  // of a class
  RuleId rule;                       // of a call
  bool repeats = false;              // the part may follow itself
  bool is_optional = false;          // point `skips_to` may come instead of the part
  uint32_t skips_to = 0;

  bool is_literal() const { return !bytes.empty(); }
  bool is_call() const { return of == nullptr && !is_literal(); }
  bool has_inner_states() const {
    return is_literal() ? bytes.size() > 1 : of && of->fsm.n_states() > 2;
  }
};

namespace {

constexpr uint32_t kNotYet = UINT32_MAX;
// A sequence whose parts may all be left out has edges in proportion to the square of its parts.
// Beyond this many, the general construction decides what to do.
constexpr size_t kPointEdgesAState = 4;
constexpr size_t kPointEdgesBeyond = 50'000;

}  // namespace

// Writes the machine of a list of parts.
class SequenceMachines::Writer {
 public:
  Writer(std::span<const Part> parts, OriginSets& origins, size_t max_states)
      : parts_(parts), origins_(origins), max_states_(max_states) {}

  std::optional<FrozenFsm> write() {
    if (!points()) return std::nullopt;
    reserve();
    visit({0, 0});
    for (size_t i = 0; i < order_.size(); ++i) {
      count_work("building the machine of a rule");
      const Place at = order_[i];
      result_.begin_state();
      if (at.inner == 0) {
        if (!write_point(at.part)) return std::nullopt;
      } else {
        result_.is_accepting.push_back(false);
        write_inner(at);
      }
      const size_t most_edges = kPointEdgesAState * order_.size() + kPointEdgesBeyond;
      if (order_.size() > max_states_ || result_.terminal_edges.size() > most_edges)
        return std::nullopt;
    }
    result_.begin_state();
    return std::move(result_);
  }

 private:
  // A state: point `part`, before that part, if `inner` is 0. Otherwise within the part: behind so
  // many bytes of a literal, or in that state of a class's machine.
  struct Place {
    uint32_t part;
    uint32_t inner;
    friend bool operator==(const Place&, const Place&) = default;
  };
  struct Edge {
    ByteRange range;
    Place to;
    OriginSetId origins;
  };

  // Finds the points that are one state. False if inner states of two parts would be equal.
  bool points() {
    point_of_.resize(parts_.size() + 1);
    repeated_by_.assign(parts_.size() + 1, kNotYet);
    for (uint32_t i = 0; i < parts_.size(); ++i) {
      const Part& part = parts_[i];
      const uint32_t here = point_of_[i];
      const bool stays = part.repeats && part.is_optional && repeated_by_[here] == kNotYet;
      if (stays && i > 0 && may_end_alike(parts_[i - 1], part)) return false;
      const uint32_t next = stays ? here : i + 1;
      point_of_[i + 1] = next;
      if (part.repeats) repeated_by_[next] = i;
    }
    return true;
  }

  // Whether a state before the end of part `a`, its own point included, may equal an inner state of
  // part `b`, which repeats at the point where `a` ends.
  static bool may_end_alike(const Part& a, const Part& b) {
    if (a.is_call() || !b.has_inner_states()) return false;
    if (a.is_literal() && b.is_literal()) return a.bytes.back() == b.bytes.back();
    if (!a.is_literal() && !b.is_literal()) return true;
    const Part& literal = a.is_literal() ? a : b;
    const ClassMachine& of = a.is_literal() ? *b.of : *a.of;
    const auto last = static_cast<uint8_t>(literal.bytes.back());
    return std::ranges::any_of(of.fsm.terminal_edges, [&](const TerminalEdge& edge) {
      return edge.to == of.last && edge.range == ByteRange{last, last};
    });
  }

  void reserve() {
    size_t n_states = 1;
    for (const Part& part : parts_)
      n_states += part.is_literal() ? part.bytes.size() : part.of ? part.of->fsm.n_states() : 1;
    n_states = std::min(n_states, max_states_ + 1);
    order_.reserve(n_states);
    result_.terminal_edges.reserve(n_states + n_states / 4);
    for (auto* begins : {&result_.terminal_begin, &result_.rule_begin})
      begins->reserve(n_states + 1);
    result_.is_accepting.reserve(n_states);
    number_of_point_.assign(parts_.size() + 1, kNotYet);
    inner_begin_.assign(parts_.size(), kNotYet);
  }

  // The number of a state, which is assigned at its first visit.
  StateId visit(Place place) {
    uint32_t* known = nullptr;
    if (place.inner == 0) {
      known = &number_of_point_[place.part];
    } else if (!parts_[place.part].is_literal() || place.inner == 1) {
      // Behind two or more bytes of a literal, a state has one edge into it: its first visit is its
      // only one, so its number is not kept.
      uint32_t& begin = inner_begin_[place.part];
      if (begin == kNotYet) {
        begin = static_cast<uint32_t>(inner_numbers_.size());
        const Part& part = parts_[place.part];
        inner_numbers_.resize(begin + (part.is_literal() ? 2 : part.of->fsm.n_states()), kNotYet);
      }
      known = &inner_numbers_[begin + place.inner];
    }
    if (known != nullptr && *known != kNotYet) return StateId(*known);
    const auto number = static_cast<uint32_t>(order_.size());
    if (known != nullptr) *known = number;
    order_.push_back(place);
    return StateId(number);
  }

  Place end_of(uint32_t part) const { return {point_of_[part + 1], 0}; }

  void write_inner(Place at) {
    const Part& part = parts_[at.part];
    if (part.is_literal()) {
      const auto byte = static_cast<uint8_t>(part.bytes[at.inner]);
      const bool is_last = at.inner + 1 == part.bytes.size();
      const Place next = is_last ? end_of(at.part) : Place{at.part, at.inner + 1};
      result_.terminal_edges.push_back({{byte, byte}, visit(next), part.origins});
      return;
    }
    for (const TerminalEdge& edge : part.of->fsm.terminals(StateId(at.inner)))
      result_.terminal_edges.push_back({edge.range, visit(within(at.part, edge)), part.origins});
  }

  // Where an edge of a class's machine leads.
  Place within(uint32_t part, const TerminalEdge& edge) const {
    return edge.to == parts_[part].of->last ? end_of(part) : Place{part, edge.to.value};
  }

  // False if two parts begin alike.
  bool write_point(uint32_t point) {
    edges_.clear();
    calls_.clear();
    const uint32_t repeated_by = repeated_by_[point];
    // A part that repeats at the point before it is found below, among those that may come next.
    if (repeated_by != kNotYet && repeated_by < point) add_beginning(repeated_by);
    uint32_t next = point;
    while (next < parts_.size()) {
      count_work("building the machine of a rule");
      add_beginning(next);
      if (!parts_[next].is_optional) break;
      next = parts_[next].skips_to;
    }
    result_.is_accepting.push_back(next == parts_.size());
    return write_edges() && write_calls();
  }

  // Adds the edges by which a part begins.
  void add_beginning(uint32_t index) {
    const Part& part = parts_[index];
    if (part.is_literal()) {
      const auto byte = static_cast<uint8_t>(part.bytes.front());
      edges_.push_back(
          {{byte, byte}, part.bytes.size() == 1 ? end_of(index) : Place{index, 1}, part.origins});
    } else if (part.is_call()) {
      calls_.push_back({part.rule, StateId(end_of(index).part), part.origins});
    } else {
      for (const TerminalEdge& edge : part.of->fsm.terminals(StateId(0u)))
        edges_.push_back({edge.range, within(index, edge), part.origins});
    }
  }

  bool write_edges() {
    std::ranges::sort(edges_, {}, [](const Edge& edge) { return edge.range.lo; });
    for (size_t i = 0; i < edges_.size();) {
      Edge edge = edges_[i++];
      // Neighbouring ranges of two parts that end at one point become one edge.
      for (; i < edges_.size() && edges_[i].range.lo <= edge.range.hi + 1; ++i) {
        if (edges_[i].range.lo <= edge.range.hi) return false;
        if (edges_[i].to != edge.to) break;
        edge.range.hi = edges_[i].range.hi;
        edge.origins = origins_.unite(edge.origins, edges_[i].origins);
      }
      result_.terminal_edges.push_back({edge.range, visit(edge.to), edge.origins});
    }
    return true;
  }

  bool write_calls() {
    std::ranges::sort(calls_, {}, [](const RuleEdge& edge) { return edge.rule; });
    for (size_t i = 0; i < calls_.size(); ++i) {
      if (i > 0 && calls_[i - 1].rule == calls_[i].rule) return false;
      RuleEdge edge = calls_[i];
      edge.to = visit({edge.to.value, 0});
      result_.rule_edges.push_back(edge);
    }
    return true;
  }

  const std::span<const Part> parts_;
  OriginSets& origins_;
  const size_t max_states_;
  std::vector<uint32_t>
      point_of_;  // index: number of parts read; the point, as its smallest number
  std::vector<uint32_t> repeated_by_;      // index: point; the part that may repeat there
  std::vector<uint32_t> number_of_point_;  // index: point
  std::vector<uint32_t> inner_begin_;      // index: part; its first index in inner_numbers_
  std::vector<uint32_t> inner_numbers_;    // of literals' second states, and of classes' states
  std::vector<Place> order_;               // index: the state's number
  std::vector<Edge> edges_;                // of one point, as are the calls
  std::vector<RuleEdge> calls_;            // `to` is a point
  FrozenFsm result_;
};

std::optional<FrozenFsm> SequenceMachines::machine_of(std::span<const ExprId> parts, RuleId user,
                                                      size_t max_states) {
  Phased phase("sequences");
  if (!std::ranges::all_of(parts, [&](ExprId part) { return is_sequence(part, user); }))
    return std::nullopt;
  std::vector<Part> found;
  for (const ExprId part : parts) {
    if (!add(part, user, found)) return std::nullopt;
  }
  auto machine = Writer(found, origins_, max_states).write();
  if (machine) phase.made(0, machine->n_states());
  return machine;
}

// Whether all kinds of expressions in it may be parts. Asked first, since most bodies are choices.
bool SequenceMachines::is_sequence(ExprId id, RuleId user) {
  switch (grammar_.expr(id).kind) {
    case ExprKind::kRepeat:
      if (rule_called_(id, user)) return true;
      [[fallthrough]];
    case ExprKind::kSequence:
      return std::ranges::all_of(grammar_.children(id),
                                 [&](ExprId child) { return is_sequence(child, user); });
    case ExprKind::kEmpty:
    case ExprKind::kLiteral:
    case ExprKind::kClass:
    case ExprKind::kRuleRef:
    case ExprKind::kTokenSet:
    case ExprKind::kAnyOrder: return true;
    case ExprKind::kChoice:
    case ExprKind::kNothing:
    case ExprKind::kMachine:
    case ExprKind::kDispatch: return false;
  }
  return false;
}

bool SequenceMachines::add(ExprId id, RuleId user, std::vector<Part>& parts) {
  const Expr& expr = grammar_.expr(id);
  Part part;
  part.expr = id;
  switch (expr.kind) {
    case ExprKind::kEmpty: return true;
    case ExprKind::kLiteral: part.bytes = grammar_.literal(id); break;
    case ExprKind::kClass: part.of = &machine_of_class(id); break;
    case ExprKind::kRuleRef:
    case ExprKind::kTokenSet:
    case ExprKind::kAnyOrder: part.rule = rule_called_(id, user).value(); break;
    case ExprKind::kSequence:
      return std::ranges::all_of(grammar_.children(id),
                                 [&](ExprId child) { return add(child, user, parts); });
    case ExprKind::kRepeat: return add_repeat(id, user, parts);
    case ExprKind::kChoice:
    case ExprKind::kNothing:
    case ExprKind::kMachine:
    case ExprKind::kDispatch: return false;
  }
  part.origins = origins_.single(id.value);
  parts.push_back(part);
  return true;
}

// e{n,m} is n parts, then m - n that may be left out from each of them on; e{n,} ends with a part
// that repeats.
bool SequenceMachines::add_repeat(ExprId id, RuleId user, std::vector<Part>& parts) {
  const Expr& expr = grammar_.expr(id);
  const size_t first = parts.size();
  if (const auto counted = rule_called_(id, user)) {
    Part part;
    part.expr = id;
    part.rule = *counted;
    part.origins = origins_.single(id.value);
    parts.push_back(part);
    return true;
  }
  if (!add(grammar_.children(id)[0], user, parts) || parts.size() != first + 1) return false;
  const Part part = parts.back();
  // A repetition within a repetition is no part that repeats.
  if (part.repeats || part.is_optional) return false;
  const bool is_endless = expr.max == kNoUpperBound;
  constexpr uint32_t kMostCopies = 1000;
  const uint32_t n_copies = is_endless ? std::max(expr.min, 1u) : expr.max;
  if (n_copies > kMostCopies) return false;
  parts.resize(first + n_copies, part);
  if (is_endless) parts.back().repeats = true;
  for (size_t i = first + expr.min; i < parts.size(); ++i) {
    parts[i].is_optional = true;
    parts[i].skips_to = static_cast<uint32_t>(parts.size());
  }
  return true;
}

const SequenceMachines::ClassMachine& SequenceMachines::machine_of_class(ExprId id) {
  std::vector<std::pair<uint32_t, uint32_t>> ranges;
  for (const CodePointRange& range : grammar_.ranges(id)) ranges.emplace_back(range.lo, range.hi);
  const auto [known, is_new] = classes_.try_emplace(std::move(ranges));
  if (!is_new) return known->second;
  const Fsm fsm = [&] {
    Phased phase("thompson");
    Fsm of_class = class_fsm(grammar_.ranges(id));
    phase.made(0, of_class.n_states());
    return of_class;
  }();
  std::optional<FrozenFsm> machine = minimal(fsm, origins_, {SIZE_MAX});
  XG2LAB_ASSERT(machine, "the machine of a class has no limit");
  ClassMachine& made = known->second;
  made.fsm = *std::move(machine);
  for (size_t s = 0; s < made.fsm.n_states(); ++s) {
    if (made.fsm.is_accepting[s]) made.last = StateId(s);
  }
  return made;
}

}  // namespace xg2lab
