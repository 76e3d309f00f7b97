// Read: find_lexing; competitors (who competes where), then token (what that makes of a terminal).
#include "frontends/lark/lexing.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "frontends/lark/product.h"
#include "support/utf8.h"

namespace xg2lab::lark {
namespace {

constexpr size_t kMostWarnings = 10;
constexpr std::array<std::string_view, 4> kLexerNames{"contextual", "basic", "dynamic",
                                                      "dynamic_complete"};

class Finder {
 public:
  Finder(const LexingContext& context, std::vector<Diagnostic>& diagnostics)
      : context_(context),
        terminals_(context.terminals),
        neighbours_(context.neighbours),
        diagnostics_(diagnostics),
        ignored_(neighbours_.n_symbols()),
        used_(neighbours_.n_symbols()) {}

  std::optional<Lexing> find() {
    for (TerminalId id : context_.ignored) ignored_.add(id);
    used_.add(ignored_);
    const SymbolSet none(neighbours_.n_symbols());
    for (size_t i = 0; i < neighbours_.leaves.size(); ++i) {
      is_reached_.push_back(neighbours_.leaves[i].kind != LeafKind::kNone && neighbours_.before[i] != none);
      if (neighbours_.leaves[i].kind == LeafKind::kTerminal && is_reached_[i]) {
        used_.add(neighbours_.leaves[i].index);
      }
    }
    auto product = find_product(terminals_, used_, neighbours_.n_symbols());
    if (!product) {
      context_.reading.findings().report(
          "lexer_too_large", "telling the terminals apart needs a machine that is too large", {0, 0},
          "use fewer or simpler patterns, or lexer=\"dynamic_complete\", which doesn't");
      return std::nullopt;
    }
    product_ = std::move(*product);
    find_overlaps();
    const size_t n_nodes = neighbours_.leaves.size();
    lexing_.token_at.resize(n_nodes);
    lexing_.skip_at.resize(n_nodes);
    for (size_t i = 0; i < n_nodes; ++i) {
      const Leaf& leaf = neighbours_.leaves[i];
      const bool is_read = leaf.kind == LeafKind::kTerminal || leaf.kind == LeafKind::kOpaque;
      if (!is_read || !is_reached_[i]) continue;
      const SymbolSet rivals = competitors(neighbours_.before[i]);
      lexing_.skip_at[i] = skip(rivals);
      if (leaf.kind == LeafKind::kOpaque) continue;
      lexing_.token_at[i] = token(static_cast<TerminalId>(leaf.index), rivals);
    }
    lexing_.skip_at_end = skip(competitors(neighbours_.at_end));
    return std::move(lexing_);
  }

 private:
  // Who may be read where one of these was read before.
  SymbolSet competitors(const SymbolSet& before) const {
    SymbolSet rivals(neighbours_.n_symbols());
    switch (context_.kind) {
      case LexerKind::kContextual:
        before.for_each([&](size_t symbol) { rivals.add(neighbours_.follow[symbol]); });
        rivals.add(ignored_);
        break;
      case LexerKind::kBasic: rivals = used_; break;
      case LexerKind::kDynamic:
      case LexerKind::kDynamicComplete: break;
    }
    return rivals;
  }

  // Whether `rival` is taken before `id` where both could go on.
  bool outranks(TerminalId rival, TerminalId id) const {
    const Terminal& a = terminals_[rival];
    const Terminal& b = terminals_[id];
    return a.priority > b.priority || (a.priority == b.priority && a.is_lazy && !b.is_lazy);
  }
  bool may_outgrow(TerminalId rival, TerminalId id) const {
    return !terminals_[id].is_lazy && terminals_[rival].priority >= terminals_[id].priority;
  }

  // What becomes of a terminal among these rivals. Places at which the same becomes of it share it.
  TokenIndex token(TerminalId id, SymbolSet rivals) {
    // What is ignored is as long as it can be even where nothing else is.
    const bool is_own_rival =
        context_.kind == LexerKind::kDynamic ||
        (context_.kind == LexerKind::kDynamicComplete && ignored_.has(id));
    if (is_own_rival) rivals.add(id);
    const auto known = by_rivals_.find({id, rivals});
    if (known != by_rivals_.end()) return known->second;
    Beaten beaten = beaten_by(id, rivals);
    Token made;
    made.terminal = id;
    made.is_closed = ignored_.has(id) && is_harmless(id, rivals);
    made.not_next = not_next_of(id, rivals, made.is_closed);
    const std::tuple key(id, beaten, made.is_closed, ranges_of(made.not_next));
    auto same = tokens_.find(key);
    if (same == tokens_.end()) {
      for (Letter letter = 0; letter < product_.alphabet.n_letters(); ++letter) {
        const CodePointSet& set = product_.letters[letter];
        if (product_.first[letter].has(id)) made.first.insert(made.first.end(), set.begin(), set.end());
      }
      made.first = normal(std::move(made.first));
      made.tree = tree_of(id, beaten);
      same = tokens_.emplace(key, static_cast<TokenIndex>(lexing_.tokens.size())).first;
      lexing_.tokens.push_back(std::move(made));
    }
    by_rivals_.emplace(std::pair(id, std::move(rivals)), same->second);
    return same->second;
  }

  static std::vector<std::pair<uint32_t, uint32_t>> ranges_of(const CodePointSet& set) {
    std::vector<std::pair<uint32_t, uint32_t>> ranges;
    for (const CodePointRange& range : set) ranges.emplace_back(range.lo, range.hi);
    return ranges;
  }

  CodePointSet not_next_of(TerminalId id, const SymbolSet& rivals, bool is_closed) const {
    CodePointSet not_next = terminals_[id].not_next;
    for (Letter letter = 0; letter < product_.alphabet.n_letters(); ++letter) {
      bool is_barred = false;
      product_.next[id][letter].for_each([&](size_t rival) {
        const auto other = static_cast<TerminalId>(rival);
        const bool counts = rivals.has(rival) && may_outgrow(other, id) && !(is_closed && other == id);
        is_barred = is_barred || counts;
      });
      const CodePointSet& set = product_.letters[letter];
      if (is_barred) not_next.insert(not_next.end(), set.begin(), set.end());
    }
    return normal(std::move(not_next));
  }

  // What is ignored may be cut anywhere, " " " " for "  ", if two of its words are always one, and nothing else could
  // begin where it would have gone on.
  bool is_harmless(TerminalId id, const SymbolSet& rivals) {
    const CodePointDfa& dfa = terminals_[id].dfa;
    const auto twice = concatenate(dfa, dfa);
    const auto more = twice ? subtract(*twice, dfa) : std::nullopt;
    if (!more || !more->is_empty()) return false;
    const bool is_by_itself = context_.kind == LexerKind::kDynamic || context_.kind == LexerKind::kDynamicComplete;
    const SymbolSet& others = is_by_itself ? used_ : rivals;
    bool is_harmless = true;
    for (Letter letter = 0; letter < product_.alphabet.n_letters(); ++letter) {
      if (!product_.next[id][letter].has(id)) continue;
      product_.first[letter].for_each([&](size_t rival) {
        if (others.has(rival) && !ignored_.has(rival)) is_harmless = false;
      });
    }
    return is_harmless;
  }

  // Whose words a terminal loses: those that are equal to a rival's, those that begin with one.
  struct Beaten {
    std::vector<TerminalId> whole;
    std::vector<TerminalId> begun;
    friend auto operator<=>(const Beaten&, const Beaten&) = default;
  };

  Beaten beaten_by(TerminalId id, const SymbolSet& rivals) const {
    const Terminal& terminal = terminals_[id];
    Beaten beaten;
    rivals.for_each([&](size_t symbol) {
      const auto rival = static_cast<TerminalId>(symbol);
      if (rival == id || symbol >= terminals_.size()) return;
      const Terminal& other = terminals_[rival];
      if (outranks(rival, id)) {
        if (product_.prefix[id].has(rival)) beaten.begun.push_back(rival);
      } else if (other.priority == terminal.priority && other.is_text && !terminal.is_text) {
        if (product_.equal[id].has(rival)) beaten.whole.push_back(rival);
      }
    });
    return beaten;
  }

  // The terminal's words, without those, and without the empty one.
  regex::NodeId tree_of(TerminalId id, const Beaten& beaten) {
    regex::Ast& ast = terminals_.ast();
    const Terminal& terminal = terminals_[id];
    std::vector<regex::NodeId> parts;
    const auto refuse = [&](regex::NodeId what) {
      parts.push_back(ast.add_look(what, true, true, terminal.span));
    };
    const auto any_of = [&](const std::vector<TerminalId>& rivals) {
      std::vector<regex::NodeId> trees;
      for (TerminalId rival : rivals) trees.push_back(terminals_[rival].tree);
      return ast.add_choice(std::move(trees), terminal.span);
    };
    if (terminal.dfa.is_accepting[0]) refuse(ast.add_sequence({end_of_text(ast)}, terminal.span));
    if (!beaten.whole.empty()) {
      refuse(ast.add_sequence({any_of(beaten.whole), end_of_text(ast)}, terminal.span));
    }
    if (!beaten.begun.empty()) refuse(any_of(beaten.begun));
    if (parts.empty()) return terminal.tree;
    parts.push_back(terminal.tree);
    return ast.add_sequence(std::move(parts), terminal.span);
  }

  SkipIndex skip(const SymbolSet& rivals) {
    Skip made;
    ignored_.for_each([&](size_t symbol) {
      made.tokens.push_back(token(static_cast<TerminalId>(symbol), rivals));
    });
    for (TokenIndex index : made.tokens) made.first = unite(made.first, lexing_.tokens[index].first);
    const auto known = std::find(lexing_.skips.begin(), lexing_.skips.end(), made);
    const auto index = static_cast<SkipIndex>(known - lexing_.skips.begin());
    if (known == lexing_.skips.end()) lexing_.skips.push_back(std::move(made));
    return index;
  }

  // Two patterns with a word in common, of which none is preferred.
  void find_overlaps() {
    if (context_.kind != LexerKind::kContextual && context_.kind != LexerKind::kBasic) return;
    std::set<std::pair<TerminalId, TerminalId>> pairs;
    std::set<SymbolSet> known;
    for (size_t i = 0; i < neighbours_.leaves.size(); ++i) {
      if (neighbours_.leaves[i].kind != LeafKind::kTerminal || !is_reached_[i]) continue;
      const SymbolSet rivals = competitors(neighbours_.before[i]);
      if (!known.insert(rivals).second) continue;
      rivals.for_each([&](size_t a) {
        if (a >= terminals_.size() || !used_.has(a)) return;
        product_.equal[a].for_each([&](size_t b) {
          if (b > a && rivals.has(b)) add_overlap(static_cast<TerminalId>(a), static_cast<TerminalId>(b), pairs);
        });
      });
    }
    size_t n = 0;
    for (const auto& [a, b] : pairs) {
      if (n++ == kMostWarnings) return;
      warn_overlap(a, b);
    }
  }

  void add_overlap(TerminalId a, TerminalId b, std::set<std::pair<TerminalId, TerminalId>>& pairs) {
    const bool is_decided = outranks(a, b) || outranks(b, a) || terminals_[a].is_text != terminals_[b].is_text;
    const bool are_lazy = terminals_[a].is_lazy && terminals_[b].is_lazy;
    if (!is_decided && !are_lazy) pairs.emplace(a, b);
  }

  void warn_overlap(TerminalId a, TerminalId b) {
    const auto common = intersect(terminals_[a].dfa, terminals_[b].dfa);
    std::string example;
    if (common) {
      CodePointDfa words = std::move(*common);
      words.is_accepting[0] = false;
      if (const auto text = words.shortest()) {
        for (uint32_t code_point : *text) append_utf8(example, code_point);
      }
    }
    diagnostics_.push_back({"terminals_overlap", Severity::kWarning,
                            quoted(terminals_[a].name) + " and " + quoted(terminals_[b].name) +
                                " both match " + quoted(example) + "; it may be read as either",
                            terminals_[a].span,
                            "Lark's lexer takes one of them: give that one a priority, NAME.1: ..."});
  }

  const LexingContext& context_;
  Terminals& terminals_;
  const Neighbours& neighbours_;
  std::vector<Diagnostic>& diagnostics_;
  SymbolSet ignored_;
  SymbolSet used_;
  std::vector<bool> is_reached_;  // index: NodeId; whether a text needs this leaf
  Product product_;
  std::map<std::pair<TerminalId, SymbolSet>, TokenIndex> by_rivals_;
  std::map<std::tuple<TerminalId, Beaten, bool, std::vector<std::pair<uint32_t, uint32_t>>>, TokenIndex>
      tokens_;
  Lexing lexing_;
};

}  // namespace

std::optional<LexerKind> lexer_named(std::string_view name) {
  const auto* const found = std::find(kLexerNames.begin(), kLexerNames.end(), name);
  if (found == kLexerNames.end()) return std::nullopt;
  return static_cast<LexerKind>(found - kLexerNames.begin());
}

std::optional<Lexing> find_lexing(const LexingContext& context, std::vector<Diagnostic>& diagnostics) {
  return Finder(context, diagnostics).find();
}

}  // namespace xg2lab::lark
