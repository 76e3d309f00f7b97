// Read: find_lexing; competitors (the terminals that compete at a leaf), then contender (a terminal
// restricted by them).
#include "frontends/lark/lexing.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "frontends/lark/product.h"
#include "frontends/lark/words.h"
#include "support/budget.h"
#include "support/hash.h"
#include "support/sort_unique.h"
#include "support/utf8.h"

namespace xg2lab::lark {
namespace {

constexpr size_t kMostWarnings = 10;
constexpr size_t kMostLooks = 2'000'000;  // for warnings
constexpr std::array<std::string_view, 4> kLexerNames{"contextual", "basic", "dynamic",
                                                      "dynamic_complete"};

class Finder {
 public:
  Finder(const LexingContext& context, std::vector<Diagnostic>& diagnostics)
      : context_(context),
        terminals_(context.terminals),
        neighbours_(context.neighbours),
        sets_(context.neighbours.sets()),
        diagnostics_(diagnostics) {}

  std::optional<Lexing> find() {
    ignored_ = sets_.of(context_.ignored);
    std::vector<uint32_t> used(context_.ignored);
    for (NodeId leaf : neighbours_.leaves()) {
      if (!neighbours_.is_reached(leaf)) continue;
      reached_.push_back(leaf);
      const Leaf& read = neighbours_.leaf(leaf);
      if (read.kind == LeafKind::kTerminal) used.push_back(read.index);
    }
    sort_unique(used);
    used_ = sets_.of(used);
    auto product = find_product(terminals_, used_, sets_);
    if (!product) return too_large();
    product_ = std::move(*product);
    competitors_.resize(terminals_.size());
    any_letter_.assign(product_.letters.size(), true);
    const size_t n_nodes = context_.n_nodes;
    lexing_.contenders_at.resize(n_nodes);
    lexing_.skip_at.resize(n_nodes);
    // The rivals of all leaves are recorded first: find_overlaps warns once for each pair of
    // terminals that compete anywhere.
    for (NodeId leaf : reached_) {
      note_rivals(competitors(leaf));
      if (neighbours_.is_too_large()) return too_large();
    }
    find_overlaps();
    for (NodeId leaf : reached_) {
      const SetId rivals = competitors(leaf);
      lexing_.skip_at[leaf.index()] = skip(rivals);
      const Leaf& read = neighbours_.leaf(leaf);
      if (read.kind == LeafKind::kOpaque) continue;
      lexing_.contenders_at[leaf.index()] = contenders(read.index, rivals);
      if (neighbours_.is_too_large()) return too_large();
    }
    lexing_.skip_at_end = skip(rivals_among(neighbours_.rivals_at_end()));
    lexing_.n_cells = product_.n_cells();
    return std::move(lexing_);
  }

 private:
  std::nullopt_t too_large() const {
    context_.reading.findings().report(
        "lexer_too_large", "distinguishing the terminals needs too large a machine", {0, 0},
        "use fewer or simpler patterns, or lexer=\"dynamic_complete\", which needs no such "
        "machine");
    return std::nullopt;
  }

  // The terminals that may be read at this leaf.
  SetId competitors(NodeId leaf) {
    return context_.kind == LexerKind::kContextual ? rivals_among(neighbours_.rivals(leaf))
                                                   : rivals_among({});
  }
  // Adds the ignored terminals; `next`: the symbols that may follow the symbols before the leaf.
  SetId rivals_among(SetId next) {
    switch (context_.kind) {
      case LexerKind::kContextual: return with_ignored(next);
      case LexerKind::kBasic: return used_;
      case LexerKind::kDynamic:
      case LexerKind::kDynamicComplete: break;
    }
    return {};
  }

  SetId with_ignored(SetId set) {
    const auto [known, is_new] = with_ignored_.emplace(set, SetId());
    if (is_new) known->second = sets_.unite(set, ignored_);
    return known->second;
  }

  // Whether the lexer prefers `rival` to `id` if both could continue.
  bool outranks(TerminalId rival, TerminalId id) const {
    const Terminal& a = terminals_[rival];
    const Terminal& b = terminals_[id];
    return a.priority > b.priority || (a.priority == b.priority && a.is_lazy && !b.is_lazy);
  }
  bool may_outgrow(TerminalId rival, TerminalId id) const {
    return !terminals_[id].is_lazy && terminals_[rival].priority >= terminals_[id].priority;
  }

  // The rivals that take words from a terminal: words equal to theirs, and words that begin with
  // theirs.
  struct Winners {
    std::vector<TerminalId> whole;
    std::vector<TerminalId> begun;
    friend auto operator<=>(const Winners&, const Winners&) = default;
  };

  // The contenders of a terminal among these rivals. Leaves with equal results share them.
  const std::vector<ContenderIndex>& contenders(TerminalId id, SetId among) {
    const auto [known, is_new] =
        by_rivals_.emplace(std::pair(id, among), std::vector<ContenderIndex>());
    std::vector<ContenderIndex>& made = known->second;
    if (!is_new) return made;
    check_budget("comparing terminals with their rivals");
    // Ignored text is the longest possible, even if nothing else is.
    const bool is_own_rival =
        context_.kind == LexerKind::kDynamic ||
        (context_.kind == LexerKind::kDynamicComplete && sets_.has(ignored_, id));
    const Rivals rivals{among, is_own_rival, id};
    const Winners winners = winners_over(id, rivals);
    const bool is_closed = sets_.has(ignored_, id) && is_harmless(id, among);
    const auto is_longer = [&](TerminalId rival) {
      return may_outgrow(rival, id) && !(is_closed && rival == id) && is_rival(rivals, rival);
    };
    CoveredParts split;
    for (WordsBefore& words :
         words_before(product_, sets_, {id, is_longer, relevant(id)}, terminals_.ast())) {
      Contender contender;
      contender.terminal = id;
      contender.is_closed = is_closed;
      // Adds the characters excluded by the terminal's own lookaheads, except those that can't come
      // next.
      contender.not_next = words.not_next;
      if (!terminals_[id].not_next.empty()) {
        const CodePointSet own = intersect(terminals_[id].not_next, set_of(relevant(id)));
        contender.not_next = unite(contender.not_next, own);
      }
      made.push_back(add(std::move(contender), winners, words, split));
    }
    return made;
  }

  // A terminal may be its own rival.
  struct Rivals {
    SetId among;
    bool has_own;
    TerminalId own;
  };
  bool is_rival(const Rivals& rivals, TerminalId id) const {
    return (rivals.has_own && id == rivals.own) || sets_.has(rivals.among, id);
  }

  // The parts of a terminal's words that already have a contender.
  struct CoveredParts {
    std::vector<std::vector<Word>> words;
    std::vector<std::vector<uint32_t>> ends;
    std::vector<regex::NodeId> trees;
    friend bool operator<(const CoveredParts& a, const CoveredParts& b) {
      return std::tie(a.words, a.ends) < std::tie(b.words, b.ends);
    }
  };

  // Adds a contender for these words of its terminal.
  // Contenders with equal words and equal excluded characters are shared between leaves, whichever
  // rivals led to them.
  ContenderIndex add(Contender contender, const Winners& winners, const WordsBefore& part,
                     CoveredParts& split) {
    CoveredParts key_of_part = split;
    if (!part.is_rest()) key_of_part = {{part.words}, {part.ends}, {}};
    const std::tuple key(contender.terminal, winners, contender.is_closed,
                         ranges_of(contender.not_next), key_of_part, part.is_rest());
    const auto known = contenders_.find(key);
    if (known != contenders_.end()) {
      remember(part, lexing_.contenders[known->second].words, split);
      return known->second;
    }
    contender.words = part.is_rest() ? terminals_[contender.terminal].tree : tree_of_part(part);
    contender.tree = without(contender.words, contender.terminal, winners,
                             part.is_rest() ? split : CoveredParts());
    const bool has_lost = !winners.whole.empty() || !split.trees.empty();
    if (part.is_rest() && winners.begun.empty() && has_lost)
      contender.machine = machine_of_remaining(contender.terminal, winners, split);
    remember(part, contender.words, split);
    for (Letter letter : first_letters(part, contender.terminal)) {
      const CodePointSet& set = product_.letters[letter];
      contender.first.insert(contender.first.end(), set.begin(), set.end());
    }
    contender.first = normal(std::move(contender.first));
    const auto index = static_cast<ContenderIndex>(lexing_.contenders.size());
    lexing_.contenders.push_back(std::move(contender));
    contenders_.emplace(key, index);
    return index;
  }

  // The machine of the words that `without` describes, read off the product. No word may begin with
  // a rival's word (winners.begun is empty): the product doesn't record which prefixes of a word
  // have matched.
  std::optional<CodePointDfa> machine_of_remaining(TerminalId id, const Winners& winners,
                                                   const CoveredParts& split) const {
    std::vector<uint32_t> taken;
    for (const std::vector<uint32_t>& ends : split.ends) {
      taken.insert(taken.end(), ends.begin(), ends.end());
    }
    std::sort(taken.begin(), taken.end());
    return words_that_end(product_, id, [&](uint32_t state) {
      const SetId matching = product_.matching(state);
      if (!sets_.has(matching, id) || std::ranges::binary_search(taken, state)) return false;
      bool is_own = true;
      sets_.for_each(matching, [&](size_t rival) {
        is_own = is_own && !std::ranges::binary_search(winners.whole, rival);
      });
      return is_own;
    });
  }

  // The rest of a terminal's words is whatever no earlier part has, so each part is recorded in
  // `split`.
  static void remember(const WordsBefore& part, regex::NodeId tree, CoveredParts& split) {
    split.words.push_back(part.words);
    split.ends.push_back(part.ends);
    split.trees.push_back(tree);
  }

  std::vector<Letter> first_letters(const WordsBefore& part, TerminalId id) const {
    std::vector<Letter> letters;
    for (const Word& word : part.words) letters.push_back(word.front());
    if (part.words.empty()) {
      const auto first = product_.first(id);
      letters.assign(first.begin(), first.end());
    }
    sort_unique(letters);
    return letters;
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

  // The letters with which one of these symbols may begin.
  const std::vector<bool>& letters_of(SetId symbols) {
    const auto [known, is_new] = letters_of_.emplace(symbols, std::vector<bool>());
    std::vector<bool>& letters = known->second;
    if (!is_new) return letters;
    letters.resize(product_.letters.size());
    sets_.for_each(symbols, [&](size_t symbol) {
      if (symbol >= terminals_.size()) return;
      for (Letter letter : product_.first(static_cast<TerminalId>(symbol))) letters[letter] = true;
    });
    return letters;
  }

  // The letters with which the next symbol may begin.
  const std::vector<bool>& relevant(TerminalId id) {
    const bool is_ignored = sets_.has(ignored_, id);
    const SetId next = with_ignored(is_ignored ? used_ : neighbours_.follow(id));
    const auto [at, is_new] = has_opaque_.emplace(next, false);
    bool& has_opaque = at->second;
    if (is_new) {
      sets_.for_each(next, [&](size_t symbol) {
        has_opaque = has_opaque || symbol >= neighbours_.n_terminals();
      });
    }
    const bool is_any = has_opaque || (is_ignored && neighbours_.n_opaque() > 0);
    return is_any ? any_letter_ : letters_of(next);
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

  // Ignored text may be cut anywhere, as " " " " instead of "  ", if two of its words always form
  // one word and no other terminal could begin where the first word would continue.
  bool is_harmless(TerminalId id, SetId rivals) {
    const auto [known, is_new] = is_closed_.emplace(id, false);
    if (is_new) {
      const CodePointDfa& dfa = terminals_[id].dfa;
      const auto twice = concatenate(dfa, dfa);
      const auto more = twice ? subtract(*twice, dfa) : std::nullopt;
      known->second = more && more->is_empty();
    }
    if (!known->second) return false;
    const bool is_by_itself =
        context_.kind == LexerKind::kDynamic || context_.kind == LexerKind::kDynamicComplete;
    const std::vector<bool>& others = letters_of_others(is_by_itself ? used_ : rivals);
    for (uint32_t state : product_.states_of(id)) {
      if (!sets_.has(product_.matching(state), id)) continue;
      for (const auto& [letter, to] : product_.row(state)) {
        if (others[letter] && product_.lives(to, id)) return false;
      }
    }
    return true;
  }

  // The letters with which one of these symbols, other than ignored ones, may begin.
  const std::vector<bool>& letters_of_others(SetId symbols) {
    const auto [known, is_new] = others_.emplace(symbols, SetId());
    if (is_new) {
      std::vector<uint32_t> others;
      sets_.for_each(symbols, [&](size_t symbol) {
        if (!sets_.has(ignored_, symbol)) others.push_back(static_cast<uint32_t>(symbol));
      });
      known->second = sets_.of(others);
    }
    return letters_of(known->second);
  }

  // The terminals that compete with a terminal in the product: those that share a word with it, and
  // those that match the beginning of one of its words.
  struct Competitors {
    SetId equal;
    SetId prefix;
  };
  const Competitors& competitors(TerminalId id) {
    std::optional<Competitors>& competitors = competitors_[id];
    if (!competitors) competitors = {product_.equal(id, sets_), product_.prefix(id, sets_)};
    return *competitors;
  }

  Winners winners_over(TerminalId id, const Rivals& rivals) {
    const Terminal& terminal = terminals_[id];
    Winners winners;
    const Competitors competitors = this->competitors(id);
    sets_.for_each(competitors.prefix, [&](size_t symbol) {
      const auto rival = static_cast<TerminalId>(symbol);
      if (rival == id || !outranks(rival, id) || !is_rival(rivals, rival)) return;
      winners.begun.push_back(rival);
    });
    sets_.for_each(competitors.equal, [&](size_t symbol) {
      const auto rival = static_cast<TerminalId>(symbol);
      const Terminal& other = terminals_[rival];
      const bool is_beaten = rival != id && !outranks(rival, id) &&
                             other.priority == terminal.priority && other.is_text &&
                             !terminal.is_text && is_rival(rivals, rival);
      if (is_beaten) winners.whole.push_back(rival);
    });
    return winners;
  }

  // The words of the tree except those that rivals take, those of the parts split off, and the
  // empty word.
  regex::NodeId without(regex::NodeId tree, TerminalId id, const Winners& winners,
                        const CoveredParts& split) {
    regex::Ast& ast = terminals_.ast();
    const Terminal& terminal = terminals_[id];
    std::vector<regex::NodeId> parts;
    const auto refuse = [&](regex::NodeId what) {
      parts.push_back(ast.add_lookaround(what, true, true, terminal.span));
    };
    const auto trees_of = [&](const std::vector<TerminalId>& rivals) {
      std::vector<regex::NodeId> trees;
      for (TerminalId rival : rivals) trees.push_back(terminals_[rival].written);
      return trees;
    };
    std::vector<regex::NodeId> whole = trees_of(winners.whole);
    whole.insert(whole.end(), split.trees.begin(), split.trees.end());
    if (terminal.dfa.is_accepting[0]) refuse(ast.add_sequence({end_of_text(ast)}, terminal.span));
    if (!whole.empty()) {
      const regex::NodeId words = ast.add_choice(std::move(whole), terminal.span);
      refuse(ast.add_sequence({words, end_of_text(ast)}, terminal.span));
    }
    if (!winners.begun.empty()) refuse(ast.add_choice(trees_of(winners.begun), terminal.span));
    for (TerminalId rival : winners.begun) {
      if (terminals_[rival].has_operators) refuse_operators(rival);
    }
    if (parts.empty()) return tree;
    parts.push_back(tree);
    return ast.add_sequence(std::move(parts), terminal.span);
  }

  // Here the prefixes of the terminal's matches are needed, but `&` and `~` describe whole matches
  // only.
  void refuse_operators(TerminalId id) {
    context_.reading.findings().report("unsupported_operator",
                                       "terminal " + quoted(terminals_[id].name) +
                                           " has a priority or `lazy`, and uses `&` or `~`",
                                       terminals_[id].span, "leave out its priority, or `lazy`");
  }

  SkipIndex skip(SetId rivals) {
    const auto [known, is_new] = skip_of_.emplace(rivals, 0);
    if (!is_new) return known->second;
    Skip made;
    std::vector<TerminalId> ignored;
    sets_.for_each(ignored_,
                   [&](size_t symbol) { ignored.push_back(static_cast<TerminalId>(symbol)); });
    for (TerminalId id : ignored) {
      const auto& more = contenders(id, rivals);
      made.contenders.insert(made.contenders.end(), more.begin(), more.end());
    }
    const auto [index, is_first] =
        skips_.emplace(made.contenders, static_cast<SkipIndex>(lexing_.skips.size()));
    if (is_first) {
      for (ContenderIndex contender : made.contenders) {
        const CodePointSet& first = lexing_.contenders[contender].first;
        made.first.insert(made.first.end(), first.begin(), first.end());
      }
      made.first = normal(std::move(made.first));
      lexing_.skips.push_back(std::move(made));
    }
    skip_of_[rivals] = index->second;
    return index->second;
  }

  void note_rivals(SetId rivals) {
    if (rivals_seen_.insert(rivals).second) rivals_.push_back(rivals);
  }
  // Whether two terminals compete at some leaf. Only warnings need this, so the search stops after
  // many looks.
  bool are_rivals(TerminalId a, TerminalId b) {
    for (SetId rivals : rivals_) {
      if (++n_looks_ > kMostLooks) return false;
      if (sets_.has(rivals, a) && sets_.has(rivals, b)) return true;
    }
    return false;
  }

  // Warns of two patterns that share a word if neither is preferred, and of a text whose beginning
  // Lark might read as a pattern.
  void find_overlaps() {
    if (context_.kind != LexerKind::kContextual && context_.kind != LexerKind::kBasic) return;
    std::vector<std::pair<TerminalId, TerminalId>> pairs;
    std::vector<std::pair<TerminalId, TerminalId>> cuts;
    for (TerminalId a = 0; a < terminals_.size() && n_looks_ <= kMostLooks; ++a) {
      if (!sets_.has(used_, a)) continue;
      const Competitors competitors = this->competitors(a);
      const auto add = [&](auto& list, size_t b, auto is_one) {
        const auto other = static_cast<TerminalId>(b);
        if (list.size() < kMostWarnings && is_one(a, other) && are_rivals(a, other))
          list.emplace_back(a, other);
      };
      sets_.for_each(competitors.equal, [&](size_t b) {
        if (b > a) add(pairs, b, [this](auto x, auto y) { return may_overlap(x, y); });
      });
      if (!terminals_[a].is_text) continue;
      sets_.for_each(competitors.prefix, [&](size_t b) {
        add(cuts, b, [&](auto x, auto y) { return may_cut(x, y, competitors.equal); });
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
           quoted(terminals_[pattern].name) + " matches the beginning of " +
               quoted(terminals_[text].name) + ", and not all of it",
           terminals_[text].span,
           "here the longest match is taken; Lark's lexer may try the pattern first: "
           "make the text a terminal with a priority, NAME.1: ..."});
    }
  }

  // Whether Lark might read the beginning of a text as this pattern: it tries longer patterns
  // first.
  bool may_cut(TerminalId text, TerminalId pattern, SetId equal) const {
    const bool is_pattern =
        !terminals_[pattern].is_text && !outranks(text, pattern) && !outranks(pattern, text);
    return is_pattern && !sets_.has(equal, pattern);
  }

  bool may_overlap(TerminalId a, TerminalId b) const {
    const bool is_decided =
        outranks(a, b) || outranks(b, a) || terminals_[a].is_text != terminals_[b].is_text;
    return !is_decided && !(terminals_[a].is_lazy && terminals_[b].is_lazy);
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
             quoted(example) + "; both readings are kept",
         terminals_[a].span,
         "Lark's lexer takes one of them: give that one a priority, NAME.1: ..."});
  }

  struct HashOf {
    size_t operator()(SetId set) const { return hash_mix(set.value); }
    size_t operator()(const std::pair<TerminalId, SetId>& pair) const {
      return hash_combine(pair.first, pair.second.value);
    }
    size_t operator()(const std::vector<ContenderIndex>& list) const {
      uint64_t hash = list.size();
      for (ContenderIndex index : list) hash = hash_combine(hash, index);
      return hash;
    }
  };
  template <class Key, class Value>
  using Cache = std::unordered_map<Key, Value, HashOf>;

  const LexingContext& context_;
  Terminals& terminals_;
  Neighbours& neighbours_;
  SymbolSets& sets_;
  std::vector<Diagnostic>& diagnostics_;
  SetId ignored_;
  SetId used_;
  std::vector<NodeId> reached_;  // the leaves that some text uses
  Product product_;
  using Ranges = std::vector<std::pair<uint32_t, uint32_t>>;
  Cache<SetId, SetId> with_ignored_;
  Cache<SetId, SetId> others_;
  Cache<SetId, std::vector<bool>> letters_of_;
  Cache<SetId, bool> has_opaque_;
  std::vector<bool> any_letter_;  // index: letter
  Cache<SetId, SkipIndex> skip_of_;
  Cache<std::vector<ContenderIndex>, SkipIndex> skips_;
  std::unordered_set<SetId, HashOf> rivals_seen_;
  std::vector<SetId> rivals_;  // of all leaves, without duplicates
  size_t n_looks_ = 0;
  std::vector<std::optional<Competitors>> competitors_;  // index: terminal
  std::unordered_map<TerminalId, bool>
      is_closed_;  // for ignored terminals: two words always form one word
  Cache<std::pair<TerminalId, SetId>, std::vector<ContenderIndex>> by_rivals_;
  std::map<std::tuple<TerminalId, Winners, bool, Ranges, CoveredParts, bool>, ContenderIndex>
      contenders_;
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
