// Read: kPlaces (UTF-8 in eight rows), then Builder::build: states as they are met, their edges in order.
// The trick: a row of UTF-8 and a row of the automaton are both sorted by byte, so one sweep over
// the two writes a state's edges, disjoint and in order.
#include "lower/dispatch_fsm.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "dispatch/aho_corasick.h"
#include "support/error.h"

namespace xg2lab {
namespace {

// ---- UTF-8: where in a code point the text stands, and what may come there ----

struct Piece {
  ByteRange range;
  uint8_t place;  // after a byte of the range
};

constexpr uint8_t kBetween = 0;  // between two code points
constexpr std::array<Piece, 9> kLeads{{{{0x00, 0x7F}, kBetween},
                                       {{0xC2, 0xDF}, 1},
                                       {{0xE0, 0xE0}, 4},
                                       {{0xE1, 0xEC}, 2},
                                       {{0xED, 0xED}, 5},
                                       {{0xEE, 0xEF}, 2},
                                       {{0xF0, 0xF0}, 6},
                                       {{0xF1, 0xF3}, 3},
                                       {{0xF4, 0xF4}, 7}}};
constexpr std::array<Piece, 8> kContinuations{{
    {},                        // kBetween has kLeads
    {{0x80, 0xBF}, kBetween},  // one more byte
    {{0x80, 0xBF}, 1},         // two more
    {{0x80, 0xBF}, 2},         // three more
    {{0xA0, 0xBF}, 1},         // after E0: no overlong form
    {{0x80, 0x9F}, 1},         // after ED: no surrogate
    {{0x90, 0xBF}, 2},         // after F0: no overlong form
    {{0x80, 0x8F}, 2},         // after F4: nothing beyond U+10FFFF
}};

std::span<const Piece> pieces(uint8_t place) {
  if (place == kBetween) return kLeads;
  return {&kContinuations[place], 1};
}

// ---- The machine ----

enum class Watched : uint8_t { kTag, kStop, kExclude };

struct Pattern {
  Watched what;
  size_t index;  // among those of its kind
};

class Builder {
 public:
  Builder(const Grammar& grammar, ExprId id, OriginSets& origins)
      : grammar_(grammar),
        dispatch_(grammar.dispatch(id)),
        references_(grammar.children(id)),
        origins_(origins),
        text_origin_(origins.single(id.value)),
        patterns_(all_patterns()),
        automaton_(texts_) {}

  DispatchFsm run() {
    build();
    const std::vector<bool> alive = find_alive();
    XG2LAB_ASSERT(alive[0], "a dispatch that is lowered can end");
    for (size_t i = 0; i < alive.size(); ++i) {
      if (!alive[i]) dead_.insert(key(order_[i]));
    }
    if (!dead_.empty()) build();  // again, without them
    return {std::move(fsm_), std::move(facts_)};
  }

 private:
  struct Place {
    enum Kind : uint8_t { kText, kFired, kEnd };
    Kind kind;
    uint32_t state;  // of the automaton; kFired: index of the tag
    uint8_t place;   // within a code point
  };

  void build() {
    number_.clear();
    order_.clear();
    fsm_ = FrozenFsm();
    facts_.progress.clear();
    visit({Place::kText, automaton_.root().value, kBetween});
    for (size_t i = 0; i < order_.size(); ++i) {
      const Place place = order_[i];
      begin_state(place);
      if (place.kind == Place::kText) add_text_edges(place);
      if (place.kind == Place::kFired) add_call(place.state);
    }
    fsm_.terminal_begin.push_back(static_cast<uint32_t>(fsm_.terminal_edges.size()));
    fsm_.rule_begin.push_back(static_cast<uint32_t>(fsm_.rule_edges.size()));
  }

  std::vector<Pattern> all_patterns() {
    std::vector<Pattern> patterns;
    const auto add = [&](const std::vector<WatchedText>& texts, Watched what) {
      for (size_t i = 0; i < texts.size(); ++i) {
        patterns.push_back({what, i});
        texts_.push_back(texts[i].text);
        facts_.texts.push_back(texts[i].text);
      }
    };
    add(dispatch_.tags, Watched::kTag);
    add(dispatch_.stop_texts, Watched::kStop);
    add(dispatch_.excludes, Watched::kExclude);
    return patterns;
  }

  static uint64_t key(Place place) {
    return (uint64_t{place.state} << 8) | (uint64_t{place.place} << 2) | place.kind;
  }

  // Nothing: the place is dead.
  std::optional<StateId> visit(Place place) {
    if (!dead_.empty() && dead_.count(key(place)) > 0) return std::nullopt;
    const auto [known, is_new] = number_.emplace(key(place), static_cast<uint32_t>(order_.size()));
    if (is_new) order_.push_back(place);
    return StateId(known->second);
  }

  // The state after a byte in free text; nothing if no text can go on like this.
  std::optional<StateId> after(StateId state, uint8_t place) {
    const auto match = automaton_.match(state);
    if (!match) return visit({Place::kText, state.value, place});
    const Pattern pattern = patterns_[*match];
    switch (pattern.what) {
      case Watched::kTag: return visit({Place::kFired, static_cast<uint32_t>(pattern.index), 0});
      case Watched::kStop: return visit({Place::kEnd, 0, 0});
      case Watched::kExclude: break;
    }
    return std::nullopt;
  }

  void begin_state(Place place) {
    fsm_.terminal_begin.push_back(static_cast<uint32_t>(fsm_.terminal_edges.size()));
    fsm_.rule_begin.push_back(static_cast<uint32_t>(fsm_.rule_edges.size()));
    const bool is_text_end =
        place.kind == Place::kText && place.place == kBetween && dispatch_.stop_eos;
    fsm_.is_accepting.push_back(place.kind == Place::kEnd || is_text_end);
    facts_.progress.push_back(progress(place));
  }

  void add_text_edges(Place from) {
    const auto steps = automaton_.steps(StateId(from.state));
    size_t next_step = 0;
    for (const Piece& piece : pieces(from.place)) {
      int lo = piece.range.lo;
      for (; next_step < steps.size() && steps[next_step].byte <= piece.range.hi; ++next_step) {
        const auto [byte, to] = steps[next_step];
        if (byte < lo) continue;  // no pattern goes on like this within a code point
        add_edge(lo, byte - 1, automaton_.root(), piece.place);
        add_edge(byte, byte, to, piece.place);
        lo = byte + 1;
      }
      add_edge(lo, piece.range.hi, automaton_.root(), piece.place);
    }
  }

  void add_edge(int lo, int hi, StateId to, uint8_t place) {
    if (lo > hi) return;
    const auto target = after(to, place);
    if (!target) return;
    fsm_.terminal_edges.push_back({{static_cast<uint8_t>(lo), static_cast<uint8_t>(hi)},
                                   *target, origin_of(to)});
  }

  void add_call(uint32_t tag) {
    const auto to = dispatch_.loop_after_dispatch
                        ? visit({Place::kText, automaton_.root().value, kBetween})
                        : visit({Place::kEnd, 0, 0});
    const ExprId reference = references_[tag];
    fsm_.rule_edges.push_back(
        {grammar_.rule_ref(reference), *to, origins_.single(reference.value)});
  }

  // An edge on the way to one tag alone was made of that tag.
  OriginSetId origin_of(StateId to) {
    if (to == automaton_.root() || !automaton_.is_alone(to)) return text_origin_;
    const Pattern pattern = patterns_[automaton_.pattern(to)];
    if (pattern.what != Watched::kTag) return text_origin_;
    return origins_.single(references_[pattern.index].value);
  }

  DispatchProgress progress(Place place) const {
    DispatchProgress progress;
    progress.mode = place.kind == Place::kText ? Mode::kDispatching : Mode::kDispatched;
    if (place.kind == Place::kEnd) progress.mode = Mode::kNone;
    if (place.kind == Place::kFired) {
      progress.text = place.state;  // tags come first among the texts
      progress.n_read = progress.n_common =
          static_cast<uint32_t>(dispatch_.tags[place.state].text.size());
    }
    if (place.kind != Place::kText || place.state == 0) return progress;
    progress.text = static_cast<uint32_t>(automaton_.pattern(StateId(place.state)));
    progress.n_read = automaton_.depth(StateId(place.state));
    progress.n_common = automaton_.common_depth(StateId(place.state));
    return progress;
  }

  // Excludes may leave states from which nothing can be completed, such as one within a code point
  // all of whose ends are excluded.
  std::vector<bool> find_alive() const {
    std::vector<bool> alive = fsm_.is_accepting;
    const auto lives = [&](const auto& edge) { return alive[edge.to.index()]; };
    for (bool grows = true; grows;) {
      grows = false;
      for (size_t s = 0; s < alive.size(); ++s) {
        if (alive[s]) continue;
        const auto bytes = fsm_.terminals(StateId(s));
        const auto calls = fsm_.rules(StateId(s));
        alive[s] = std::any_of(bytes.begin(), bytes.end(), lives) ||
                   std::any_of(calls.begin(), calls.end(), lives);
        grows = grows || alive[s];
      }
    }
    return alive;
  }

  const Grammar& grammar_;
  const Dispatch& dispatch_;
  const std::span<const ExprId> references_;
  OriginSets& origins_;
  const OriginSetId text_origin_;
  DispatchFacts facts_;
  std::vector<std::string_view> texts_;
  const std::vector<Pattern> patterns_;
  const AhoCorasick automaton_;
  std::unordered_map<uint64_t, uint32_t> number_;
  std::unordered_set<uint64_t> dead_;
  std::vector<Place> order_;
  FrozenFsm fsm_;
};

}  // namespace

DispatchFsm dispatch_fsm(const Grammar& grammar, ExprId id, OriginSets& origins) {
  return Builder(grammar, id, origins).run();
}

}  // namespace xg2lab
