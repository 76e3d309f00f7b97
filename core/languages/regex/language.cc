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

#include "languages/regex/places.h"
#include "support/budget.h"
#include "support/hash.h"
#include "support/interned_rows.h"

namespace xg2lab::regex {
namespace {

using SetId = uint32_t;       // a set of (NFA state, obligations); the smallest ids are special
using DutiesId = uint32_t;    // a set of obligations; 0 is empty
using TrackersId = uint32_t;  // the states of all trackers
constexpr SetId kBroken = 0;  // the empty set
constexpr SetId kMet = 1;     // of a lookahead: it holds, whatever follows
constexpr DutiesId kNoDuties = 0;

// A lookahead that must hold or must not hold.
struct Duty {
  uint32_t look;
  bool is_negated;
  SetId at;
  friend auto operator<=>(const Duty&, const Duty&) = default;
};

struct Partial {
  PlaceId place;
  DutiesId duties;
  friend auto operator<=>(const Partial&, const Partial&) = default;
};

struct Trackers {
  std::vector<std::vector<PlaceId>> at;  // index: look; lookbehinds only
  std::vector<bool> holds;               // index: look
  friend bool operator==(const Trackers&, const Trackers&) = default;
};

struct HashOf {
  static uint64_t of(const Partial& partial) {
    return (uint64_t{partial.place} << 32) | partial.duties;
  }
  static uint64_t of(const Duty& duty) {
    return hash_combine((uint64_t{duty.look} << 32) | duty.at, duty.is_negated ? 1 : 0);
  }
  static uint64_t of(PlaceId place) { return place; }
  template <class Value>
  size_t operator()(const std::vector<Value>& values) const {
    uint64_t hash = values.size();
    for (const Value& value : values) hash = hash_combine(hash, of(value));
    return hash;
  }
  size_t operator()(const Trackers& trackers) const {
    uint64_t hash = std::hash<std::vector<bool>>()(trackers.holds);
    for (const auto& places : trackers.at) hash = hash_combine(hash, (*this)(places));
    return hash;
  }
};

// Interns one type of value.
template <class Value, class Hash>
class Numbers {
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
  Determinizer(const Places& places, const LanguageLimits& limits)
      : places_(places), limits_(limits) {
    sets_.of({});                 // kBroken
    sets_.of({{UINT32_MAX, 0}});  // kMet
    duties_.of({});
  }

  std::optional<CodePointDfa> run() {
    CodePointDfa dfa;
    dfa.alphabet = places_.alphabet();
    dfa.is_accepting.clear();
    std::map<std::pair<SetId, TrackersId>, uint32_t> known;
    std::vector<std::pair<SetId, TrackersId>> order;
    const auto visit = [&](SetId set, TrackersId trackers) {
      if (set == kBroken) trackers = 0;  // all violated states are one
      const auto number = static_cast<uint32_t>(order.size());
      const auto [found, is_new] = known.emplace(std::pair(set, trackers), number);
      if (is_new) {
        order.emplace_back(set, trackers);
        dfa.is_accepting.push_back(accepts(set, places_.end()));
      }
      return found->second;
    };
    const TrackersId start = first_trackers();
    visit(close({{places_.start(), kNoDuties}}, start, kMain), start);
    // The trackers read the letter first, so that step() knows at the new position which
    // lookbehinds hold.
    for (size_t i = 0; i < order.size(); ++i) {
      count_work("the machine of a pattern", 4 * dfa.alphabet.n_letters() + 16);
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
  static constexpr size_t kDutiesAStep = 16;

  PlaceId end_of(uint32_t look) const {
    return look == kMain ? places_.end() : places_.looks()[look].end;
  }

  // ---- Sets of partial matches ----

  // Follows epsilon edges and lookarounds, at a position where the trackers are `trackers`.
  SetId close(std::vector<Partial> pending, TrackersId trackers, uint32_t look) {
    std::vector<Partial> kept;
    const uint32_t stamp = ++n_stamps_;
    std::set<Partial> seen;  // those with obligations
    const auto push = [&](PlaceId place, DutiesId duties) {
      const bool is_new = duties == kNoDuties ? std::exchange(seen_[place], stamp) != stamp
                                              : seen.insert({place, duties}).second;
      if (is_new) pending.push_back({place, duties});
    };
    const std::vector<Partial> first = std::exchange(pending, {});
    for (const Partial& partial : first) push(partial.place, partial.duties);
    while (!pending.empty()) {
      ++n_steps_;
      if (n_steps_ > limits_.n_steps) return kBroken;
      const Partial partial = pending.back();
      pending.pop_back();
      const Place& place = places_[partial.place];
      switch (place.kind) {
        case Place::kRead: kept.push_back(partial); break;
        // A match of a lookahead without obligations is final; one of the whole pattern must also
        // end the text.
        case Place::kEnd:
          if (look != kMain && partial.duties == kNoDuties) return kMet;
          kept.push_back(partial);
          break;
        case Place::kSplit:
          for (PlaceId to : place.to) push(to, partial.duties);
          break;
        case Place::kLook: {
          const auto duties = pass(place, partial.duties, trackers);
          if (duties) push(place.to.front(), *duties);
          break;
        }
      }
    }
    return intern(std::move(kept));
  }

  // The obligations of a partial match after it passes a lookaround; nothing if it can't pass.
  std::optional<DutiesId> pass(const Place& place, DutiesId duties, TrackersId trackers) {
    const Around& look = places_.looks()[place.set];
    if (!look.is_ahead) {
      const bool holds = trackers_[trackers].holds[place.set];
      return holds != place.is_negated ? std::optional(duties) : std::nullopt;
    }
    // The set in which a lookahead starts depends on the trackers alone, so it is cached.
    const auto key = std::pair(place.set, trackers);
    auto known = first_sets_.find(key);
    if (known == first_sets_.end()) {
      const SetId first = close({{look.start, kNoDuties}}, trackers, place.set);
      known = first_sets_.emplace(key, first).first;
    }
    std::vector<Duty> more = duties_[duties];
    if (!take_on(more, {place.set, place.is_negated, known->second})) return std::nullopt;
    return numbered(std::move(more));
  }

  // Adds an obligation that is undecided. Returns false if it is violated.
  static bool take_on(std::vector<Duty>& duties, const Duty& duty) {
    if (duty.at == kMet || duty.at == kBroken) return (duty.at == kMet) != duty.is_negated;
    duties.push_back(duty);
    return true;
  }

  DutiesId numbered(std::vector<Duty> duties) {
    std::sort(duties.begin(), duties.end());
    duties.erase(std::unique(duties.begin(), duties.end()), duties.end());
    return duties_.of(std::move(duties));
  }

  // Of two partial matches in the same NFA state, the one with a subset of the obligations permits
  // everything that the other does.
  SetId intern(std::vector<Partial> partials) {
    std::sort(partials.begin(), partials.end());
    partials.erase(std::unique(partials.begin(), partials.end()), partials.end());
    std::vector<Partial> kept;
    for (size_t first = 0; first < partials.size();) {
      size_t last = first;
      while (last < partials.size() && partials[last].place == partials[first].place) ++last;
      const std::span<const Partial> group(partials.data() + first, last - first);
      for (const Partial& partial : group) {
        if (group.size() == 1 || !is_needless(partial, group)) kept.push_back(partial);
      }
      first = last;
    }
    return sets_.of(std::move(kept));
  }

  bool is_needless(const Partial& partial, std::span<const Partial> group) const {
    const auto& mine = duties_[partial.duties];
    return std::any_of(group.begin(), group.end(), [&](const Partial& other) {
      if (other.duties == partial.duties) return false;
      const auto& others = duties_[other.duties];
      return std::includes(mine.begin(), mine.end(), others.begin(), others.end());
    });
  }

  SetId step(SetId set, Letter letter, TrackersId then, uint32_t look) {
    if (set == kBroken || set == kMet) return set;
    const auto key = std::tuple(set, letter, then, look);
    if (look != kMain) {  // the main set's steps are computed once anyway
      const auto known = steps_.find(key);
      if (known != steps_.end()) return known->second;
    }
    std::vector<Partial> moved;
    for (const Partial& partial : std::vector<Partial>(sets_[set])) {
      n_steps_ += duties_[partial.duties].size() / kDutiesAStep;
      if (n_steps_ > limits_.n_steps) return kBroken;
      const Place& place = places_[partial.place];
      // matched; obligations are left
      const bool stays = place.kind == Place::kEnd && look != kMain;
      // A partial match moves on if its NFA state reads the letter. One that has ended inside a
      // lookahead stays, since its obligations are still undecided.
      if (!stays && (place.kind != Place::kRead || !places_.reads(place, letter))) continue;
      if (partial.duties == kNoDuties) {
        moved.push_back({stays ? partial.place : place.to.front(), kNoDuties});
        continue;
      }
      std::vector<Duty> duties;
      bool is_kept = true;
      // Every obligation reads the letter, too. One violated obligation drops the partial match.
      for (const Duty& duty : std::vector<Duty>(duties_[partial.duties])) {
        const SetId at = step(duty.at, letter, then, duty.look);
        is_kept = is_kept && take_on(duties, {duty.look, duty.is_negated, at});
      }
      if (!is_kept) continue;
      moved.push_back({stays ? partial.place : place.to.front(), numbered(std::move(duties))});
    }
    const SetId to = close(std::move(moved), then, look);
    if (look != kMain) steps_.emplace(key, to);
    return to;
  }

  // Whether the text may end here.
  bool accepts(SetId set, PlaceId end) const {
    if (set == kMet) return true;
    return std::any_of(sets_[set].begin(), sets_[set].end(), [&](const Partial& partial) {
      if (partial.place != end) return false;
      const auto& duties = duties_[partial.duties];
      return std::all_of(duties.begin(), duties.end(), [this](const Duty& duty) {
        return accepts(duty.at, end_of(duty.look)) != duty.is_negated;
      });
    });
  }

  // ---- Trackers ----

  TrackersId first_trackers() {
    Trackers trackers;
    trackers.at.resize(places_.looks().size());
    return settle(std::move(trackers));
  }

  TrackersId step_trackers(TrackersId from, Letter letter) {
    const auto known = tracker_steps_.find({from, letter});
    if (known != tracker_steps_.end()) return known->second;
    Trackers then;
    for (const auto& places : trackers_[from].at) {
      auto& moved = then.at.emplace_back();
      for (PlaceId id : places) {
        const Place& place = places_[id];
        if (place.kind == Place::kRead && places_.reads(place, letter))
          moved.push_back(place.to.front());
      }
    }
    const TrackersId to = settle(std::move(then));
    tracker_steps_.emplace(std::pair(from, letter), to);
    return to;
  }

  // A lookbehind's match may begin at any position, so also here. Nested lookbehinds come first (I1
  // of Places).
  TrackersId settle(Trackers trackers) {
    const auto& looks = places_.looks();
    trackers.holds.assign(looks.size(), false);
    // Nested lookbehinds are settled before the ones that contain them, so `holds` is final when it
    // is read.
    for (size_t i = 0; i < looks.size(); ++i) {
      if (looks[i].is_ahead) continue;
      std::vector<PlaceId>& pending = trackers.at[i];
      pending.push_back(looks[i].start);
      std::map<PlaceId, bool> seen;
      std::vector<PlaceId> kept;
      while (!pending.empty()) {
        const PlaceId id = pending.back();
        pending.pop_back();
        ++n_steps_;
        if (!seen.emplace(id, true).second) continue;
        const Place& place = places_[id];
        const bool passes =
            place.kind == Place::kSplit ||
            (place.kind == Place::kLook && trackers.holds[place.set] != place.is_negated);
        if (passes) pending.insert(pending.end(), place.to.begin(), place.to.end());
        if (place.kind == Place::kRead) kept.push_back(id);
        if (place.kind == Place::kEnd) trackers.holds[i] = true;
      }
      std::sort(kept.begin(), kept.end());
      pending = std::move(kept);
    }
    return trackers_.of(std::move(trackers));
  }

  const Places& places_;
  const LanguageLimits& limits_;
  size_t n_steps_ = 0;
  // Index: NFA state; the last close() that reached it without obligations. A nested close() may
  // overwrite the marks of an outer one; then some work is repeated.
  std::vector<uint32_t> seen_ = std::vector<uint32_t>(places_.size());
  uint32_t n_stamps_ = 0;
  Numbers<std::vector<Partial>, HashOf> sets_;
  Numbers<std::vector<Duty>, HashOf> duties_;
  Numbers<Trackers, HashOf> trackers_;
  std::map<std::pair<uint32_t, TrackersId>, SetId> first_sets_;  // of lookaheads
  std::map<std::tuple<SetId, Letter, TrackersId, uint32_t>, SetId> steps_;
  std::map<std::pair<TrackersId, Letter>, TrackersId> tracker_steps_;
};

// For patterns without lookarounds: a state is a set of NFA states, and the epsilon closure of each
// NFA state is cached.
class PlainDeterminizer {
 public:
  PlainDeterminizer(const Places& places, const LanguageLimits& limits)
      : places_(places), limits_(limits), seen_(places.size()), closures_(places.size()) {}

  std::optional<CodePointDfa> run() {
    CodePointDfa dfa;
    dfa.alphabet = places_.alphabet();
    dfa.is_accepting.clear();
    const auto n_letters = static_cast<Letter>(dfa.alphabet.n_letters());
    std::vector<PlaceId> set{places_.start()};
    visit(set, dfa);
    std::vector<std::vector<PlaceId>> moved(n_letters);
    for (uint32_t i = 0; i < sets_.size(); ++i) {
      count_work("the machine of a pattern", sets_[i].size() + n_letters);
      for (const PlaceId id : sets_[i]) {
        const Place& place = places_[id];
        if (place.kind != Place::kRead) continue;
        for (Letter letter = 0; letter < n_letters; ++letter) {
          if (places_.reads(place, letter)) moved[letter].push_back(place.to.front());
        }
      }
      for (Letter letter = 0; letter < n_letters; ++letter) {
        const bool is_as_before = letter > 0 && moved[letter] == moved[letter - 1];
        dfa.next.push_back(is_as_before ? dfa.next.back() : visit(moved[letter], dfa));
      }
      for (auto& places : moved) places.clear();
      const bool is_within = sets_.size() <= limits_.dfa.n_states &&
                             dfa.next.size() <= limits_.dfa.n_cells && n_steps_ <= limits_.n_steps;
      if (!is_within) return std::nullopt;
    }
    return minimize(dfa);
  }

 private:
  // The state for the epsilon closure of these NFA states.
  uint32_t visit(const std::vector<PlaceId>& places, CodePointDfa& dfa) {
    set_.clear();
    ++stamp_;
    for (const PlaceId place : places) {
      for (const PlaceId id : closure(place)) {
        if (std::exchange(seen_[id], stamp_) != stamp_) set_.push_back(id);
      }
      if (n_steps_ > limits_.n_steps) break;
    }
    n_steps_ += set_.size();
    std::ranges::sort(set_);
    const auto [id, is_new] = sets_.add(set_);
    if (is_new) dfa.is_accepting.push_back(!set_.empty() && set_.front() == places_.end());
    return id;
  }

  // The NFA states in the epsilon closure that read a character or end the match.
  const std::vector<PlaceId>& closure(PlaceId from) {
    std::vector<PlaceId>& known = closures_[from];
    if (!known.empty()) return known;
    const uint32_t stamp = ++stamp_of_closures_;
    if (in_closure_.empty()) in_closure_.resize(places_.size());
    std::vector<PlaceId> pending{from};
    in_closure_[from] = stamp;
    while (!pending.empty()) {
      const Place& place = places_[pending.back()];
      if (place.kind != Place::kSplit) known.push_back(pending.back());
      pending.pop_back();
      ++n_steps_;
      if (place.kind != Place::kSplit) continue;
      for (const PlaceId to : place.to) {
        if (std::exchange(in_closure_[to], stamp) != stamp) pending.push_back(to);
      }
    }
    return known;
  }

  const Places& places_;
  const LanguageLimits& limits_;
  size_t n_steps_ = 0;
  InternedRows sets_;  // ascending; the empty one is the failure state
  std::vector<PlaceId> set_;
  std::vector<uint32_t> seen_;  // index: NFA state; the last visit that reached it
  uint32_t stamp_ = 0;
  std::vector<std::vector<PlaceId>> closures_;  // index: NFA state; empty: not computed yet
  std::vector<uint32_t> in_closure_;
  uint32_t stamp_of_closures_ = 0;
};

}  // namespace

std::optional<CodePointDfa> language(const Ast& ast, NodeId node, const LanguageLimits& limits) {
  const auto places = Places::of(ast, node, limits.n_places);
  if (!places) return std::nullopt;
  if (places->looks().empty()) return PlainDeterminizer(*places, limits).run();
  return Determinizer(*places, limits).run();
}

}  // namespace xg2lab::regex
