// Read: enter, leave, after; then machines of leaves; then counts: simplest, joined, united. The
// trick: leaving goes up the tree in a loop and entering goes down with an agenda, so a deep tree
// needs no deep stack.
#include "operators/positions.h"

#include <algorithm>

#include "automata/class_fsm.h"
#include "automata/minimize.h"
#include "dispatch/dispatch_machine.h"
#include "support/budget.h"
#include "support/error.h"

namespace xg2lab::operators {
namespace {

constexpr std::string_view kRunning = "running the tree of operators";

// ---- Counts ----

// The interval without the numbers whose part another number can play.
Interval simplest(const Operator& loop, uint32_t low, uint32_t high) {
  if (loop.most == kNoUpperBound) {
    high = std::min(high, std::max(loop.least, 1u));
    return {high, high};
  }
  return high < loop.least ? Interval{low, high} : Interval{low, std::max(low, loop.least)};
}

// The union of two intervals; nothing if a number between them would allow more.
std::optional<Interval> joined_interval(const Operator& loop, Interval a, Interval b) {
  if (b < a) std::swap(a, b);
  if (loop.most != kNoUpperBound && b.low > a.high &&
      uint64_t{b.low} - a.high > uint64_t{loop.most} - loop.least + 1)
    return std::nullopt;
  return simplest(loop, a.low, std::max(a.high, b.high));
}

}  // namespace

// ---- Entering and leaving operators ----

Active Positions::start(OperatorId root) {
  Active found;
  enter(root, {}, found);
  if (tree_->at(root).is_nullable) found.push_back({Position::kEnd, 0, {}});
  return united(std::move(found), root);
}

void Positions::enter(OperatorId id, Counts counts, Active& found) {
  std::vector<std::pair<OperatorId, Counts>> agenda;
  agenda.emplace_back(id, std::move(counts));
  while (!agenda.empty()) {
    auto [at, of] = std::move(agenda.back());
    agenda.pop_back();
    count_work(kRunning, 1 + of.size());
    const Operator& entered = tree_->at(at);
    switch (entered.kind) {
      case OperatorKind::kWrite:
        if (entered.reads == Reads::kBytes && tree_->bytes(at).empty()) break;
        [[fallthrough]];
      case OperatorKind::kWait: {
        const uint32_t state = first_state(at);
        found.push_back({at, state, std::move(of)});
        break;
      }
      case OperatorKind::kDoWhile:
        of.push_back(simplest(entered, 1, 1));
        agenda.emplace_back(tree_->children(at).front(), std::move(of));
        break;
      case OperatorKind::kIfElse:
        for (const OperatorId child : tree_->children(at)) agenda.emplace_back(child, of);
        break;
      case OperatorKind::kSequence:
        for (const OperatorId child : tree_->children(at)) {
          agenda.emplace_back(child, of);
          if (!tree_->at(child).is_nullable) break;
        }
        break;
    }
  }
}

bool Positions::enter_rest(OperatorId sequence, size_t place, const Counts& counts, Active& found) {
  for (const OperatorId child : tree_->children(sequence).subspan(place)) {
    enter(child, counts, found);
    if (!tree_->at(child).is_nullable) return false;
  }
  return true;
}

void Positions::leave(OperatorId id, Counts counts, OperatorId root, Active& found) {
  while (id != root) {
    count_work(kRunning, 1 + counts.size());
    const OperatorId above(tree_->at(id).parent);
    const Operator& parent = tree_->at(above);
    switch (parent.kind) {
      case OperatorKind::kSequence:
        if (!enter_rest(above, tree_->at(id).place + 1, counts, found)) return;
        break;
      case OperatorKind::kDoWhile: {
        const Interval running = counts.back();
        if (parent.most == kNoUpperBound || running.low < parent.most) {
          const uint32_t high = parent.most == kNoUpperBound
                                    ? running.high + 1
                                    : std::min(running.high + 1, parent.most);
          counts.back() = simplest(parent, running.low + 1, high);
          enter(id, counts, found);
        }
        if (running.high < parent.least) return;
        counts.pop_back();
        break;
      }
      case OperatorKind::kWait: {  // the rule of a tag has ended
        const Dispatch& dispatch = tree_->grammar().dispatch(parent.expr);
        if (dispatch.loop_after_dispatch) enter(above, counts, found);
        if (dispatch.loop_after_dispatch && !dispatch.stop_eos) return;
        break;
      }
      case OperatorKind::kIfElse:
      case OperatorKind::kWrite: break;
    }
    id = above;
  }
  found.push_back({Position::kEnd, 0, {}});
}

// ---- Reading a byte, and crossing token edges ----

Active Positions::advance(const Active& active, uint8_t byte, OperatorId root) {
  Active found;
  for (const Position& position : active) after(position, byte, root, found);
  return united(std::move(found), root);
}

void Positions::after(const Position& position, uint8_t byte, OperatorId root, Active& found) {
  count_work(kRunning);
  if (position.is_end()) return;
  switch (tree_->at(position.leaf).reads) {
    case Reads::kBytes: {
      const std::string_view bytes = tree_->bytes(position.leaf);
      if (static_cast<uint8_t>(bytes[position.state]) != byte) return;
      if (position.state + 1 == bytes.size()) leave(position.leaf, position.counts, root, found);
      else found.push_back({position.leaf, position.state + 1, position.counts});
      return;
    }
    case Reads::kClass:
    case Reads::kWatched:
    case Reads::kMachine: after_machine(position, byte, root, found); return;
    case Reads::kShortest: after_shortest(position, byte, root, found); return;
    case Reads::kTokens:
    case Reads::kNothing: return;  // no byte crosses a token edge
  }
}

void Positions::after_machine(const Position& position, uint8_t byte, OperatorId root,
                              Active& found) {
  const FrozenFsm& fsm = machine(position.leaf).fsm;
  for (const TerminalEdge& edge : fsm.terminals(StateId(position.state))) {
    if (!edge.range.contains(byte)) continue;
    for (const RuleEdge& tag : fsm.rules(edge.to)) {
      const OperatorId body = tree_->children(position.leaf)[tag.rule.index()];
      enter(body, position.counts, found);
      if (tree_->at(body).is_nullable) leave(body, position.counts, root, found);
    }
    if (!fsm.terminals(edge.to).empty())
      found.push_back({position.leaf, edge.to.value, position.counts});
    if (fsm.is_accepting[edge.to.index()]) leave(position.leaf, position.counts, root, found);
  }
}

void Positions::after_shortest(const Position& position, uint8_t byte, OperatorId root,
                               Active& found) {
  const OperatorId child = tree_->children(position.leaf).front();
  Active inner = advance(within(position), byte, child);
  // The first end is the end: other continuations are dropped.
  const bool has_ended = std::ranges::any_of(inner, &Position::is_end);
  if (has_ended) leave(position.leaf, position.counts, root, found);
  else if (!inner.empty())
    found.push_back({position.leaf, number_of(std::move(inner)), position.counts});
}

Active Positions::crossed(const Active& active, std::optional<TokenId> token) {
  Active found;
  for (const Position& position : active) {
    const TokenSet* set = tokens(position);
    if (set == nullptr || (token ? !set->holds(*token) : !set->is_negated)) continue;
    leave(position.leaf, position.counts, OperatorId(0u), found);
  }
  return united(std::move(found), OperatorId(0u));
}

Active Positions::after_token(const Active& active, TokenId token, std::string_view bytes,
                              bool is_text) {
  Active read;
  if (is_text) {
    read = active;
    for (const char byte : bytes) read = advance(read, static_cast<uint8_t>(byte));
  }
  Active behind = crossed(active, token);
  read.insert(read.end(), behind.begin(), behind.end());
  return united(std::move(read), OperatorId(0u));
}

// ---- Leaves ----

const TokenSet* Positions::tokens(const Position& position) const {
  if (position.is_end() || tree_->at(position.leaf).reads != Reads::kTokens) return nullptr;
  return &tree_->grammar().token_set(tree_->at(position.leaf).expr);
}

std::vector<ByteRange> Positions::bytes(const Position& position) {
  std::vector<ByteRange> ranges;
  if (position.is_end()) return ranges;
  switch (tree_->at(position.leaf).reads) {
    case Reads::kBytes: {
      const auto byte = static_cast<uint8_t>(tree_->bytes(position.leaf)[position.state]);
      ranges.push_back({byte, byte});
      break;
    }
    case Reads::kClass:
    case Reads::kWatched:
    case Reads::kMachine:
      for (const TerminalEdge& edge : machine(position.leaf).fsm.terminals(StateId(position.state)))
        ranges.push_back(edge.range);
      break;
    case Reads::kShortest:
      for (const Position& inner : within(position)) {
        const std::vector<ByteRange> more = bytes(inner);  // lazy rules don't nest without end
        ranges.insert(ranges.end(), more.begin(), more.end());
      }
      break;
    case Reads::kTokens:
    case Reads::kNothing: break;
  }
  return ranges;
}

std::string_view Positions::watched(const Position& position) {
  const DispatchFacts& facts = machine(position.leaf).facts;
  const DispatchPosition at = facts.positions[position.state];
  if (at.n_read == 0) return {};
  return std::string_view(facts.texts[at.text]).substr(0, at.n_read);
}

uint32_t Positions::first_state(OperatorId leaf) {
  if (tree_->at(leaf).reads != Reads::kShortest) return 0;
  return number_of(start(tree_->children(leaf).front()));
}

uint32_t Positions::number_of(Active inner) {
  const auto [known, is_new] =
      numbers_.try_emplace(std::move(inner), static_cast<uint32_t>(inner_.size()));
  if (is_new) inner_.push_back(&known->first);
  return known->second;
}

const LeafMachine& Positions::machine(OperatorId leaf) {
  const ExprId expr = tree_->at(leaf).expr;
  const auto known = machines_.find(expr);
  return known != machines_.end() ? known->second
                                  : machines_.emplace(expr, made_machine(leaf)).first->second;
}

LeafMachine Positions::made_machine(OperatorId leaf) const {
  const Grammar& grammar = tree_->grammar();
  const ExprId expr = tree_->at(leaf).expr;
  if (tree_->at(leaf).reads == Reads::kMachine) return {grammar.machine(expr).fsm, {}};
  if (tree_->at(leaf).reads == Reads::kWatched) {
    const Dispatch& dispatch = grammar.dispatch(expr);
    DispatchMachine made = dispatch_machine({views(dispatch.tags), views(dispatch.stop_texts),
                                             views(dispatch.excludes), dispatch.stop_eos,
                                             dispatch.loop_after_dispatch});
    return {std::move(made.fsm), std::move(made.facts)};
  }
  OriginSets origins;
  std::optional<FrozenFsm> of_class = minimal(class_fsm(grammar.ranges(expr)), origins, {SIZE_MAX});
  XG2LAB_ASSERT(of_class, "positions: the machine of a class has no limit");
  return {*std::move(of_class), {}};
}

// ---- Uniting positions that differ in counts ----

std::vector<OperatorId> Positions::loops(OperatorId leaf, OperatorId root) const {
  std::vector<OperatorId> found;
  for (OperatorId at = leaf; at != root && at != Position::kEnd;) {
    at = OperatorId(tree_->at(at).parent);
    if (tree_->at(at).kind == OperatorKind::kDoWhile) found.push_back(at);
  }
  std::ranges::reverse(found);
  return found;
}

std::vector<Interval> Positions::decisive_numbers(OperatorId loop) const {
  const Operator& of = tree_->at(loop);
  const uint32_t most = of.most == kNoUpperBound ? std::max(of.least, 1u) : of.most;
  std::vector<Interval> found;
  for (const uint64_t number :
       {uint64_t{1}, uint64_t{of.least}, uint64_t{of.least} + 1, uint64_t{most}}) {
    if (number < 1 || number > most) continue;
    const auto at = static_cast<uint32_t>(number);
    found.push_back(simplest(of, at, at));
  }
  std::ranges::sort(found);
  found.erase(std::ranges::unique(found).begin(), found.end());
  return found;
}

Active Positions::at_leaf(OperatorId leaf, std::vector<Interval> counts) {
  Active found;
  enter(leaf, std::move(counts), found);
  return found;
}

std::optional<Position> Positions::joined(const Position& a, const Position& b,
                                          const std::vector<OperatorId>& loops) const {
  Position joint = a;
  size_t n_differing = 0;
  for (size_t i = 0; i < loops.size(); ++i) {
    const auto both = joined_interval(tree_->at(loops[i]), a.counts[i], b.counts[i]);
    if (!both) return std::nullopt;
    joint.counts[i] = *both;
    n_differing += a.counts[i] == b.counts[i] ? 0 : 1;
  }
  // Intervals of several counts allow more together than two positions did, unless one covers the
  // other.
  if (n_differing > 1 && joint.counts != a.counts && joint.counts != b.counts) return std::nullopt;
  return joint;
}

Active Positions::united(Active positions, OperatorId root) const {
  const auto place = [](const Position& p) { return std::pair(p.leaf, p.state); };
  std::ranges::sort(positions);
  positions.erase(std::ranges::unique(positions).begin(), positions.end());
  Active result;
  for (size_t begin = 0; begin < positions.size();) {
    size_t end = begin + 1;
    while (end < positions.size() && place(positions[end]) == place(positions[begin])) ++end;
    if (end - begin == 1) {
      result.push_back(std::move(positions[begin++]));
      continue;
    }
    const std::vector<OperatorId> loops_around = loops(positions[begin].leaf, root);
    const size_t first = result.size();
    Active agenda(positions.begin() + static_cast<ptrdiff_t>(begin),
                  positions.begin() + static_cast<ptrdiff_t>(end));
    while (!agenda.empty()) {
      const Position next = std::move(agenda.back());
      agenda.pop_back();
      std::optional<Position> joint;
      for (size_t i = first; i < result.size() && !joint; ++i) {
        count_work(kRunning, 1 + loops_around.size());
        joint = joined(next, result[i], loops_around);
        if (joint) result.erase(result.begin() + static_cast<ptrdiff_t>(i));
      }
      if (joint) agenda.push_back(*std::move(joint));
      else result.push_back(next);
    }
    std::sort(result.begin() + static_cast<ptrdiff_t>(first), result.end());
    begin = end;
  }
  return result;
}

}  // namespace xg2lab::operators
