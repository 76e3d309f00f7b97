// Read: the queries, product (and, or, but not), then Subsets (concatenation, repetition), minimize
// last. The trick: a bounded repetition is a subset construction over (state, round). Without a
// lower bound, only the smallest round of each state matters, since it permits everything that a
// larger one does; so most sets stay small.
#include "automata/code_point_dfa.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "support/budget.h"
#include "support/hash.h"
#include "support/utf8.h"

namespace xg2lab {

// ---- Queries ----

bool CodePointDfa::accepts(std::span<const uint32_t> text) const {
  uint32_t state = 0;
  for (uint32_t code_point : text) {
    if (!is_scalar_value(code_point)) return false;
    state = step(state, alphabet.letter_of(code_point));
  }
  return is_accepting[state];
}

namespace {

// All reachable states in breadth-first order. On request it also holds, for each state, the
// predecessor and the letter by which the search first reached the state.
struct Reached {
  std::vector<uint32_t> order{0};
  std::vector<std::pair<uint32_t, Letter>> from;  // index: state
};

Reached reach(const CodePointDfa& dfa, std::span<const Letter> letters) {
  Reached reached;
  reached.from.resize(dfa.n_states());
  std::vector<bool> seen(dfa.n_states());
  seen[0] = true;
  for (size_t i = 0; i < reached.order.size(); ++i) {
    const uint32_t state = reached.order[i];
    for (Letter letter : letters) {
      const uint32_t to = dfa.step(state, letter);
      if (seen[to]) continue;
      seen[to] = true;
      reached.from[to] = {state, letter};
      reached.order.push_back(to);
    }
  }
  return reached;
}

// One code point for each letter: the smallest printable one, or else the smallest.
std::vector<uint32_t> examples(const Alphabet& alphabet) {
  constexpr uint32_t kTried = 256;
  std::vector<uint32_t> example(alphabet.n_letters(), UINT32_MAX);
  std::vector<bool> is_seen(alphabet.n_letters());
  for (const Alphabet::Interval& interval : alphabet.intervals()) {
    if (example[interval.letter] == UINT32_MAX) example[interval.letter] = interval.lo;
    const uint32_t last = std::min(interval.hi, interval.lo + kTried);
    for (uint32_t point = interval.lo; point <= last && !is_seen[interval.letter]; ++point) {
      if (point == ' ' || !is_printable(point)) continue;
      is_seen[interval.letter] = true;
      example[interval.letter] = point;
    }
  }
  return example;
}

std::vector<Letter> all_letters(const CodePointDfa& dfa) {
  std::vector<Letter> letters(dfa.alphabet.n_letters());
  for (Letter i = 0; i < letters.size(); ++i) letters[i] = i;
  return letters;
}

}  // namespace

std::optional<std::vector<uint32_t>> CodePointDfa::shortest() const {
  const std::vector<uint32_t> example = examples(alphabet);
  std::vector<Letter> letters = all_letters(*this);
  std::sort(letters.begin(), letters.end(),
            [&](Letter a, Letter b) { return example[a] < example[b]; });
  const Reached reached = reach(*this, letters);
  const auto found = std::find_if(reached.order.begin(), reached.order.end(),
                                  [this](uint32_t state) { return is_accepting[state]; });
  if (found == reached.order.end()) return std::nullopt;
  std::vector<uint32_t> text;
  for (uint32_t state = *found; state != 0; state = reached.from[state].first) {
    text.push_back(example[reached.from[state].second]);
  }
  std::reverse(text.begin(), text.end());
  return text;
}

bool CodePointDfa::is_empty() const {
  const Reached reached = reach(*this, all_letters(*this));
  return std::none_of(reached.order.begin(), reached.order.end(),
                      [this](uint32_t state) { return is_accepting[state]; });
}

bool CodePointDfa::is_universal() const {
  const Reached reached = reach(*this, all_letters(*this));
  return std::all_of(reached.order.begin(), reached.order.end(),
                     [this](uint32_t state) { return is_accepting[state]; });
}

// ---- The simplest languages ----

CodePointDfa nothing() {
  CodePointDfa dfa;
  dfa.next.assign(dfa.alphabet.n_letters(), 0);
  return dfa;
}

CodePointDfa everything() { return complement(nothing()); }

namespace {

// Texts with one code point of each set in turn: state i has read i code points, and the last state
// is the failure state.
CodePointDfa row_of(std::span<const CodePointSet> sets) {
  CodePointDfa dfa;
  dfa.alphabet = Alphabet(sets);
  const size_t n_letters = dfa.alphabet.n_letters();
  const auto failed = static_cast<uint32_t>(sets.size() + 1);
  dfa.next.assign((sets.size() + 2) * n_letters, failed);
  dfa.is_accepting.assign(sets.size() + 2, false);
  dfa.is_accepting[sets.size()] = true;
  for (size_t i = 0; i < sets.size(); ++i) {
    const std::vector<bool> letters = dfa.alphabet.letters_in(sets[i]);
    for (size_t letter = 0; letter < n_letters; ++letter) {
      if (letters[letter]) dfa.next[i * n_letters + letter] = static_cast<uint32_t>(i + 1);
    }
  }
  return minimize(dfa);
}

}  // namespace

CodePointDfa one_of(CodePointSet set) {
  const CodePointSet sets[] = {normal(std::move(set))};
  return row_of(sets);
}

CodePointDfa only_text(std::span<const uint32_t> text) {
  std::vector<CodePointSet> sets;
  for (uint32_t code_point : text) sets.push_back(normal({{code_point, code_point}}));
  return row_of(sets);
}

CodePointDfa one_of_texts(std::span<const std::vector<uint32_t>> texts) {
  std::vector<uint32_t> points;
  for (const auto& text : texts) points.insert(points.end(), text.begin(), text.end());
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  std::vector<CodePointSet> sets;
  for (uint32_t point : points) sets.push_back({{point, point}});
  CodePointDfa trie;
  trie.alphabet = Alphabet(sets);
  const size_t n_letters = trie.alphabet.n_letters();
  constexpr uint32_t kDead = 1;
  trie.is_accepting.assign(2, false);
  trie.next.assign(2 * n_letters, kDead);
  for (const auto& text : texts) {
    uint32_t state = 0;
    for (uint32_t point : text) {
      const size_t cell = state * n_letters + trie.alphabet.letter_of(point);
      if (trie.next[cell] == kDead) {
        trie.next[cell] = static_cast<uint32_t>(trie.n_states());
        trie.is_accepting.push_back(false);
        trie.next.resize(trie.next.size() + n_letters, kDead);
      }
      state = trie.next[cell];
    }
    trie.is_accepting[state] = true;
  }
  return minimize(trie);
}

// State i has read i code points. Without an upper limit the last state loops; otherwise a failure
// state follows it.
MaybeDfa of_length(uint32_t min, uint32_t max, const DfaLimits& limits) {
  if (max < min) return nothing();
  const bool has_limit = max != kNoLongest;
  const uint32_t last = has_limit ? max + 1 : min;
  if (last >= limits.n_states) return std::nullopt;
  CodePointDfa dfa;
  dfa.is_accepting.assign(last + 1, false);
  for (uint32_t i = min; i <= last; ++i) dfa.is_accepting[i] = !has_limit || i < last;
  for (uint32_t i = 0; i <= last; ++i) dfa.next.push_back(std::min(i + 1, last));
  return dfa;
}

// ---- Pairs ----

namespace {

// The state of a minimal machine from which nothing is accepted, if there is one.
std::optional<uint32_t> failed_state(const CodePointDfa& dfa) {
  const size_t n_letters = dfa.alphabet.n_letters();
  for (uint32_t s = 0; s < dfa.n_states(); ++s) {
    const auto row = std::span(dfa.next).subspan(s * n_letters, n_letters);
    if (!dfa.is_accepting[s] && std::ranges::all_of(row, [s](uint32_t to) { return to == s; }))
      return s;
  }
  return std::nullopt;
}

bool is_within(const CodePointDfa& dfa, const DfaLimits& limits) {
  return dfa.n_states() <= limits.n_states && dfa.next.size() <= limits.n_cells;
}

template <class Keeps>
MaybeDfa product(const CodePointDfa& a, const CodePointDfa& b, const DfaLimits& limits,
                 Keeps keeps) {
  Alphabet::Common common = Alphabet::common(a.alphabet, b.alphabet);
  const size_t n_letters = common.alphabet.n_letters();
  CodePointDfa result;
  result.alphabet = std::move(common.alphabet);
  result.is_accepting.clear();
  // product size up to which pairs are looked up in a table; larger ones use a hash table
  constexpr size_t kMostInTable = size_t{1} << 20;
  constexpr uint32_t kUnseen = UINT32_MAX;
  const bool has_table = a.n_states() * b.n_states() <= kMostInTable;
  std::vector<uint32_t> table(has_table ? a.n_states() * b.n_states() : 0, kUnseen);
  std::unordered_map<uint64_t, uint32_t> known;
  std::vector<std::pair<uint32_t, uint32_t>> pairs;
  // Pairs whose failure is certain whatever the other machine does are joined into one state.
  const auto failed_a = keeps(false, true) ? std::nullopt : failed_state(a);
  const auto failed_b = keeps(true, false) ? std::nullopt : failed_state(b);
  // A failed state decides a pair alone, so the other state is replaced by 0: all such pairs become
  // one.
  const auto visit = [&](uint32_t left, uint32_t right) {
    if (left == failed_a) right = 0;
    else if (right == failed_b) left = 0;
    uint32_t& number =
        has_table ? table[left * b.n_states() + right]
                  : known.try_emplace((uint64_t{left} << 32) | right, kUnseen).first->second;
    if (number == kUnseen) {
      number = static_cast<uint32_t>(pairs.size());
      pairs.emplace_back(left, right);
      result.is_accepting.push_back(keeps(a.is_accepting[left], b.is_accepting[right]));
    }
    return number;
  };
  visit(0, 0);
  for (size_t i = 0; i < pairs.size(); ++i) {
    count_work("combining patterns", n_letters / 4 + 1);
    const auto [left, right] = pairs[i];
    for (size_t letter = 0; letter < n_letters; ++letter) {
      result.next.push_back(
          visit(a.step(left, common.of_a[letter]), b.step(right, common.of_b[letter])));
    }
    if (!is_within(result, limits)) return std::nullopt;
  }
  return minimize(result);
}

}  // namespace

CodePointDfa complement(CodePointDfa a) {
  a.is_accepting.flip();
  return a;
}

MaybeDfa intersect(const CodePointDfa& a, const CodePointDfa& b, const DfaLimits& limits) {
  return product(a, b, limits, [](bool in_a, bool in_b) { return in_a && in_b; });
}

MaybeDfa unite(const CodePointDfa& a, const CodePointDfa& b, const DfaLimits& limits) {
  return product(a, b, limits, [](bool in_a, bool in_b) { return in_a || in_b; });
}

MaybeDfa subtract(const CodePointDfa& a, const CodePointDfa& b, const DfaLimits& limits) {
  return product(a, b, limits, [](bool in_a, bool in_b) { return in_a && !in_b; });
}

bool equivalent(const CodePointDfa& a, const CodePointDfa& b) {
  const auto differs = [](bool in_a, bool in_b) { return in_a != in_b; };
  return product(a, b, {SIZE_MAX, SIZE_MAX}, differs)->is_empty();
}

// ---- Subsets ----

namespace {

using Subset = std::vector<uint64_t>;  // sorted

struct SubsetHash {
  size_t operator()(const Subset& subset) const {
    uint64_t hash = subset.size();
    for (uint64_t member : subset) hash = hash_combine(hash, member);
    return hash;
  }
};

// `step` adds the successors of a member by a letter; `tidy` completes a set before it is sorted
// here.
template <class Step, class Tidy, class Accepts>
MaybeDfa subsets(Alphabet alphabet, Subset start, const DfaLimits& limits, Step step, Tidy tidy,
                 Accepts accepts) {
  CodePointDfa result;
  result.alphabet = std::move(alphabet);
  result.is_accepting.clear();
  std::unordered_map<Subset, uint32_t, SubsetHash> known;
  std::vector<const Subset*> order;
  size_t n_members = 0;
  // Subsets are normalized before the look-up, so equal sets of members are one state.
  const auto visit = [&](Subset subset) {
    tidy(subset);
    std::sort(subset.begin(), subset.end());
    subset.erase(std::unique(subset.begin(), subset.end()), subset.end());
    const auto [found, is_new] =
        known.emplace(std::move(subset), static_cast<uint32_t>(order.size()));
    if (is_new) {
      order.push_back(&found->first);
      n_members += found->first.size();
      result.is_accepting.push_back(std::any_of(found->first.begin(), found->first.end(), accepts));
    }
    return found->second;
  };
  visit(std::move(start));
  for (size_t i = 0; i < order.size(); ++i) {
    count_work("combining patterns", order[i]->size() * result.alphabet.n_letters() / 4 + 1);
    for (Letter letter = 0; letter < result.alphabet.n_letters(); ++letter) {
      Subset to;
      for (uint64_t member : *order[i]) step(member, letter, to);
      result.next.push_back(visit(std::move(to)));
    }
    // The sizes of the subsets are limited as well: few states may have many members each.
    if (!is_within(result, limits) || n_members > limits.n_cells) return std::nullopt;
  }
  return minimize(result);
}

// States from which nothing is accepted.
std::vector<bool> dead_states(const CodePointDfa& dfa) {
  const size_t n_letters = dfa.alphabet.n_letters();
  std::vector<std::vector<uint32_t>> sources(dfa.n_states());
  for (size_t i = 0; i < dfa.next.size(); ++i) {
    auto& list = sources[dfa.next[i]];
    const auto state = static_cast<uint32_t>(i / n_letters);
    if (list.empty() || list.back() != state) list.push_back(state);
  }
  std::vector<bool> dead(dfa.n_states(), true);
  std::vector<uint32_t> agenda;
  for (uint32_t s = 0; s < dfa.n_states(); ++s) {
    if (!dfa.is_accepting[s]) continue;
    dead[s] = false;
    agenda.push_back(s);
  }
  while (!agenda.empty()) {
    const uint32_t state = agenda.back();
    agenda.pop_back();
    for (uint32_t source : sources[state]) {
      if (!dead[source]) continue;
      dead[source] = false;
      agenda.push_back(source);
    }
  }
  return dead;
}

constexpr uint64_t kInSecond = uint64_t{1} << 32;

}  // namespace

MaybeDfa concatenate(const CodePointDfa& a, const CodePointDfa& b, const DfaLimits& limits) {
  Alphabet::Common common = Alphabet::common(a.alphabet, b.alphabet);
  const std::vector<bool> dead_in_a = dead_states(a);
  const std::vector<bool> dead_in_b = dead_states(b);
  // A member is a state of `a`, or kInSecond | a state of `b`. Dead states are dropped, so the
  // empty subset is the only failure state.
  const auto step = [&](uint64_t member, Letter letter, Subset& to) {
    const auto state = static_cast<uint32_t>(member);
    if (member >= kInSecond) {
      const uint32_t next = b.step(state, common.of_b[letter]);
      if (!dead_in_b[next]) to.push_back(kInSecond | next);
    } else {
      const uint32_t next = a.step(state, common.of_a[letter]);
      if (!dead_in_a[next]) to.push_back(next);
    }
  };
  const auto tidy = [&](Subset& subset) {
    const bool a_ends = std::any_of(subset.begin(), subset.end(), [&](uint64_t member) {
      return member < kInSecond && a.is_accepting[member];
    });
    // Where `a` may end, `b` may begin.
    if (a_ends) subset.push_back(kInSecond);
  };
  const auto accepts = [&](uint64_t member) {
    return member >= kInSecond && b.is_accepting[static_cast<uint32_t>(member)];
  };
  return subsets(common.alphabet, {0}, limits, step, tidy, accepts);
}

// A member is (state + 1, completed rounds) or, between two rounds, (0, completed rounds). Without
// an upper bound, all numbers of rounds from min on are equivalent.
MaybeDfa repeat(const CodePointDfa& a, uint32_t min, uint32_t max, const DfaLimits& limits) {
  const bool has_limit = max != kNoLongest;
  if (has_limit ? max > limits.n_states : min > limits.n_states) return std::nullopt;
  if (a.is_accepting[0]) min = 0;  // empty rounds make up any missing number
  const std::vector<bool> dead = dead_states(a);
  const auto member_of = [](uint32_t state, uint32_t round) {
    return (uint64_t{round} << 32) | state;
  };
  const auto step = [&](uint64_t member, Letter letter, Subset& to) {
    const auto at = static_cast<uint32_t>(member);
    const auto round = static_cast<uint32_t>(member >> 32);
    // The last round is complete: no further round may begin.
    if (at == 0 && has_limit && round == max) return;
    const uint32_t next = a.step(at == 0 ? 0 : at - 1, letter);
    if (!dead[next]) to.push_back(member_of(next + 1, round));
  };
  const auto tidy = [&](Subset& subset) {
    const size_t n_members = subset.size();
    for (size_t i = 0; i < n_members; ++i) {
      const auto at = static_cast<uint32_t>(subset[i]);
      const auto round = static_cast<uint32_t>(subset[i] >> 32) + 1;
      if (at == 0 || !a.is_accepting[at - 1]) continue;
      subset.push_back(member_of(0, has_limit ? round : std::min(round, min)));
    }
    std::sort(subset.begin(), subset.end());
    if (min > 0) return;
    // Without a lower bound, the smallest round of a state permits everything that a larger round
    // does.
    std::map<uint32_t, uint64_t> earliest;
    for (uint64_t member : subset) earliest.emplace(static_cast<uint32_t>(member), member);
    subset.clear();
    for (const auto& [at, member] : earliest) subset.push_back(member);
  };
  const auto accepts = [&](uint64_t member) {
    return static_cast<uint32_t>(member) == 0 && (member >> 32) >= min;
  };
  return subsets(a.alphabet, {0}, limits, step, tidy, accepts);
}

}  // namespace xg2lab
