// Read: find_lexing; competitors (who competes where), then contender (what that makes of a terminal).
#include "frontends/lark/lexing.h"

#include <algorithm>
#include <array>
#include <set>
#include <tuple>
#include <utility>

#include "frontends/lark/product.h"
#include "frontends/lark/words.h"
#include "support/budget.h"
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
      is_reached_.push_back(neighbours_.leaves[i].kind != LeafKind::kNone &&
                            neighbours_.before[i] != none);
      if (neighbours_.leaves[i].kind == LeafKind::kTerminal && is_reached_[i]) {
        used_.add(neighbours_.leaves[i].index);
      }
    }
    auto product = find_product(terminals_, used_, neighbours_.n_symbols());
    if (!product) {
      context_.reading.findings().report(
          "lexer_too_large", "telling the terminals apart needs a machine that is too large",
          {0, 0}, "use fewer or simpler patterns, or lexer=\"dynamic_complete\", which doesn't");
      return std::nullopt;
    }
    product_ = std::move(*product);
    find_overlaps();
    const size_t n_nodes = neighbours_.leaves.size();
    lexing_.contenders_at.resize(n_nodes);
    lexing_.skip_at.resize(n_nodes);
    for (size_t i = 0; i < n_nodes; ++i) {
      const Leaf& leaf = neighbours_.leaves[i];
      const bool is_read = leaf.kind == LeafKind::kTerminal || leaf.kind == LeafKind::kOpaque;
      if (!is_read || !is_reached_[i]) continue;
      const SymbolSet rivals = competitors(neighbours_.before[i]);
      lexing_.skip_at[i] = skip(rivals);
      if (leaf.kind == LeafKind::kOpaque) continue;
      lexing_.contenders_at[i] = contenders(static_cast<TerminalId>(leaf.index), rivals);
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

  // Whose words a terminal loses: those that are equal to a rival's, those that begin with one.
  struct Beaten {
    std::vector<TerminalId> whole;
    std::vector<TerminalId> begun;
    friend auto operator<=>(const Beaten&, const Beaten&) = default;
  };

  // What becomes of a terminal among these rivals. Places at which the same becomes of it share it.
  std::vector<ContenderIndex> contenders(TerminalId id, SymbolSet rivals) {
    // What is ignored is as long as it can be even where nothing else is.
    const bool is_own_rival = context_.kind == LexerKind::kDynamic ||
                              (context_.kind == LexerKind::kDynamicComplete && ignored_.has(id));
    if (is_own_rival) rivals.add(id);
    const auto known = by_rivals_.find({id, rivals});
    if (known != by_rivals_.end()) return known->second;
    check_budget("what terminals are among others");
    const Beaten beaten = beaten_by(id, rivals);
    const bool is_closed = ignored_.has(id) && is_harmless(id, rivals);
    SymbolSet longer(neighbours_.n_symbols());
    rivals.for_each([&](size_t rival) {
      const bool counts =
          rival < terminals_.size() && may_outgrow(static_cast<TerminalId>(rival), id);
      if (counts && !(is_closed && rival == id)) longer.add(rival);
    });
    std::vector<ContenderIndex> made;
    Split split;
    for (WordsBefore& words :
         words_before(product_, {id, longer, relevant(id)}, terminals_.ast())) {
      Contender contender;
      contender.terminal = id;
      contender.is_closed = is_closed;
      // Its own lookaheads; of what can't come next it doesn't matter.
      const CodePointSet own = intersect(terminals_[id].not_next, set_of(relevant(id)));
      contender.not_next = unite(words.not_next, own);
      made.push_back(add(std::move(contender), beaten, words, split));
    }
    by_rivals_.emplace(std::pair(id, std::move(rivals)), made);
    return made;
  }

  // The parts of a terminal's words that have a contender already.
  struct Split {
    std::vector<std::vector<Word>> words;
    std::vector<std::vector<uint32_t>> ends;
    std::vector<regex::NodeId> trees;
    friend bool operator<(const Split& a, const Split& b) {
      return std::tie(a.words, a.ends) < std::tie(b.words, b.ends);
    }
  };

  // Adds a contender for these words of its terminal.
  ContenderIndex add(Contender contender, const Beaten& beaten, const WordsBefore& part,
                     Split& split) {
    Split key_of_part = split;
    if (!part.is_rest()) key_of_part = {{part.words}, {part.ends}, {}};
    const std::tuple key(contender.terminal, beaten, contender.is_closed,
                         ranges_of(contender.not_next), key_of_part, part.is_rest());
    const auto known = contenders_.find(key);
    if (known != contenders_.end()) {
      remember(part, lexing_.contenders[known->second].words, split);
      return known->second;
    }
    contender.words = part.is_rest() ? terminals_[contender.terminal].tree : tree_of_part(part);
    contender.tree =
        without(contender.words, contender.terminal, beaten, part.is_rest() ? split : Split());
    const bool has_lost = !beaten.whole.empty() || !split.trees.empty();
    if (part.is_rest() && beaten.begun.empty() && has_lost)
      contender.machine = what_is_left(contender.terminal, beaten, split);
    remember(part, contender.words, split);
    for (Letter letter = 0; letter < product_.letters.size(); ++letter) {
      const CodePointSet& set = product_.letters[letter];
      if (begins(part, contender.terminal, letter))
        contender.first.insert(contender.first.end(), set.begin(), set.end());
    }
    contender.first = normal(std::move(contender.first));
    const auto index = static_cast<ContenderIndex>(lexing_.contenders.size());
    lexing_.contenders.push_back(std::move(contender));
    contenders_.emplace(key, index);
    return index;
  }

  // As `without` says it, but for words that begin with others.
  CodePointDfa what_is_left(TerminalId id, const Beaten& beaten, const Split& split) const {
    std::vector<bool> is_end(product_.n_states());
    for (uint32_t state = 0; state < is_end.size(); ++state) {
      const SymbolSet& matching = product_.matching[state];
      is_end[state] = matching.has(id) && std::ranges::none_of(beaten.whole, [&](TerminalId rival) {
                        return matching.has(rival);
                      });
    }
    for (const std::vector<uint32_t>& ends : split.ends) {
      for (uint32_t state : ends) is_end[state] = false;
    }
    return words_that_end(product_, id, is_end);
  }

  static void remember(const WordsBefore& part, regex::NodeId tree, Split& split) {
    split.words.push_back(part.words);
    split.ends.push_back(part.ends);
    split.trees.push_back(tree);
  }

  bool begins(const WordsBefore& part, TerminalId id, Letter letter) const {
    if (part.words.empty()) return product_.first[letter].has(id);
    return std::any_of(part.words.begin(), part.words.end(),
                       [letter](const Word& word) { return word.front() == letter; });
  }

  regex::NodeId tree_of_part(const WordsBefore& part) {
    return part.tree ? *part.tree : tree_of_words(part.words);
  }

  regex::NodeId tree_of_words(const std::vector<Word>& words) {
    regex::Ast& ast = terminals_.ast();
    std::vector<regex::NodeId> branches;
    for (const Word& word : words) {
      std::vector<regex::NodeId> letters;
      for (Letter letter : word) letters.push_back(ast.add_class(product_.letters[letter], {}));
      branches.push_back(ast.add_sequence(std::move(letters), {}));
    }
    return ast.add_choice(std::move(branches), {});
  }

  // The letters with which something can begin that may come next.
  const std::vector<bool>& relevant(TerminalId id) {
    const auto known = relevant_.find(id);
    if (known != relevant_.end()) return known->second;
    SymbolSet next = ignored_.has(id) ? used_ : neighbours_.follow[id];
    next.add(ignored_);
    bool is_any = ignored_.has(id) && neighbours_.n_opaque > 0;
    next.for_each([&](size_t symbol) { is_any = is_any || symbol >= neighbours_.n_terminals; });
    std::vector<bool> letters(product_.letters.size(), is_any);
    for (Letter letter = 0; letter < letters.size(); ++letter) {
      product_.first[letter].for_each(
          [&](size_t symbol) { letters[letter] = letters[letter] || next.has(symbol); });
    }
    return relevant_.emplace(id, std::move(letters)).first->second;
  }

  CodePointSet set_of(const std::vector<bool>& letters) const {
    CodePointSet set;
    for (Letter letter = 0; letter < letters.size(); ++letter) {
      const CodePointSet& more = product_.letters[letter];
      if (letters[letter]) set.insert(set.end(), more.begin(), more.end());
    }
    return normal(std::move(set));
  }

  static std::vector<std::pair<uint32_t, uint32_t>> ranges_of(const CodePointSet& set) {
    std::vector<std::pair<uint32_t, uint32_t>> ranges;
    for (const CodePointRange& range : set) ranges.emplace_back(range.lo, range.hi);
    return ranges;
  }

  // What is ignored may be cut anywhere, " " " " for "  ", if two of its words are always one, and nothing else could
  // begin where it would have gone on.
  bool is_harmless(TerminalId id, const SymbolSet& rivals) {
    const CodePointDfa& dfa = terminals_[id].dfa;
    const auto twice = concatenate(dfa, dfa);
    const auto more = twice ? subtract(*twice, dfa) : std::nullopt;
    if (!more || !more->is_empty()) return false;
    const bool is_by_itself =
        context_.kind == LexerKind::kDynamic || context_.kind == LexerKind::kDynamicComplete;
    const SymbolSet& others = is_by_itself ? used_ : rivals;
    bool is_harmless = true;
    for (uint32_t state = 0; state < product_.n_states(); ++state) {
      if (!product_.matching[state].has(id)) continue;
      for (Letter letter = 0; letter < product_.letters.size(); ++letter) {
        const uint32_t to = product_.step(state, letter);
        if (to == Product::kDead || !product_.living[to].has(id)) continue;
        product_.first[letter].for_each([&](size_t rival) {
          if (others.has(rival) && !ignored_.has(rival)) is_harmless = false;
        });
      }
    }
    return is_harmless;
  }

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

  // The tree's words, without those, without what was split off, and without the empty one.
  regex::NodeId without(regex::NodeId tree, TerminalId id, const Beaten& beaten,
                        const Split& split) {
    regex::Ast& ast = terminals_.ast();
    const Terminal& terminal = terminals_[id];
    std::vector<regex::NodeId> parts;
    const auto refuse = [&](regex::NodeId what) {
      parts.push_back(ast.add_look(what, true, true, terminal.span));
    };
    const auto trees_of = [&](const std::vector<TerminalId>& rivals) {
      std::vector<regex::NodeId> trees;
      for (TerminalId rival : rivals) trees.push_back(terminals_[rival].written);
      return trees;
    };
    std::vector<regex::NodeId> whole = trees_of(beaten.whole);
    whole.insert(whole.end(), split.trees.begin(), split.trees.end());
    if (terminal.dfa.is_accepting[0]) refuse(ast.add_sequence({end_of_text(ast)}, terminal.span));
    if (!whole.empty()) {
      const regex::NodeId words = ast.add_choice(std::move(whole), terminal.span);
      refuse(ast.add_sequence({words, end_of_text(ast)}, terminal.span));
    }
    if (!beaten.begun.empty()) refuse(ast.add_choice(trees_of(beaten.begun), terminal.span));
    for (TerminalId rival : beaten.begun) {
      if (terminals_[rival].has_operators) refuse_operators(rival);
    }
    if (parts.empty()) return tree;
    parts.push_back(tree);
    return ast.add_sequence(std::move(parts), terminal.span);
  }

  // Where a match of it begins is asked for, and only where one ends could be said.
  void refuse_operators(TerminalId id) {
    context_.reading.findings().report("unsupported_operator",
                                       "terminal " + quoted(terminals_[id].name) +
                                           " is preferred to others, and made with `&` or `~`",
                                       terminals_[id].span, "leave out its priority, or `lazy`");
  }

  SkipIndex skip(const SymbolSet& rivals) {
    Skip made;
    ignored_.for_each([&](size_t symbol) {
      for (ContenderIndex index : contenders(static_cast<TerminalId>(symbol), rivals))
        made.contenders.push_back(index);
    });
    for (ContenderIndex index : made.contenders)
      made.first = unite(made.first, lexing_.contenders[index].first);
    const auto known = std::find(lexing_.skips.begin(), lexing_.skips.end(), made);
    const auto index = static_cast<SkipIndex>(known - lexing_.skips.begin());
    if (known == lexing_.skips.end()) lexing_.skips.push_back(std::move(made));
    return index;
  }

  // Two patterns with a word in common, of which none is preferred.
  void find_overlaps() {
    std::set<std::pair<TerminalId, TerminalId>>
        cuts;  // a text, and the pattern that Lark might read the beginning of it as
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
          if (b > a && rivals.has(b))
            add_overlap(static_cast<TerminalId>(a), static_cast<TerminalId>(b), pairs);
        });
        if (!terminals_[static_cast<TerminalId>(a)].is_text) return;
        product_.prefix[a].for_each([&](size_t b) {
          if (rivals.has(b) && may_cut(static_cast<TerminalId>(a), static_cast<TerminalId>(b))) {
            cuts.emplace(static_cast<TerminalId>(a), static_cast<TerminalId>(b));
          }
        });
      });
    }
    size_t n = 0;
    for (const auto& [a, b] : pairs) {
      if (n++ == kMostWarnings) break;
      warn_overlap(a, b);
    }
    n = 0;
    for (const auto& [text, pattern] : cuts) {
      if (n++ == kMostWarnings) break;
      diagnostics_.push_back(
          {"text_cut", Severity::kWarning,
           quoted(terminals_[pattern].name) + " matches how " + quoted(terminals_[text].name) +
               " begins, and not all of it",
           terminals_[text].span,
           "here the longest match is taken; Lark's lexer may try the pattern first: "
           "make the text a terminal with a priority, NAME.1: ..."});
    }
  }

  // Whether Lark might read the beginning of a text as this pattern: it tries patterns of many characters first.
  bool may_cut(TerminalId text, TerminalId pattern) const {
    const bool is_pattern =
        !terminals_[pattern].is_text && !outranks(text, pattern) && !outranks(pattern, text);
    return is_pattern && !product_.equal[text].has(pattern);
  }

  void add_overlap(TerminalId a, TerminalId b, std::set<std::pair<TerminalId, TerminalId>>& pairs) {
    const bool is_decided =
        outranks(a, b) || outranks(b, a) || terminals_[a].is_text != terminals_[b].is_text;
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
    diagnostics_.push_back(
        {"terminals_overlap", Severity::kWarning,
         quoted(terminals_[a].name) + " and " + quoted(terminals_[b].name) + " both match " +
             quoted(example) + "; it may be read as either",
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
  using Ranges = std::vector<std::pair<uint32_t, uint32_t>>;
  std::map<std::pair<TerminalId, SymbolSet>, std::vector<ContenderIndex>> by_rivals_;
  std::map<std::tuple<TerminalId, Beaten, bool, Ranges, Split, bool>, ContenderIndex> contenders_;
  std::map<TerminalId, std::vector<bool>> relevant_;
  Lexing lexing_;
};

}  // namespace

std::optional<LexerKind> lexer_named(std::string_view name) {
  const auto* const found = std::find(kLexerNames.begin(), kLexerNames.end(), name);
  if (found == kLexerNames.end()) return std::nullopt;
  return static_cast<LexerKind>(found - kLexerNames.begin());
}

std::optional<Lexing> find_lexing(const LexingContext& context,
                                  std::vector<Diagnostic>& diagnostics) {
  return Finder(context, diagnostics).find();
}

}  // namespace xg2lab::lark
