// Read: PlainDeterminizer, for patterns without lookarounds. For others: Determinizer::run, then
// close (epsilon edges and lookarounds) and step (one letter), which call each other for
// obligations; trackers last. The trick: sets of NFA states, sets of obligations and rows of
// trackers are interned, so that each query is computed once.
#include "languages/regex/language.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "languages/regex/nfa.h"
#include "support/budget.h"
#include "support/hash.h"
#include "support/interned_rows.h"

namespace xg2lab::regex {
namespace {

using SetId = uint32_t;          // a set of (NFA state, obligations); the smallest ids are special
using ObligationsId = uint32_t;  // a set of obligations; 0 is empty
using TrackersId = uint32_t;     // the states of all trackers
constexpr SetId kFails = 0;      // the empty set
constexpr SetId kHolds = 1;      // of a lookahead: it holds, whatever follows
constexpr ObligationsId kNoObligations = 0;

// A lookahead that must hold or must not hold.
struct Obligation {
  uint32_t lookaround;
  bool is_negated;
  SetId at;
  friend auto operator<=>(const Obligation&, const Obligation&) = default;
};

struct PartialMatch {
  NfaStateId state;
  ObligationsId obligations;
  friend auto operator<=>(const PartialMatch&, const PartialMatch&) = default;
};

struct Trackers {
  std::vector<std::vector<NfaStateId>> at;  // index: lookaround; lookbehinds only
  std::vector<bool> holds;                  // index: lookaround
  friend bool operator==(const Trackers&, const Trackers&) = default;
};

struct HashOf {
  static uint64_t of(const PartialMatch& partial) {
    return (uint64_t{partial.state} << 32) | partial.obligations;
  }
  static uint64_t of(const Obligation& obligation) {
    return hash_combine((uint64_t{obligation.lookaround} << 32) | obligation.at,
                        obligation.is_negated ? 1 : 0);
  }
  static uint64_t of(NfaStateId state) { return state; }
  template <class Value>
  size_t operator()(const std::vector<Value>& values) const {
    uint64_t hash = values.size();
    for (const Value& value : values) hash = hash_combine(hash, of(value));
    return hash;
  }
  size_t operator()(const Trackers& trackers) const {
    uint64_t hash = std::hash<std::vector<bool>>()(trackers.holds);
    for (const auto& states : trackers.at) hash = hash_combine(hash, (*this)(states));
    return hash;
  }
};

// Interns one type of value.
template <class Value, class Hash>
class Interner {
 public:
  uint32_t of(Value value) {
    const auto [known, is_new] =
        known_.emplace(std::move(value), static_cast<uint32_t>(values_.size()));
    if (is_new) values_.push_back(&known->first);
    return known->second;
  }
  const Value& operator[](uint32_t number) const { return *values_[number]; }
  size_t size() const { return values_.size(); }

 private:
  std::unordered_map<Value, uint32_t, Hash> known_;
  std::vector<const Value*> values_;
};

class Determinizer {
 public:
  Determinizer(const Nfa& nfa, const LanguageLimits& limits) : nfa_(nfa), limits_(limits) {
    sets_.of({});                 // kFails
    sets_.of({{UINT32_MAX, 0}});  // kHolds
    obligations_.of({});
  }

  std::optional<CodePointDfa> run() {
    CodePointDfa dfa;
    dfa.alphabet = nfa_.alphabet();
    dfa.is_accepting.clear();
    std::map<std::pair<SetId, TrackersId>, uint32_t> known;
    std::vector<std::pair<SetId, TrackersId>> order;
    const auto visit = [&](SetId set, TrackersId trackers) {
      if (set == kFails) trackers = 0;  // all violated states are one
      const auto number = static_cast<uint32_t>(order.size());
      const auto [found, is_new] = known.emplace(std::pair(set, trackers), number);
      if (is_new) {
        order.emplace_back(set, trackers);
        dfa.is_accepting.push_back(accepts(set, nfa_.end()));
      }
      return found->second;
    };
    const TrackersId start = first_trackers();
    visit(close({{nfa_.start(), kNoObligations}}, start, kMain), start);
    // The trackers read the letter first, so that step() knows at the new position which
    // lookbehinds hold.
    for (size_t i = 0; i < order.size(); ++i) {
      count_work("building the machine of a pattern", 4 * dfa.alphabet.n_letters() + 16);
      const auto [set, trackers] = order[i];
      for (Letter letter = 0; letter < dfa.alphabet.n_letters(); ++letter) {
        const TrackersId then = step_trackers(trackers, letter);
        dfa.next.push_back(visit(step(set, letter, then, kMain), then));
      }
      const bool is_within = order.size() <= limits_.dfa.n_states &&
                             dfa.next.size() <= limits_.dfa.n_cells && n_steps_ <= limits_.n_steps;
      if (!is_within) return std::nullopt;
    }
    return minimize(dfa);
  }

 private:
  static constexpr uint32_t kMain = UINT32_MAX;  // instead of a lookaround: the pattern itself
  // the number of obligations that cost as much as an NFA state
  static constexpr size_t kObligationsAStep = 16;

  NfaStateId end_of(uint32_t lookaround) const {
    return lookaround == kMain ? nfa_.end() : nfa_.lookarounds()[lookaround].end;
  }

  // ---- Sets of partial matches ----

  // Follows epsilon edges and lookarounds, at a position where the trackers are `trackers`.
  SetId close(std::vector<PartialMatch> pending, TrackersId trackers, uint32_t lookaround) {
    std::vector<PartialMatch> kept;
    const uint32_t stamp = ++n_stamps_;
    std::set<PartialMatch> seen;  // those with obligations
    const auto push = [&](NfaStateId state, ObligationsId obligations) {
      const bool is_new = obligations == kNoObligations
                              ? std::exchange(seen_[state], stamp) != stamp
                              : seen.insert({state, obligations}).second;
      if (is_new) pending.push_back({state, obligations});
    };
    const std::vector<PartialMatch> first = std::exchange(pending, {});
    for (const PartialMatch& partial : first) push(partial.state, partial.obligations);
    while (!pending.empty()) {
      ++n_steps_;
      if (n_steps_ > limits_.n_steps) return kFails;
      const PartialMatch partial = pending.back();
      pending.pop_back();
      const NfaState& state = nfa_[partial.state];
      switch (state.kind) {
        case NfaState::kRead: kept.push_back(partial); break;
        // A match of a lookahead without obligations is final; one of the whole pattern must also
        // end the text.
        case NfaState::kEnd:
          if (lookaround != kMain && partial.obligations == kNoObligations) return kHolds;
          kept.push_back(partial);
          break;
        case NfaState::kSplit:
          for (NfaStateId to : state.to) push(to, partial.obligations);
          break;
        case NfaState::kLookaround: {
          const auto obligations = pass(state, partial.obligations, trackers);
          if (obligations) push(state.to.front(), *obligations);
          break;
        }
      }
    }
    return intern(std::move(kept));
  }

  // The obligations of a partial match after it passes a lookaround; nothing if it can't pass.
  std::optional<ObligationsId> pass(const NfaState& state, ObligationsId obligations,
                                    TrackersId trackers) {
    const Lookaround& lookaround = nfa_.lookarounds()[state.set];
    if (!lookaround.is_ahead) {
      const bool holds = trackers_[trackers].holds[state.set];
      return holds != state.is_negated ? std::optional(obligations) : std::nullopt;
    }
    // The set in which a lookahead starts depends on the trackers alone, so it is cached.
    const auto key = std::pair(state.set, trackers);
    auto known = first_sets_.find(key);
    if (known == first_sets_.end()) {
      const SetId first = close({{lookaround.start, kNoObligations}}, trackers, state.set);
      known = first_sets_.emplace(key, first).first;
    }
    std::vector<Obligation> more = obligations_[obligations];
    if (!add_undecided(more, {state.set, state.is_negated, known->second})) return std::nullopt;
    return interned(std::move(more));
  }

  // Adds an obligation that is undecided. Returns false if it is violated.
  static bool add_undecided(std::vector<Obligation>& obligations, const Obligation& obligation) {
    if (obligation.at == kHolds || obligation.at == kFails)
      return (obligation.at == kHolds) != obligation.is_negated;
    obligations.push_back(obligation);
    return true;
  }

  ObligationsId interned(std::vector<Obligation> obligations) {
    std::sort(obligations.begin(), obligations.end());
    obligations.erase(std::unique(obligations.begin(), obligations.end()), obligations.end());
    return obligations_.of(std::move(obligations));
  }

  // Of two partial matches in the same NFA state, the one with a subset of the obligations permits
  // everything that the other does.
  SetId intern(std::vector<PartialMatch> partials) {
    std::sort(partials.begin(), partials.end());
    partials.erase(std::unique(partials.begin(), partials.end()), partials.end());
    std::vector<PartialMatch> kept;
    for (size_t first = 0; first < partials.size();) {
      size_t last = first;
      while (last < partials.size() && partials[last].state == partials[first].state) ++last;
      const std::span<const PartialMatch> group(partials.data() + first, last - first);
      for (const PartialMatch& partial : group) {
        if (group.size() == 1 || !is_needless(partial, group)) kept.push_back(partial);
      }
      first = last;
    }
    return sets_.of(std::move(kept));
  }

  bool is_needless(const PartialMatch& partial, std::span<const PartialMatch> group) const {
    const auto& mine = obligations_[partial.obligations];
    return std::any_of(group.begin(), group.end(), [&](const PartialMatch& other) {
      if (other.obligations == partial.obligations) return false;
      const auto& others = obligations_[other.obligations];
      return std::includes(mine.begin(), mine.end(), others.begin(), others.end());
    });
  }

  SetId step(SetId set, Letter letter, TrackersId then, uint32_t lookaround) {
    if (set == kFails || set == kHolds) return set;
    const auto key = std::tuple(set, letter, then, lookaround);
    if (lookaround != kMain) {  // the main set's steps are computed once anyway
      const auto known = steps_.find(key);
      if (known != steps_.end()) return known->second;
    }
    std::vector<PartialMatch> moved;
    for (const PartialMatch& partial : std::vector<PartialMatch>(sets_[set])) {
      n_steps_ += obligations_[partial.obligations].size() / kObligationsAStep;
      if (n_steps_ > limits_.n_steps) return kFails;
      const NfaState& state = nfa_[partial.state];
      const bool stays = state.kind == NfaState::kEnd && lookaround != kMain;
      // A partial match moves on if its NFA state reads the letter. One that has ended inside a
      // lookahead stays, since its obligations are still undecided.
      if (!stays && (state.kind != NfaState::kRead || !nfa_.reads(state, letter))) continue;
      if (partial.obligations == kNoObligations) {
        moved.push_back({stays ? partial.state : state.to.front(), kNoObligations});
        continue;
      }
      std::vector<Obligation> obligations;
      bool is_kept = true;
      // Every obligation reads the letter, too. One violated obligation drops the partial match.
      for (const Obligation& obligation :
           std::vector<Obligation>(obligations_[partial.obligations])) {
        const SetId at = step(obligation.at, letter, then, obligation.lookaround);
        is_kept = is_kept &&
                  add_undecided(obligations, {obligation.lookaround, obligation.is_negated, at});
      }
      if (!is_kept) continue;
      moved.push_back({stays ? partial.state : state.to.front(), interned(std::move(obligations))});
    }
    const SetId to = close(std::move(moved), then, lookaround);
    if (lookaround != kMain) steps_.emplace(key, to);
    return to;
  }

  // Whether the text may end here.
  bool accepts(SetId set, NfaStateId end) const {
    if (set == kHolds) return true;
    return std::any_of(sets_[set].begin(), sets_[set].end(), [&](const PartialMatch& partial) {
      if (partial.state != end) return false;
      const auto& obligations = obligations_[partial.obligations];
      return std::all_of(
          obligations.begin(), obligations.end(), [this](const Obligation& obligation) {
            return accepts(obligation.at, end_of(obligation.lookaround)) != obligation.is_negated;
          });
    });
  }

  // ---- Trackers ----

  TrackersId first_trackers() {
    Trackers trackers;
    trackers.at.resize(nfa_.lookarounds().size());
    return settle(std::move(trackers));
  }

  TrackersId step_trackers(TrackersId from, Letter letter) {
    const auto known = tracker_steps_.find({from, letter});
    if (known != tracker_steps_.end()) return known->second;
    Trackers then;
    for (const auto& states : trackers_[from].at) {
      auto& moved = then.at.emplace_back();
      for (NfaStateId id : states) {
        const NfaState& state = nfa_[id];
        if (state.kind == NfaState::kRead && nfa_.reads(state, letter))
          moved.push_back(state.to.front());
      }
    }
    const TrackersId to = settle(std::move(then));
    tracker_steps_.emplace(std::pair(from, letter), to);
    return to;
  }

  // A lookbehind's match may begin at any position, so also here. Nested lookbehinds come first (I1
  // of Nfa).
  TrackersId settle(Trackers trackers) {
    const auto& lookarounds = nfa_.lookarounds();
    trackers.holds.assign(lookarounds.size(), false);
    // Nested lookbehinds are settled before the ones that contain them, so `holds` is final when it
    // is read.
    for (size_t i = 0; i < lookarounds.size(); ++i) {
      if (lookarounds[i].is_ahead) continue;
      std::vector<NfaStateId>& pending = trackers.at[i];
      pending.push_back(lookarounds[i].start);
      std::map<NfaStateId, bool> seen;
      std::vector<NfaStateId> kept;
      while (!pending.empty()) {
        const NfaStateId id = pending.back();
        pending.pop_back();
        ++n_steps_;
        if (!seen.emplace(id, true).second) continue;
        const NfaState& state = nfa_[id];
        const bool passes =
            state.kind == NfaState::kSplit ||
            (state.kind == NfaState::kLookaround && trackers.holds[state.set] != state.is_negated);
        if (passes) pending.insert(pending.end(), state.to.begin(), state.to.end());
        if (state.kind == NfaState::kRead) kept.push_back(id);
        if (state.kind == NfaState::kEnd) trackers.holds[i] = true;
      }
      std::sort(kept.begin(), kept.end());
      pending = std::move(kept);
    }
    return trackers_.of(std::move(trackers));
  }

  const Nfa& nfa_;
  const LanguageLimits& limits_;
  size_t n_steps_ = 0;
  // Index: NFA state; the last close() that reached it without obligations. A nested close() may
  // overwrite the marks of an outer one; then some work is repeated.
  std::vector<uint32_t> seen_ = std::vector<uint32_t>(nfa_.size());
  uint32_t n_stamps_ = 0;
  Interner<std::vector<PartialMatch>, HashOf> sets_;
  Interner<std::vector<Obligation>, HashOf> obligations_;
  Interner<Trackers, HashOf> trackers_;
  std::map<std::pair<uint32_t, TrackersId>, SetId> first_sets_;  // of lookaheads
  std::map<std::tuple<SetId, Letter, TrackersId, uint32_t>, SetId> steps_;
  std::map<std::pair<TrackersId, Letter>, TrackersId> tracker_steps_;
};

// For patterns without lookarounds: a state is a set of NFA states, and the epsilon closure of each
// NFA state is cached.
class PlainDeterminizer {
 public:
  PlainDeterminizer(const Nfa& nfa, const LanguageLimits& limits)
      : nfa_(nfa), limits_(limits), seen_(nfa.size()), closures_(nfa.size()) {}

  std::optional<CodePointDfa> run() {
    CodePointDfa dfa;
    dfa.alphabet = nfa_.alphabet();
    dfa.is_accepting.clear();
    const auto n_letters = static_cast<Letter>(dfa.alphabet.n_letters());
    std::vector<NfaStateId> set{nfa_.start()};
    visit(set, dfa);
    std::vector<std::vector<NfaStateId>> moved(n_letters);
    for (uint32_t i = 0; i < sets_.size(); ++i) {
      count_work("building the machine of a pattern", sets_[i].size() + n_letters);
      for (const NfaStateId id : sets_[i]) {
        const NfaState& state = nfa_[id];
        if (state.kind != NfaState::kRead) continue;
        for (Letter letter = 0; letter < n_letters; ++letter) {
          if (nfa_.reads(state, letter)) moved[letter].push_back(state.to.front());
        }
      }
      for (Letter letter = 0; letter < n_letters; ++letter) {
        const bool is_as_before = letter > 0 && moved[letter] == moved[letter - 1];
        dfa.next.push_back(is_as_before ? dfa.next.back() : visit(moved[letter], dfa));
      }
      for (auto& states : moved) states.clear();
      const bool is_within = sets_.size() <= limits_.dfa.n_states &&
                             dfa.next.size() <= limits_.dfa.n_cells && n_steps_ <= limits_.n_steps;
      if (!is_within) return std::nullopt;
    }
    return minimize(dfa);
  }

 private:
  // The state for the epsilon closure of these NFA states.
  uint32_t visit(const std::vector<NfaStateId>& states, CodePointDfa& dfa) {
    set_.clear();
    ++stamp_;
    for (const NfaStateId state : states) {
      for (const NfaStateId id : closure(state)) {
        if (std::exchange(seen_[id], stamp_) != stamp_) set_.push_back(id);
      }
      if (n_steps_ > limits_.n_steps) break;
    }
    n_steps_ += set_.size();
    std::ranges::sort(set_);
    const auto [id, is_new] = sets_.add(set_);
    if (is_new) dfa.is_accepting.push_back(!set_.empty() && set_.front() == nfa_.end());
    return id;
  }

  // The NFA states in the epsilon closure that read a character or end the match.
  const std::vector<NfaStateId>& closure(NfaStateId from) {
    std::vector<NfaStateId>& known = closures_[from];
    if (!known.empty()) return known;
    const uint32_t stamp = ++stamp_of_closures_;
    if (in_closure_.empty()) in_closure_.resize(nfa_.size());
    std::vector<NfaStateId> pending{from};
    in_closure_[from] = stamp;
    while (!pending.empty()) {
      const NfaState& state = nfa_[pending.back()];
      if (state.kind != NfaState::kSplit) known.push_back(pending.back());
      pending.pop_back();
      ++n_steps_;
      if (state.kind != NfaState::kSplit) continue;
      for (const NfaStateId to : state.to) {
        if (std::exchange(in_closure_[to], stamp) != stamp) pending.push_back(to);
      }
    }
    return known;
  }

  const Nfa& nfa_;
  const LanguageLimits& limits_;
  size_t n_steps_ = 0;
  InternedRows sets_;  // ascending; the empty one is the failure state
  std::vector<NfaStateId> set_;
  std::vector<uint32_t> seen_;  // index: NFA state; the last visit that reached it
  uint32_t stamp_ = 0;
  std::vector<std::vector<NfaStateId>> closures_;  // index: NFA state; empty: not computed yet
  std::vector<uint32_t> in_closure_;
  uint32_t stamp_of_closures_ = 0;
};

}  // namespace

std::optional<CodePointDfa> language(const Ast& ast, NodeId node, const LanguageLimits& limits) {
  const auto nfa = Nfa::of(ast, node, limits.n_nfa_states);
  if (!nfa) return std::nullopt;
  if (nfa->lookarounds().empty()) return PlainDeterminizer(*nfa, limits).run();
  return Determinizer(*nfa, limits).run();
}

}  // namespace xg2lab::regex
