// Read: explore (states are words until all are known), Names (labels), Mailboxes (what stands before the @).
#include "frontends/json_schema/host_names.h"

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "support/utf8.h"

namespace xg2lab::json_schema {
namespace {

// Limits of labels, by place. With a dot each they are 247.
constexpr std::array<uint32_t, 10> kMostInLabel{63, 63, 32, 16, 16, 16, 8, 8, 8, 8};
constexpr uint32_t kMostInLocalPart = 64;
constexpr uint32_t kDead = UINT32_MAX;

// A machine by its step: states are any words. `sets` are disjoint; what is in none of them leads nowhere. The first state is 0.
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

// Letters that RFC 5892 allows, that are written from left to right and are their own normal form.
CodePointSet letters_beyond_ascii() {
  CodePointSet set{{0xDF, 0xF6}, {0xF8, 0xFF}, {0x3AC, 0x3CE}, {0x430, 0x45F}};
  for (uint32_t small = 0x101; small <= 0x137; small += 2) {
    if (small != 0x133) set.push_back({small, small});
  }
  for (uint32_t small = 0x13A; small <= 0x148; small += 2) {
    if (small != 0x140) set.push_back({small, small});
  }
  for (uint32_t small = 0x14B; small <= 0x177; small += 2) set.push_back({small, small});
  for (uint32_t small : {0x17A, 0x17C, 0x17E}) set.push_back({small, small});
  const CodePointSet east{{0x3005, 0x3007}, {0x3041, 0x3096}, {0x309D, 0x309E}, {0x30A1, 0x30FA},
                          {0x30FC, 0x30FE}, {0x3400, 0x4DB5}, {0x4E00, 0x9FA5}, {0xAC00, 0xD7A3}};
  set.insert(set.end(), east.begin(), east.end());
  return normal(set);
}

// Where reading stands in a name, as a word.
struct Place {
  uint32_t label = 0;
  uint32_t length = 0;  // as it counts: kOfForeign for a letter beyond ASCII
  uint32_t n_read = 0;  // characters of the label; 4 are as good as more
  bool is_after_hyphen = false;
  bool has_capital = false;
  bool has_foreign = false;

  uint32_t word() const {
    return label | (length << 4) | (n_read << 11) | (uint32_t{is_after_hyphen} << 14) |
           (uint32_t{has_capital} << 15) | (uint32_t{has_foreign} << 16);
  }
  static Place of(uint32_t word) {
    const auto bit = [word](int at) { return ((word >> at) & 1) != 0; };
    return {word & 15, (word >> 4) & 127, (word >> 11) & 7, bit(14), bit(15), bit(16)};
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
    constexpr uint32_t kOfForeign = 6;
    constexpr uint32_t kOfPrefix = 6;  // xn-- and the last hyphen, and one to spare
    Place place = Place::of(word);
    if (kind == kDot)
      return is_whole(word) && place.label + 1 < kMostInLabel.size() ? Place{place.label + 1}.word()
                                                                     : kDead;
    if (kind == kHyphen && !may_take_hyphen(place)) return kDead;
    const bool is_first_foreign = kind == kBeyondAscii && !place.has_foreign;
    place.length += kind == kBeyondAscii ? kOfForeign : 1;
    place.length += is_first_foreign ? kOfPrefix : 0;
    place.n_read = std::min(place.n_read + 1, 4u);
    place.is_after_hyphen = kind == kHyphen;
    place.has_capital |= is_international_ && kind == kCapital;
    place.has_foreign |= kind == kBeyondAscii;
    const bool is_mixed = place.has_capital && place.has_foreign;
    return is_mixed || place.length > kMostInLabel[place.label] ? kDead : place.word();
  }

  static bool is_whole(uint32_t word) {
    const Place place = Place::of(word);
    return place.n_read > 0 && !place.is_after_hyphen;
  }

 private:
  bool may_take_hyphen(const Place& place) const {
    const bool is_fourth_after_hyphen = place.n_read == 3 && place.is_after_hyphen;
    return place.n_read > 0 && (may_have_hyphens_anywhere_ || !is_fourth_after_hyphen);
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

// ---- What stands before the @ ----

enum LocalKind : size_t { kAtom, kPoint, kQuote, kBackslash, kQuoted, kTwo, kThree, kFour };
enum LocalPhase : uint32_t { kStart, kInAtom, kAfterPoint, kInQuotes, kEscaped, kClosed };

// A local part of at most 64 octets: atoms with points between them, or a quoted text. A word is a phase and a number of octets.
uint32_t local_step(uint32_t word, size_t kind) {
  constexpr std::array<uint32_t, 8> kOctets{1, 1, 1, 1, 1, 2, 3, 4};
  const uint32_t n_octets = (word >> 3) + kOctets[kind];
  const auto to = [&](LocalPhase phase) {
    return n_octets > kMostInLocalPart ? kDead : phase | (n_octets << 3);
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
    sets.push_back({{0x10000, kMaxCodePoint}});
  }
  return explore(sets, &local_step,
                 [](uint32_t word) { return (word & 7) == kInAtom || (word & 7) == kClosed; });
}

CodePointDfa mailbox(bool is_international, const CodePointDfa& address_literal) {
  const uint32_t at[] = {'@'};
  const CodePointDfa domain = *unite(names(is_international, !is_international), address_literal);
  return *concatenate(local_part(is_international), *concatenate(only_text(at), domain));
}

}  // namespace

CodePointDfa host_name() { return names(false, false); }
CodePointDfa internationalized_host_name() { return names(true, false); }
CodePointDfa mail_address(const CodePointDfa& address_literal) {
  return mailbox(false, address_literal);
}
CodePointDfa internationalized_mail_address(const CodePointDfa& address_literal) {
  return mailbox(true, address_literal);
}

}  // namespace xg2lab::json_schema
