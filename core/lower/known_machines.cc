// Read: BodyShapes (how each kind of expression is encoded), then find and offer. The trick: an
// expression that occurs in a body twice is encoded once and referred to by its number afterwards.
// So shapes also record sharing, and origins come out the same.
#include "lower/known_machines.h"

#include <algorithm>
#include <utility>

#include "support/hash.h"
#include "support/sort_unique.h"

namespace xg2lab {
namespace {

constexpr size_t kMostWords = 4096;
constexpr size_t kMostWordsExpected = 1 << 16;  // of a body that is expected again
constexpr size_t kMostWordsAtOnce = 600;  // largest shape that is cached at its first occurrence
constexpr uint32_t kNoNumber = UINT32_MAX;
constexpr uint32_t kCall = 0x100;   // distinct from the kinds of expressions
constexpr uint32_t kAgain = 0x101;  // an expression that was encoded before

uint64_t hash_of(const std::vector<uint32_t>& words) {
  uint64_t hash = words.size();
  for (const uint32_t word : words) hash = (hash ^ word) * 0x9e3779b97f4a7c15ull + (hash >> 29);
  return hash_mix(hash);
}

}  // namespace

BodyShapes::BodyShapes(const Grammar& grammar, bool expects_again)
    : grammar_(grammar),
      most_words_(expects_again ? kMostWordsExpected : kMostWords),
      numbers_(grammar.n_exprs()) {}

const BodyShape* BodyShapes::of(std::span<const ExprId> parts, uint32_t how,
                                const RuleOf& rule_of) {
  ++n_bodies_;
  shape_.words.clear();
  shape_.exprs.clear();
  shape_.callees.clear();
  calls_.clear();
  if (!std::ranges::all_of(parts, [&](ExprId part) { return add(part, rule_of); })) return nullptr;
  std::vector<RuleId>& callees = shape_.callees;
  // Callees are numbered in ascending order of their ids, not of occurrence, so that edges sorted
  // by rule stay sorted under the new body's ids (I2).
  for (const auto& [place, rule] : calls_) callees.push_back(rule);
  sort_unique(callees);
  for (const auto& [place, rule] : calls_) {
    const auto at = std::lower_bound(callees.begin(), callees.end(), rule);
    shape_.words[place] = static_cast<uint32_t>(at - callees.begin());
  }
  shape_.words.push_back(how);
  shape_.hash = hash_of(shape_.words);
  return &shape_;
}

bool BodyShapes::add(ExprId id, const RuleOf& rule_of) {
  std::vector<uint32_t>& words = shape_.words;
  if (words.size() > most_words_) return false;
  Number& known = numbers_[id.index()];
  if (known.body == n_bodies_) {
    words.insert(words.end(), {kAgain, known.number});
    return true;
  }
  known = {n_bodies_, static_cast<uint32_t>(shape_.exprs.size())};
  shape_.exprs.push_back(id);
  if (const std::optional<RuleId> rule = rule_of(id)) {
    words.insert(words.end(), {kCall, 0});
    calls_.emplace_back(words.size() - 1, *rule);
    return true;
  }
  const Expr& expr = grammar_.expr(id);
  words.push_back(static_cast<uint32_t>(expr.kind));
  switch (expr.kind) {
    case ExprKind::kEmpty:
    case ExprKind::kNothing: return true;
    case ExprKind::kLiteral: return add_text(grammar_.literal(id));
    case ExprKind::kClass: {
      const auto ranges = grammar_.ranges(id);
      words.push_back(static_cast<uint32_t>(ranges.size()));
      for (const CodePointRange& range : ranges) words.insert(words.end(), {range.lo, range.hi});
      return true;
    }
    case ExprKind::kRepeat:
      words.insert(words.end(), {expr.min, expr.max});
      return expr.max == 0 || add(grammar_.children(id)[0], rule_of);
    case ExprKind::kSequence:
    case ExprKind::kChoice: {
      const auto children = grammar_.children(id);
      words.push_back(static_cast<uint32_t>(children.size()));
      return std::ranges::all_of(children, [&](ExprId child) { return add(child, rule_of); });
    }
    case ExprKind::kMachine: return add_machine(grammar_.machine(id).fsm);
    case ExprKind::kRuleRef:
    case ExprKind::kAnyOrder:
    case ExprKind::kTokenSet:
    case ExprKind::kDispatch: break;
  }
  return false;
}

bool BodyShapes::add_text(std::string_view text) {
  shape_.words.push_back(static_cast<uint32_t>(text.size()));
  for (const char c : text) shape_.words.push_back(static_cast<uint8_t>(c));
  return true;
}

bool BodyShapes::add_machine(const FrozenFsm& fsm) {
  std::vector<uint32_t>& words = shape_.words;
  if (fsm.terminal_edges.size() > kMostWords) return false;
  words.push_back(static_cast<uint32_t>(fsm.n_states()));
  for (size_t s = 0; s < fsm.n_states(); ++s) {
    const auto edges = fsm.terminals(StateId(s));
    words.push_back(static_cast<uint32_t>(2 * edges.size()) + (fsm.is_accepting[s] ? 1 : 0));
    for (const TerminalEdge& edge : edges) {
      words.push_back(uint32_t{edge.range.lo} << 8 | edge.range.hi);
      words.push_back(edge.to.value);
    }
  }
  return true;
}

KnownMachines& KnownMachines::shared() {
  // never destroyed: threads may outlive main
  static KnownMachines* const machines = new KnownMachines;
  return *machines;
}

FrozenFsm SharedMachine::copied() const {
  FrozenFsm copy = *fsm;
  for (TerminalEdge& edge : copy.terminal_edges) edge = at_hand(edge);
  for (RuleEdge& edge : copy.rule_edges) edge = at_hand(edge);
  return copy;
}

// Never waits for the lock: a busy cache counts as a miss. The origins are translated outside the
// lock.
std::optional<SharedMachine> KnownMachines::find(const BodyShape& shape, OriginSets& origins) {
  std::shared_ptr<const StoredMachine> known;
  {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock()) return std::nullopt;
    const auto [begin, end] = known_.equal_range(shape.hash);
    const auto found =
        std::find_if(begin, end, [&](const auto& one) { return one.second->words == shape.words; });
    if (found == end) return std::nullopt;
    known = found->second;
  }
  SharedMachine found{{known, &known->fsm}, {}, shape.callees, known->n_thompson_states};
  std::vector<OriginSetId>& set_of = found.origins;
  set_of.reserve(known->origin_sets.size());
  std::vector<uint32_t> members;
  for (uint32_t i = 0; i < known->origin_sets.size(); ++i) {
    const std::span<const uint32_t> numbers = known->origin_sets[i];
    if (numbers.size() == 1) {
      set_of.push_back(origins.single(shape.exprs[numbers.front()].value));
      continue;
    }
    members.clear();
    for (const uint32_t number : numbers) members.push_back(shape.exprs[number].value);
    set_of.push_back(origins.of(members));
  }
  return found;
}

void KnownMachines::offer(const BodyShape& shape, const SharedMachine& made,
                          const OriginSets& origins, bool expects_again) {
  const uint64_t hash = shape.hash;
  {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock()) return;
    // The table remembers the hashes of shapes that occurred once. A collision only delays or
    // hastens the caching of a large shape.
    uint64_t& met = met_once_[hash % met_once_.size()];
    const bool is_first = std::exchange(met, hash) != hash;
    if (is_first && !expects_again && shape.words.size() > kMostWordsAtOnce) return;
  }
  auto known = std::make_shared<StoredMachine>();
  known->words = shape.words;
  known->fsm = *made.fsm;
  known->n_thompson_states = made.n_thompson_states;
  std::vector<std::pair<ExprId, uint32_t>> number_of;  // of expressions; sorted
  for (uint32_t i = 0; i < shape.exprs.size(); ++i) number_of.emplace_back(shape.exprs[i], i);
  std::sort(number_of.begin(), number_of.end());
  std::vector<uint32_t> number_of_set(origins.size(), kNoNumber);
  size_t n_bytes = sizeof(StoredMachine) + shape.words.size() * sizeof(uint32_t);
  std::vector<uint32_t> numbers;  // the expressions of one origin set
  const auto local = [&](OriginSetId set) {
    uint32_t& number = number_of_set[set.index()];
    if (number == kNoNumber) {
      number = static_cast<uint32_t>(known->origin_sets.size());
      numbers.clear();
      for (const uint32_t expr : origins.members(set)) {
        const std::pair key(ExprId(expr), 0u);
        numbers.push_back(std::ranges::lower_bound(number_of, key)->second);
      }
      known->origin_sets.add(numbers);
      n_bytes += (numbers.size() + 1) * sizeof(uint32_t);
    }
    return OriginSetId(number);
  };
  for (TerminalEdge& edge : known->fsm.terminal_edges) edge.origins = local(edge.origins);
  for (RuleEdge& edge : known->fsm.rule_edges) {
    const auto at = std::lower_bound(shape.callees.begin(), shape.callees.end(), edge.rule);
    edge.rule = RuleId(static_cast<uint32_t>(at - shape.callees.begin()));
    edge.origins = local(edge.origins);
  }
  n_bytes += known->fsm.terminal_edges.size() * sizeof(TerminalEdge) +
             known->fsm.rule_edges.size() * sizeof(RuleEdge) +
             known->fsm.n_states() * 2 * sizeof(uint32_t);

  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return;
  if (n_bytes_ + n_bytes > kMostBytes) {
    known_.clear();
    n_bytes_ = 0;
  }
  known_.emplace(hash, std::move(known));
  n_bytes_ += n_bytes;
}

}  // namespace xg2lab
