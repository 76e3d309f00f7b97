// Read: explore (a state is a word until all are known), Names (labels), local_step (the part
// before the @), join.
#include "languages/formats/host_names.h"

#include <algorithm>
#include <map>
#include <vector>

namespace xg2lab::formats {
namespace {

constexpr uint32_t kDead = UINT32_MAX;

// Builds a machine from its step function; states are arbitrary words, the first is 0. `sets` are
// disjoint; a character in none of them leads nowhere.
template <class Step, class Accepts>
CodePointDfa explore(const std::vector<CodePointSet>& sets, Step step, Accepts accepts) {
  CodePointDfa dfa;
  dfa.alphabet = Alphabet(sets);
  const size_t n_letters = dfa.alphabet.n_letters();
  std::vector<size_t> set_of(n_letters, sets.size());
  for (size_t set = 0; set < sets.size(); ++set) {
    const std::vector<bool> letters = dfa.alphabet.letters_in(sets[set]);
    for (size_t letter = 0; letter < n_letters; ++letter) {
      if (letters[letter]) set_of[letter] = set;
    }
  }
  std::map<uint32_t, uint32_t> known;
  std::vector<uint32_t> order;
  const auto visit = [&](uint32_t state) {
    const auto [found, is_new] = known.emplace(state, static_cast<uint32_t>(order.size()));
    if (is_new) order.push_back(state);
    return found->second;
  };
  visit(0);
  dfa.is_accepting.clear();
  for (size_t i = 0; i < order.size(); ++i) {
    dfa.is_accepting.push_back(order[i] != kDead && accepts(order[i]));
    for (size_t letter = 0; letter < n_letters; ++letter) {
      const bool is_dead = order[i] == kDead || set_of[letter] == sets.size();
      dfa.next.push_back(visit(is_dead ? kDead : step(order[i], set_of[letter])));
    }
  }
  return minimize(dfa);
}

// ---- Names ----

enum Kind : size_t { kSmall, kCapital, kHyphen, kDot, kBeyondAscii };  // kSmall: and digits

// The position of the reader within a name, as a word.
struct LabelState {
  uint32_t label = 0;
  uint32_t n_read = 0;     // characters of the label
  uint32_t n_foreign = 0;  // of these, beyond ASCII; at most kManyForeign
  bool is_after_hyphen = false;
  bool has_capital = false;

  uint32_t word() const {
    return label | (n_read << 4) | (n_foreign << 11) | (uint32_t{is_after_hyphen} << 14) |
           (uint32_t{has_capital} << 15);
  }
  static LabelState of(uint32_t word) {
    return {word & 15, (word >> 4) & 127, (word >> 11) & 7, ((word >> 14) & 1) != 0,
            ((word >> 15) & 1) != 0};
  }
};

class Names {
 public:
  Names(bool is_international, bool may_have_hyphens_anywhere)
      : is_international_(is_international),
        may_have_hyphens_anywhere_(may_have_hyphens_anywhere) {}

  // index: Kind
  std::vector<CodePointSet> sets() const {
    std::vector<CodePointSet> sets{
        {{'0', '9'}, {'a', 'z'}}, {{'A', 'Z'}}, {{'-', '-'}}, {{'.', '.'}}};
    if (is_international_) {
      sets[kDot] = {{'.', '.'}, {0x3002, 0x3002}, {0xFF0E, 0xFF0E}, {0xFF61, 0xFF61}};
      sets.push_back(letters_beyond_ascii());
    }
    return sets;
  }

  uint32_t step(uint32_t word, size_t kind) const {
    LabelState state = LabelState::of(word);
    if (kind == kDot) {
      const bool goes_on = is_whole(word) && state.label + 1 < kMostInLabel.size();
      return goes_on ? LabelState{state.label + 1}.word() : kDead;
    }
    if (kind == kHyphen && !may_take_hyphen(state)) return kDead;
    ++state.n_read;
    if (kind == kBeyondAscii) state.n_foreign = std::min(state.n_foreign + 1, kManyForeign);
    state.is_after_hyphen = kind == kHyphen;
    state.has_capital |= is_international_ && kind == kCapital;
    return is_within_limits(state) ? state.word() : kDead;
  }

  static bool is_whole(uint32_t word) {
    const LabelState state = LabelState::of(word);
    return state.n_read > 0 && !state.is_after_hyphen;
  }

 private:
  static constexpr uint32_t kManyForeign = 7;

  bool may_take_hyphen(const LabelState& state) const {
    const bool is_fourth_after_hyphen = state.n_read == 3 && state.is_after_hyphen;
    return state.n_read > 0 && (may_have_hyphens_anywhere_ || !is_fourth_after_hyphen);
  }

  static bool is_within_limits(const LabelState& state) {
    if (state.n_foreign == 0) return state.n_read <= kMostInLabel[state.label];
    if (state.has_capital || state.label >= kForeignLimits.size()) return false;
    const ForeignLimits& limits = kForeignLimits[state.label];
    const bool is_mixed = state.n_foreign <= limits.n_foreign && state.n_read <= limits.n_mixed;
    return is_mixed || state.n_read <= limits.n_any;
  }

  bool is_international_;
  bool may_have_hyphens_anywhere_;
};

CodePointDfa names(bool is_international, bool may_have_hyphens_anywhere) {
  const Names names(is_international, may_have_hyphens_anywhere);
  return explore(
      names.sets(), [&](uint32_t word, size_t kind) { return names.step(word, kind); },
      &Names::is_whole);
}

// ---- The part before the @ ----

enum LocalKind : size_t { kAtom, kPoint, kQuote, kBackslash, kQuoted, kTwo, kThree, kFour };
enum LocalPhase : uint32_t { kStart, kInAtom, kAfterPoint, kInQuotes, kEscaped, kClosed };

// A local part: atoms with points between them, or a quoted text. A word holds a phase, the number
// of octets of the longest character minus 1, and the number of characters.
uint32_t local_step(uint32_t word, size_t kind) {
  const uint32_t octets =
      std::max((word >> 3) & 3, kind < kTwo ? 0 : static_cast<uint32_t>(kind - kTwo) + 1);
  const uint32_t n_read = (word >> 5) + 1;
  const auto to = [&](LocalPhase phase) {
    return n_read > kMostInLocalPart[octets] ? kDead : phase | (octets << 3) | (n_read << 5);
  };
  const bool is_foreign = kind >= kTwo;
  switch (static_cast<LocalPhase>(word & 7)) {
    case kStart:
      if (kind == kQuote) return to(kInQuotes);
      return kind == kAtom || is_foreign ? to(kInAtom) : kDead;
    case kInAtom:
      if (kind == kPoint) return to(kAfterPoint);
      return kind == kAtom || is_foreign ? to(kInAtom) : kDead;
    case kAfterPoint: return kind == kAtom || is_foreign ? to(kInAtom) : kDead;
    case kInQuotes:
      if (kind == kQuote) return to(kClosed);
      return to(kind == kBackslash ? kEscaped : kInQuotes);
    case kEscaped: return is_foreign ? kDead : to(kInQuotes);
    case kClosed: return kDead;
  }
  return kDead;
}

CodePointDfa local_part(bool is_international) {
  std::vector<CodePointSet> sets{normal({{'0', '9'},
                                         {'A', 'Z'},
                                         {'a', 'z'},
                                         {'!', '!'},
                                         {'#', '\''},
                                         {'*', '+'},
                                         {'-', '-'},
                                         {'/', '/'},
                                         {'=', '='},
                                         {'?', '?'},
                                         {'^', '`'},
                                         {'{', '~'}}),
                                 {{'.', '.'}},
                                 {{'"', '"'}},
                                 {{'\\', '\\'}},
                                 normal({{' ', ' '},
                                         {'(', ')'},
                                         {',', ','},
                                         {':', '<'},
                                         {'>', '>'},
                                         {'@', '@'},
                                         {'[', '['},
                                         {']', ']'}})};
  if (is_international) {
    sets.push_back({{0x80, 0x7FF}});
    sets.push_back(normal({{0x800, 0xFFFF}}));
    sets.push_back({{0x10000, 0x10FFFF}});
  }
  return explore(sets, &local_step,
                 [](uint32_t word) { return (word & 7) == kInAtom || (word & 7) == kClosed; });
}

CodePointDfa mailbox(bool is_international, const CodePointDfa& address_literal) {
  const CodePointDfa domain = *unite(names(is_international, !is_international), address_literal);
  return join(local_part(is_international), {{'@', '@'}}, domain);
}

// The letters of both machines, refined by the marks.
Alphabet common_alphabet(const CodePointDfa& a, const CodePointDfa& b, const CodePointSet& marks) {
  std::vector<CodePointSet> sets{marks};
  for (const CodePointDfa* dfa : {&a, &b}) {
    const size_t first = sets.size();
    sets.resize(first + dfa->alphabet.n_letters());
    for (const Alphabet::Interval& interval : dfa->alphabet.intervals()) {
      sets[first + interval.letter].push_back({interval.lo, interval.hi});
    }
  }
  return Alphabet(sets);
}

}  // namespace

// Letters that RFC 5892 permits, that are written left to right, and that are their own normal
// form.
CodePointSet letters_beyond_ascii() {
  CodePointSet set{{0xDF, 0xF6}, {0xF8, 0xFF}, {0x3AC, 0x3CE}, {0x430, 0x45F}};
  for (uint32_t small = 0x101; small <= 0x137; small += 2) {
    if (small != 0x133) set.push_back({small, small});
  }
  for (uint32_t small = 0x13A; small <= 0x148; small += 2) {
    if (small != 0x140) set.push_back({small, small});
  }
  for (uint32_t small = 0x14B; small <= 0x177; small += 2) set.push_back({small, small});
  for (uint32_t small : {0x17Au, 0x17Cu, 0x17Eu}) set.push_back({small, small});
  const CodePointSet east{{0x3005, 0x3007}, {0x3041, 0x3096}, {0x309D, 0x309E}, {0x30A1, 0x30FA},
                          {0x30FC, 0x30FE}, {0x3400, 0x4DB5}, {0x4E00, 0x9FA5}, {0xAC00, 0xD7A3}};
  set.insert(set.end(), east.begin(), east.end());
  return normal(set);
}

CodePointDfa join(const CodePointDfa& a, const CodePointSet& marks, const CodePointDfa& b) {
  CodePointDfa joined;
  joined.alphabet = common_alphabet(a, b, marks);
  const auto of_b = static_cast<uint32_t>(a.n_states());
  const size_t n_letters = joined.alphabet.n_letters();
  std::vector<uint32_t> example(n_letters);  // a character of each letter
  for (const Alphabet::Interval& interval : joined.alphabet.intervals()) {
    example[interval.letter] = interval.lo;
  }
  const std::vector<bool> is_mark = joined.alphabet.letters_in(marks);
  joined.next.resize((a.n_states() + b.n_states()) * n_letters);
  joined.is_accepting.assign(a.n_states(), false);
  joined.is_accepting.insert(joined.is_accepting.end(), b.is_accepting.begin(),
                             b.is_accepting.end());
  for (size_t letter = 0; letter < n_letters; ++letter) {
    const Letter in_a = a.alphabet.letter_of(example[letter]);
    const Letter in_b = b.alphabet.letter_of(example[letter]);
    for (uint32_t s = 0; s < a.n_states(); ++s) {
      const bool crosses = is_mark[letter] && a.is_accepting[s];
      joined.next[s * n_letters + letter] = crosses ? of_b : a.step(s, in_a);
    }
    for (uint32_t s = 0; s < b.n_states(); ++s) {
      joined.next[(of_b + s) * n_letters + letter] = of_b + b.step(s, in_b);
    }
  }
  return minimize(joined);
}

CodePointDfa host_name() { return names(false, false); }
CodePointDfa internationalized_host_name() { return names(true, false); }
CodePointDfa mail_address(const CodePointDfa& address_literal) {
  return mailbox(false, address_literal);
}
CodePointDfa internationalized_mail_address(const CodePointDfa& address_literal) {
  return mailbox(true, address_literal);
}

}  // namespace xg2lab::formats
