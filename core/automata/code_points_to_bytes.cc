// Read: Writer::write_state, then the escapes from their end: digits, pair, escape.
// The trick: nodes are interned by their edges, so equal path ends become one node, whichever
// escapes led to them. Paths are built from their ends, and no two edges of a state share a byte;
// so the result is deterministic and, since `dfa` is minimal, minimal too.
#include "automata/code_points_to_bytes.h"

#include <algorithm>
#include <array>
#include <span>
#include <tuple>
#include <unordered_map>

#include "automata/sources.h"
#include "automata/utf8.h"
#include "support/budget.h"
#include "support/interned_rows.h"
#include "support/utf8.h"

namespace xg2lab {
namespace {

constexpr uint32_t kNowhere = UINT32_MAX;
constexpr uint32_t kFirstLow = 0xDC00;  // second halves of surrogate pairs
constexpr uint32_t kOfPairs = 8;        // added to the number of digits in the keys of uniform_
constexpr uint32_t kLastCodePoint = 0x10FFFF;
constexpr uint32_t kFirstBeyondAscii = 0x80;

// A range of code points that lead from one state to another.
struct Stretch {
  uint32_t lo;
  uint32_t hi;
  uint32_t to;  // kNowhere: nothing is accepted from there
};

class Writer {
 public:
  Writer(const CodePointDfa& dfa, Spelling spelling) : dfa_(dfa), spelling_(spelling) {
    slices_.resize(dfa.n_states());
    find_live();
  }

  // Returns false if there are too many states.
  bool write(size_t max_states) {
    for (uint32_t s = 0; s < dfa_.n_states(); ++s) {
      count_work("spelling a pattern in bytes", 4);
      if (is_live_[s]) write_state(s);
      if (slices_.size() > max_states) return false;
    }
    return true;
  }

  // Numbers the states breadth-first, as freeze() does.
  FrozenFsm frozen() const {
    FrozenFsm frozen;
    std::vector<uint32_t> number(slices_.size(), kNowhere);
    std::vector<uint32_t> order{0};
    number[0] = 0;
    frozen.terminal_edges.reserve(edges_.size());
    for (size_t i = 0; i < order.size(); ++i) {
      const uint32_t state = order[i];
      frozen.terminal_begin.push_back(static_cast<uint32_t>(frozen.terminal_edges.size()));
      frozen.is_accepting.push_back(state < dfa_.n_states() && dfa_.is_accepting[state]);
      const Slice slice = slices_[state];
      for (const Edge& edge : std::span(edges_).subspan(slice.begin, slice.end - slice.begin)) {
        if (number[edge.to] == kNowhere) {
          number[edge.to] = static_cast<uint32_t>(order.size());
          order.push_back(edge.to);
        }
        frozen.terminal_edges.push_back({{edge.lo, edge.hi}, StateId(number[edge.to]), {}});
      }
    }
    frozen.terminal_begin.push_back(static_cast<uint32_t>(frozen.terminal_edges.size()));
    frozen.rule_begin.assign(order.size() + 1, 0);
    return frozen;
  }

 private:
  struct Edge {
    uint8_t lo;
    uint8_t hi;
    uint32_t to;
    friend auto operator<=>(const Edge&, const Edge&) = default;
  };

  void find_live() {
    const size_t n_letters = dfa_.alphabet.n_letters();
    const Sources sources(dfa_.n_states(), [&](auto f) {
      for (uint32_t s = 0; s < dfa_.n_states(); ++s) {
        for (size_t i = s * n_letters; i < (s + 1) * n_letters; ++i) f(s, dfa_.next[i]);
      }
    });
    is_live_ = states_that_can_accept(dfa_.n_states(), sources,
                                      [&](uint32_t s) { return dfa_.is_accepting[s]; });
  }

  // Collects into stretches_ the ranges of one state, which cover all scalar values. A range may
  // span the surrogates, which aren't scalar values.
  void collect_stretches(uint32_t state) {
    stretches_.clear();
    for (const Alphabet::Interval& interval : dfa_.alphabet.intervals()) {
      uint32_t to = dfa_.step(state, interval.letter);
      if (!is_live_[to]) to = kNowhere;
      if (!stretches_.empty() && stretches_.back().to == to) {
        stretches_.back().hi = interval.hi;
      } else {
        stretches_.push_back({interval.lo, interval.hi, to});
      }
    }
  }

  // Makes the code points of `range` lead nowhere.
  void take_out(CodePointRange range) {
    std::vector<Stretch> cut;
    bool is_out = false;
    for (const Stretch& stretch : stretches_) {
      if (stretch.lo < range.lo)
        cut.push_back({stretch.lo, std::min(stretch.hi, range.lo - 1), stretch.to});
      if (stretch.hi >= range.lo && !is_out) cut.push_back({range.lo, range.hi, kNowhere});
      is_out |= stretch.hi >= range.lo;
      if (stretch.hi > range.hi)
        cut.push_back({std::max(stretch.lo, range.hi + 1), stretch.hi, stretch.to});
    }
    stretches_ = std::move(cut);
  }

  const Stretch& stretch_at(uint32_t code_point) const {
    const auto after =
        std::upper_bound(stretches_.begin(), stretches_.end(), code_point,
                         [](uint32_t point, const Stretch& s) { return point < s.lo; });
    return *std::prev(after);
  }

  void write_state(uint32_t state) {
    collect_stretches(state);
    std::vector<Edge> edges;
    raw_.clear();
    for (const Stretch& stretch : stretches_) {
      if (stretch.to == kNowhere) continue;
      if (stretch.lo < kFirstBeyondAscii) add_ascii(edges, stretch);
      if (stretch.hi < kFirstBeyondAscii) continue;
      const uint32_t lo = std::max(stretch.lo, kFirstBeyondAscii);
      if (lo == kFirstBeyondAscii && stretch.hi == kLastCodePoint) {
        const auto [known, is_new] = beyond_ascii_.try_emplace(stretch.to);
        if (is_new) {
          add_raw(lo, stretch.hi, stretch.to);
          known->second = raw_edges(0, raw_.size(), 0);
          raw_.clear();
        }
        edges.insert(edges.end(), known->second.begin(), known->second.end());
      } else {
        add_raw(lo, stretch.hi, stretch.to);
      }
    }
    const std::vector<Edge> raw = raw_edges(0, raw_.size(), 0);
    edges.insert(edges.end(), raw.begin(), raw.end());
    if (spelling_ != Spelling::kUtf8) edges.push_back({'\\', '\\', escape()});
    join(edges);
    slices_[state] = stored(edges);
  }

  struct Slice {
    uint32_t begin = 0;
    uint32_t end = 0;
  };

  Slice stored(std::span<const Edge> edges) {
    const auto begin = static_cast<uint32_t>(edges_.size());
    edges_.insert(edges_.end(), edges.begin(), edges.end());
    return {begin, static_cast<uint32_t>(edges_.size())};
  }

  // Adds the one-byte characters of a stretch that need no escape.
  void add_ascii(std::vector<Edge>& edges, const Stretch& stretch) const {
    const bool is_json = spelling_ != Spelling::kUtf8;
    uint32_t lo = is_json ? std::max<uint32_t>(stretch.lo, ' ') : stretch.lo;
    const uint32_t hi = std::min(stretch.hi, kFirstBeyondAscii - 1);
    const auto add_until = [&](uint32_t end) {
      if (lo < end)
        edges.push_back({static_cast<uint8_t>(lo), static_cast<uint8_t>(end - 1), stretch.to});
    };
    for (const uint32_t special : {uint32_t{'"'}, uint32_t{'\\'}}) {
      if (!is_json || special < lo || special > hi) continue;
      add_until(special);
      lo = special + 1;
    }
    add_until(hi + 1);
  }

  void add_raw(uint32_t lo, uint32_t hi, uint32_t to) {
    const auto add = [&](uint32_t first, uint32_t last) {
      if (first > last) return;
      for (const Utf8Sequence& sequence : utf8_sequences(first, last))
        raw_.push_back({sequence, to});
    };
    add(lo, std::min(hi, kFirstSurrogate - 1));
    add(std::max(lo, kLastSurrogate + 1), hi);
  }

  // The edges for raw_[begin, end), whose sequences agree in their first `n_read` bytes. At the
  // same position two byte ranges are equal or disjoint: a range of several bytes is followed by
  // every continuation, so no other sequence begins with any of its bytes.
  std::vector<Edge> raw_edges(size_t begin, size_t end, uint8_t n_read) {
    std::vector<Edge> edges;
    while (begin < end) {
      const ByteRange range = raw_[begin].sequence.bytes[n_read];
      size_t last = begin;
      while (last < end && raw_[last].sequence.bytes[n_read] == range) ++last;
      const bool is_whole = raw_[begin].sequence.n_bytes == n_read + 1;
      const uint32_t to = is_whole ? raw_[begin].to
                                   : node(raw_edges(begin, last, static_cast<uint8_t>(n_read + 1)));
      edges.push_back({range.lo, range.hi, to});
      begin = last;
    }
    return edges;
  }

  // ---- Escapes ----

  // Sorts the edges, drops those that lead nowhere, and joins neighbours with the same target.
  static void join(std::vector<Edge>& edges) {
    std::erase_if(edges, [](const Edge& edge) { return edge.to == kNowhere; });
    if (!std::is_sorted(edges.begin(), edges.end())) std::sort(edges.begin(), edges.end());
    size_t n_joined = 0;
    for (const Edge& edge : edges) {
      const bool continues = n_joined > 0 && edges[n_joined - 1].to == edge.to &&
                             edges[n_joined - 1].hi + 1 == edge.lo;
      if (continues) edges[n_joined - 1].hi = edge.hi;
      else edges[n_joined++] = edge;
    }
    edges.resize(n_joined);
  }

  // The node with these edges; kNowhere if it would have none.
  uint32_t node(std::vector<Edge> edges) {
    join(edges);
    return joined_node(edges);
  }
  uint32_t joined_node(std::span<const Edge> edges) {
    if (edges.empty()) return kNowhere;
    row_.clear();
    for (const Edge& edge : edges) {
      row_.push_back((uint32_t{edge.lo} << 8) | edge.hi);
      row_.push_back(edge.to);
    }
    const auto [row, is_new] = rows_.add(row_);
    if (is_new) slices_.push_back(stored(edges));
    return static_cast<uint32_t>(dfa_.n_states()) + row;
  }

  // An edge for each of the 16 hexadecimal digits, A to F in both cases.
  uint32_t digits_node(const std::array<uint32_t, 16>& to) {
    std::array<Edge, 22> edges;
    size_t n_edges = 0;
    const auto add = [&](uint8_t byte, uint32_t state) {
      if (state == kNowhere) return;
      Edge* const last = n_edges > 0 ? &edges[n_edges - 1] : nullptr;
      if (last != nullptr && last->to == state && last->hi + 1 == byte) last->hi = byte;
      else edges[n_edges++] = {byte, byte, state};
    };
    for (uint8_t i = 0; i < 10; ++i) add(static_cast<uint8_t>('0' + i), to[i]);
    for (const char first : {'A', 'a'}) {
      for (uint8_t i = 0; i < 6; ++i) add(static_cast<uint8_t>(first + i), to[10 + i]);
    }
    return joined_node(std::span(edges).first(n_edges));
  }

  static void add_digit(std::vector<Edge>& edges, uint32_t digit, uint32_t to) {
    const auto byte = static_cast<uint8_t>(digit < 10 ? '0' + digit : 'a' + digit - 10);
    edges.push_back({byte, byte, to});
    if (digit < 10) return;
    const auto capital = static_cast<uint8_t>('A' + digit - 10);
    edges.push_back({capital, capital, to});
  }

  static uint64_t uniform_key(uint32_t kind, const Stretch* stretch) {
    return (uint64_t{kind} << 32) | (stretch == nullptr ? kNowhere : stretch->to);
  }

  // The stretch that covers [first, last], if one does.
  const Stretch* uniform_stretch(uint32_t first, uint32_t last) const {
    const Stretch& stretch = stretch_at(first);
    return last <= stretch.hi ? &stretch : nullptr;
  }

  // The node before `n_digits` hexadecimal digits that select one of the code points from `first`
  // on. A surrogate is valid only as the first half of a pair, which selects one of 1024 code
  // points.
  uint32_t digits(uint32_t first, uint32_t n_digits) {
    if (n_digits == 0) return is_surrogate(first) ? pair(first) : stretch_at(first).to;
    const uint32_t n_points = uint32_t{1} << (4 * n_digits);
    const uint32_t last = first + n_points - 1;
    if (kFirstLow <= first && last <= kLastSurrogate) return kNowhere;
    const bool is_high = kFirstSurrogate <= first && last < kFirstLow;
    const bool is_mixed = !is_high && first <= kLastSurrogate && kFirstSurrogate <= last;
    const Stretch* stretch = nullptr;
    if (is_high) stretch = uniform_stretch(beyond(first), beyond(last) + 0x3FF);
    else if (!is_mixed) stretch = uniform_stretch(first, last);
    if (stretch != nullptr && stretch->to == kNowhere) return kNowhere;
    const uint64_t key = uniform_key(n_digits + (is_high ? kOfPairs : 0), stretch);
    if (stretch != nullptr) {
      const auto known = uniform_.find(key);
      if (known != uniform_.end()) return known->second;
    }
    std::array<uint32_t, 16> to{};
    if (n_digits == 1 && !is_surrogate(first)) {
      const Stretch* at = &stretch_at(first);
      for (uint32_t digit = 0; digit < 16; ++digit) {
        at += at->hi < first + digit ? 1 : 0;
        to[digit] = at->to;
      }
    } else {
      for (uint32_t digit = 0; digit < 16; ++digit)
        to[digit] = digits(first + digit * (n_points / 16), n_digits - 1);
    }
    const uint32_t made = digits_node(to);
    if (stretch != nullptr) uniform_.emplace(key, made);
    return made;
  }

  // The first of the 1024 code points whose pairs begin with this surrogate.
  static uint32_t beyond(uint32_t high) { return 0x10000 + ((high - kFirstSurrogate) << 10); }

  // The node after the first half of a pair: \u and the second half follow.
  uint32_t pair(uint32_t surrogate) {
    if (surrogate >= kFirstLow) return kNowhere;
    const uint32_t first = beyond(surrogate);
    const Stretch* stretch = uniform_stretch(first, first + 0x3FF);
    if (stretch != nullptr && stretch->to == kNowhere) return kNowhere;
    const uint64_t key = uniform_key(kOfPairs, stretch);
    if (stretch != nullptr) {
      const auto known = uniform_.find(key);
      if (known != uniform_.end()) return known->second;
    }
    std::vector<Edge> second;
    for (uint32_t i = 0; i < 4; ++i) add_digit(second, 0xC + i, digits(first + i * 0x100, 2));
    std::vector<Edge> leading;
    add_digit(leading, 0xD, node(std::move(second)));
    const uint32_t u = node({{'u', 'u', node(std::move(leading))}});
    const uint32_t made = node({{'\\', '\\', u}});
    if (stretch != nullptr) uniform_.emplace(key, made);
    return made;
  }

  // The node after a backslash.
  uint32_t escape() {
    constexpr std::pair<uint8_t, uint32_t> kShort[] = {{'"', '"'},  {'\\', '\\'}, {'/', '/'},
                                                       {'b', '\b'}, {'f', '\f'},  {'n', '\n'},
                                                       {'r', '\r'}, {'t', '\t'}};
    std::vector<Edge> edges;
    for (const auto& [byte, code_point] : kShort) {
      edges.push_back({byte, byte, stretch_at(code_point).to});
    }
    if (spelling_ == Spelling::kJsonName) take_out({' ', '~'});
    // Many states agree on all escapable characters, as the states of names that differ in other
    // letters do; they share this node.
    row_.clear();
    for (const Stretch& stretch : stretches_) row_.insert(row_.end(), {stretch.lo, stretch.to});
    const auto [row, is_new] = stretch_rows_.add(row_);
    if (is_new) escapes_.push_back(digits(0, 4));
    edges.push_back({'u', 'u', escapes_[row]});
    return node(std::move(edges));
  }

  const CodePointDfa& dfa_;
  Spelling spelling_;
  std::vector<Slice> slices_;  // of the states of dfa_, then of the nodes
  std::vector<Edge> edges_;
  std::vector<bool> is_live_;
  std::vector<Stretch> stretches_;
  struct Raw {
    Utf8Sequence sequence;
    uint32_t to;
  };
  std::vector<Raw> raw_;  // of one state, in byte order
  // The edges shared by states in which all characters beyond ASCII lead to one state; key: that
  // state.
  std::unordered_map<uint32_t, std::vector<Edge>> beyond_ascii_;
  InternedRows stretch_rows_;
  std::vector<uint32_t> escapes_;  // the node after \u, by row of stretch_rows_
  InternedRows rows_;              // edges of nodes
  std::vector<uint32_t> row_;
  // The node for a number of digits that all lead to one state.
  std::unordered_map<uint64_t, uint32_t> uniform_;
};

}  // namespace

std::optional<FrozenFsm> to_bytes(const CodePointDfa& dfa, Spelling spelling, size_t max_states) {
  Writer writer(dfa, spelling);
  if (!writer.write(max_states)) return std::nullopt;
  return writer.frozen();
}

}  // namespace xg2lab
