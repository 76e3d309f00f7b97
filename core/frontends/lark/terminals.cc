// Read: of_node, build (Lark's tree to regular expressions), finish; check_edges checks the
// lookarounds that reach beyond a terminal.
#include "frontends/lark/terminals.h"

#include <algorithm>
#include <utility>

#include "languages/regex/language.h"
#include "languages/regex/parser.h"
#include "languages/regex/rewrite.h"
#include "languages/regex/unicode.h"
#include "support/budget.h"
#include "support/text.h"
#include "support/utf8.h"

namespace xg2lab::lark {
namespace {

constexpr regex::LanguageLimits kTerminalLimits{{20'000, 4'000'000}, 300'000, 5'000'000};
constexpr size_t kMostOpen = 200;         // nesting of terminals
constexpr size_t kMostCells = 8'000'000;  // of the machines of all terminals
constexpr size_t kMostLookedAhead =
    3;  // characters behind a terminal that its lookaheads may inspect
constexpr size_t kShownName = 40;

// For each state: whether all texts of `n` characters lead to accepting states (with `any`: whether
// one does).
std::vector<bool> after(const CodePointDfa& dfa, size_t n, bool any) {
  std::vector<bool> is_good = dfa.is_accepting;
  for (; n > 0; --n) {
    std::vector<bool> before(dfa.n_states());
    for (uint32_t state = 0; state < dfa.n_states(); ++state) {
      size_t n_good = 0;
      for (Letter letter = 0; letter < dfa.alphabet.n_letters(); ++letter) {
        n_good += is_good[dfa.step(state, letter)] ? 1 : 0;
      }
      before[state] = any ? n_good > 0 : n_good == dfa.alphabet.n_letters();
    }
    is_good = std::move(before);
  }
  return is_good;
}

// Calls visit(state of a, state of b) for all pairs that a text reaches; both machines have the
// same alphabet.
template <class Visit>
void for_each_pair(const CodePointDfa& a, const CodePointDfa& b, const Alphabet::Common& common,
                   Visit visit) {
  std::vector<std::pair<uint32_t, uint32_t>> pending{{0, 0}};
  std::vector<bool> known(a.n_states() * b.n_states());
  known[0] = true;
  while (!pending.empty()) {
    const auto [in_a, in_b] = pending.back();
    pending.pop_back();
    visit(in_a, in_b);
    for (Letter letter = 0; letter < common.alphabet.n_letters(); ++letter) {
      const uint32_t to_a = a.step(in_a, common.of_a[letter]);
      const uint32_t to_b = b.step(in_b, common.of_b[letter]);
      const size_t at = to_a * b.n_states() + to_b;
      if (known[at]) continue;
      known[at] = true;
      pending.emplace_back(to_a, to_b);
    }
  }
}

// Equal for equal texts, patterns and ranges.
std::string key_of(const Node& node) {
  return concat(static_cast<int>(node.kind), node.flags, node.ignores_case ? "i" : "", "/",
                node.min, "/", node.max, "/", node.text);
}

}  // namespace

regex::NodeId end_of_text(regex::Ast& ast) {
  return ast.add_lookaround(ast.add_class(regex::any(), {}), true, true, {});
}

// ---- Numbering terminals ----

Terminals::Terminals(const Reading& reading, const Tree& tree, const Resolved& resolved)
    : reading_(reading), tree_(tree), resolved_(resolved) {
  for (size_t i = 0; i < resolved.definitions.size(); ++i) {
    const Definition& definition = resolved.definitions[i];
    const Node& body = tree[definition.body];
    if (definition.is_terminal && body.kind == NodeKind::kText)
      named_texts_.emplace(key_of(body), i);
  }
}

TerminalId Terminals::add(Terminal terminal, const std::string& key) {
  const auto id = static_cast<TerminalId>(terminals_.size());
  terminals_.push_back(std::move(terminal));
  by_key_.emplace(key, id);
  return id;
}

std::string Terminals::words(const Node& node) const {
  std::string words(reading_.source().slice(node.span));
  if (words.size() > kShownName) words = words.substr(0, kShownName) + "…";
  return words;
}

void Terminals::begin() { looks_around_ = has_operators_ = false; }

void Terminals::end(Terminal& terminal) {
  terminal.looks_around = looks_around_;
  terminal.has_operators = has_operators_;
  if (!looks_around_ || !has_operators_) return;
  reading_.findings().report(
      "unsupported_lookaround",
      "terminal " + quoted(terminal.name) + " has lookarounds together with `&` or `~`",
      terminal.span, "write the lookarounds with `&` and `~`");
}

TerminalId Terminals::of_node(NodeId id) {
  const Node& node = tree_[id];
  if (node.kind == NodeKind::kName) {
    const Definition& definition = resolved_.definitions[resolved_.by_name.at(node.text)];
    if (!definition.is_terminal) build_name(node, true);  // reports the mistake
    return of_definition(definition);
  }
  const std::string key = key_of(node) + (node.children.empty() ? "" : concat("#", id.value));
  const auto named = named_texts_.find(key);
  if (named != named_texts_.end()) return of_definition(resolved_.definitions[named->second]);
  const auto known = by_key_.find(key);
  if (known != by_key_.end()) return known->second;
  Terminal terminal;
  terminal.name = words(node);
  terminal.span = node.span;
  terminal.is_text = node.kind == NodeKind::kText;
  begin();
  terminal.tree = build(id, true);
  end(terminal);
  return add(std::move(terminal), key);
}

TerminalId Terminals::of_definition(const Definition& definition) {
  const std::string key = "=" + definition.name;
  const auto known = by_key_.find(key);
  if (known != by_key_.end()) return known->second;
  Terminal terminal;
  terminal.name = definition.name;
  terminal.span = definition.name_span;
  terminal.priority = definition.priority;
  terminal.is_named = true;
  terminal.is_lazy = (definition.options && definition.options->is_lazy) || definition.suffix;
  terminal.is_text = tree_[definition.body].kind == NodeKind::kText && !terminal.is_lazy;
  open_.push_back(definition.name);
  begin();
  terminal.tree = build(definition.body, !definition.suffix);
  if (definition.suffix) {
    if (!looks_around_) terminal.body = terminal.tree;
    const bool looks_around = std::exchange(looks_around_, false);
    terminal.suffix = build(*definition.suffix, true);
    terminal.suffix_looks_around = looks_around_;
    looks_around_ = looks_around_ || looks_around;
    terminal.tree = ast_.add_sequence({terminal.tree, *terminal.suffix}, terminal.span);
  }
  end(terminal);
  open_.pop_back();
  const TerminalId id = add(std::move(terminal), key);
  return id;
}

TerminalId Terminals::of_lazy_rule(const Definition& rule) { return of_definition(rule); }

// ---- Lark's tree to regular expressions ----

regex::NodeId Terminals::refuse(const Node& node, const std::string& what) {
  reading_.findings().report(
      "terminal_not_regular", what + " is not allowed in a terminal", node.span,
      "a terminal is made of texts, patterns and other terminals; write a rule");
  return ast_.add_sequence({}, node.span);
}

// `is_last`: no part of the terminal follows the node.
regex::NodeId Terminals::build(NodeId id, bool is_last) {
  const Node& node = tree_[id];
  switch (node.kind) {
    case NodeKind::kText: return build_text(node);
    case NodeKind::kPattern: return build_pattern(node);
    case NodeKind::kRange: return ast_.add_class(normal({{node.min, node.max}}), node.span);
    case NodeKind::kName: return build_name(node, is_last);
    case NodeKind::kSequence: {
      std::vector<regex::NodeId> parts;
      for (size_t i = 0; i < node.children.size(); ++i) {
        parts.push_back(build(node.children[i], is_last && i + 1 == node.children.size()));
      }
      return ast_.add_sequence(std::move(parts), node.span);
    }
    case NodeKind::kChoice: {
      std::vector<regex::NodeId> parts;
      for (NodeId child : node.children) parts.push_back(build(child, is_last));
      return ast_.add_choice(std::move(parts), node.span);
    }
    case NodeKind::kRepeat: {
      const regex::NodeId child = build(node.children.front(), is_last && node.max == 1);
      const uint32_t max = node.max == kNoMost ? regex::kNoMost : node.max;
      return ast_.add_repeat(child, node.min, max, node.span);
    }
    case NodeKind::kAnd: return build_both(node, is_last);
    case NodeKind::kNot: return build_not(node, is_last);
    case NodeKind::kTokens: return refuse(node, "a token");
    case NodeKind::kGrammar:
    case NodeKind::kNested: return refuse(node, "a grammar");
    case NodeKind::kJson: return refuse(node, "a JSON schema");
    case NodeKind::kSubstring: return refuse(node, "a substring beside something else");
    case NodeKind::kTemplate: return refuse(node, "a template");
  }
  return ast_.add_sequence({}, node.span);
}

regex::NodeId Terminals::build_name(const Node& node, bool is_last) {
  const auto known = resolved_.by_name.find(node.text);
  if (known == resolved_.by_name.end()) return ast_.add_sequence({}, node.span);
  const Definition& definition = resolved_.definitions[known->second];
  if (!definition.is_terminal) {
    reading_.findings().report("terminal_not_regular",
                               "rule " + quoted(node.text) + " is not allowed in a terminal",
                               node.span, "make it a terminal: write its name in capitals");
    return ast_.add_sequence({}, node.span);
  }
  const auto known_body = built_[is_last ? 1 : 0].find(node.text);
  if (known_body != built_[is_last ? 1 : 0].end()) {
    looks_around_ = looks_around_ || known_body->second.looks_around;
    has_operators_ = has_operators_ || known_body->second.has_operators;
    return known_body->second.tree;
  }
  const bool is_open = std::find(open_.begin(), open_.end(), node.text) != open_.end();
  if (!is_open && open_.size() > kMostOpen) {
    reading_.findings().report(
        "nesting_too_deep", concat("terminals refer to terminals more than ", kMostOpen, " times"),
        node.span, "write rules, in small letters, for the outer ones");
    return ast_.add_sequence({}, node.span);
  }
  if (is_open) {
    reading_.findings().report("recursive_terminal",
                               "terminal " + quoted(node.text) + " refers to itself", node.span,
                               "only a rule may: write it in small letters");
    return ast_.add_sequence({}, node.span);
  }
  open_.push_back(node.text);
  const bool looks_around = std::exchange(looks_around_, false);
  const bool has_operators = std::exchange(has_operators_, false);
  const regex::NodeId built = build(definition.body, is_last);
  built_[is_last ? 1 : 0].emplace(node.text, Built{built, looks_around_, has_operators_});
  looks_around_ = looks_around_ || looks_around;
  has_operators_ = has_operators_ || has_operators;
  open_.pop_back();
  return built;
}

regex::NodeId Terminals::build_text(const Node& node) {
  std::vector<regex::NodeId> parts;
  for (size_t at = 0; at < node.text.size();) {
    const auto here = decode_utf8(node.text, at);
    CodePointSet set =
        normal({{here ? here->code_point : 0xFFFD, here ? here->code_point : 0xFFFD}});
    if (node.ignores_case) set = regex::with_other_cases(set);
    parts.push_back(ast_.add_class(std::move(set), node.span));
    at += here ? here->n_bytes : 1;
  }
  return ast_.add_sequence(std::move(parts), node.span);
}

// Copies another tree's nodes, with the spans of this tree.
regex::NodeId Terminals::build_pattern(const Node& node) {
  const auto in_source = [&node](SourceSpan span) {
    if (node.positions.empty()) return node.span;
    const auto at = [&](uint32_t offset) {
      return node.positions[std::min<size_t>(offset, node.positions.size() - 1)];
    };
    return SourceSpan{at(span.begin), at(span.end)};
  };
  regex::Flags flags = regex::read_flags(node.flags, [&](const char* code, std::string message,
                                                         SourceSpan, std::string hint) {
    reading_.findings().report(code, std::move(message), node.span, std::move(hint) + ", and x");
  });
  flags.is_python = true;
  const regex::Ast pattern = regex::parse(
      node.text, flags,
      [&](const char* code, std::string message, SourceSpan span, std::string hint) {
        reading_.findings().report(code, std::move(message), in_source(span), std::move(hint));
      });
  looks_around_ = looks_around_ || regex::has_lookarounds(pattern, pattern.root);
  std::vector<regex::NodeId> copies;
  for (regex::Node copy : pattern.nodes) {
    copy.span = in_source(copy.span);
    for (regex::NodeId& child : copy.children) child = copies[child.index()];
    copies.push_back(ast_.add(std::move(copy)));
  }
  return copies[pattern.root.index()];
}

// A & B becomes (?=A$)B if the terminal ends with it.
regex::NodeId Terminals::build_both(const Node& node, bool is_last) {
  if (!is_last) return build_not(node, false);
  has_operators_ = true;
  std::vector<regex::NodeId> parts;
  for (size_t i = 0; i < node.children.size(); ++i) {
    const regex::NodeId part = build(node.children[i], true);
    if (i + 1 == node.children.size()) {
      parts.push_back(part);
    } else {
      const regex::NodeId whole = ast_.add_sequence({part, end_of_text(ast_)}, node.span);
      parts.push_back(ast_.add_lookaround(whole, true, false, node.span));
    }
  }
  return ast_.add_sequence(std::move(parts), node.span);
}

// ~A is (?!A$)[^]*.
regex::NodeId Terminals::build_not(const Node& node, bool is_last) {
  if (!is_last) {
    reading_.findings().report("unsupported_operator",
                               "`&` and `~` are supported at a terminal's end only", node.span,
                               "write the rest of the terminal into each side");
    return ast_.add_sequence({}, node.span);
  }
  has_operators_ = true;
  const regex::NodeId child = build(node.children.front(), true);
  const regex::NodeId whole = ast_.add_sequence({child, end_of_text(ast_)}, node.span);
  const regex::NodeId any = ast_.add_class(regex::any(), node.span);
  return ast_.add_sequence({ast_.add_lookaround(whole, true, true, node.span),
                            ast_.add_repeat(any, 0, regex::kNoMost, node.span)},
                           node.span);
}

// ---- Machines ----

bool Terminals::finish() {
  if (!reading_.findings().is_empty()) return false;
  size_t n_cells = 0;
  for (Terminal& terminal : terminals_) {
    check_budget("building the machines of terminals");
    const auto refuse_size = [&] {
      reading_.findings().report(
          "regex_too_large",
          "terminal " + quoted(terminal.name) + " needs a machine that is too large", terminal.span,
          "use smaller counts, fewer lookarounds, or a rule");
    };
    if (n_written(terminal.tree) > kTerminalLimits.n_nfa_states) {
      refuse_size();
      continue;
    }
    terminal.tree = regex::settle_lazy(ast_, terminal.tree);
    terminal.written = terminal.tree;
    if (terminal.is_lazy) {
      // Removes the words that have a shorter match as a proper prefix.
      const regex::NodeId any = ast_.add_class(regex::any(), terminal.span);
      const regex::NodeId more = ast_.add_repeat(any, 1, regex::kNoMost, terminal.span);
      const regex::NodeId longer =
          ast_.add_sequence({terminal.tree, more, end_of_text(ast_)}, terminal.span);
      terminal.tree = ast_.add_sequence(
          {ast_.add_lookaround(longer, true, true, terminal.span), terminal.tree}, terminal.span);
    }
    auto dfa = regex::language(ast_, terminal.tree, kTerminalLimits);
    if (!dfa) {
      refuse_size();
      continue;
    }
    n_cells += dfa->next.size();
    if (n_cells > kMostCells) {
      reading_.findings().report("lexer_too_large",
                                 "the machines of all terminals together are too large",
                                 terminal.span, "use fewer or simpler patterns");
      return false;
    }
    terminal.dfa = std::move(*dfa);
    if (terminal.looks_around && !terminal.is_lazy) check_edges(terminal);
  }
  return reading_.findings().is_empty();
}

// The tree shares the nodes of terminals that occur in several others.
size_t Terminals::n_written(regex::NodeId tree) {
  for (size_t i = n_written_.size(); i <= tree.index(); ++i) {
    size_t n = 1;
    for (regex::NodeId child : ast_.nodes[i].children) n += n_written_[child.index()];
    n_written_.push_back(static_cast<uint32_t>(std::min<size_t>(n, UINT32_MAX / 2)));
  }
  return n_written_[tree.index()];
}

// Checks the terminal's view of the text around it. Characters behind it that a lookahead excludes
// are recorded; every other dependence on the context is refused.
void Terminals::check_edges(Terminal& terminal) {
  const regex::NodeId any = ast_.add_class(regex::any(), terminal.span);
  const auto refuse_edge = [&](const char* what, const char* hint) {
    reading_.findings().report("unsupported_lookaround",
                               "terminal " + quoted(terminal.name) + " depends on the text " + what,
                               terminal.span, hint);
  };
  const auto shifted =
      regex::language(ast_, ast_.add_sequence({any, terminal.tree}, {}), kTerminalLimits);
  const auto expected = shifted ? concatenate(one_of(regex::any()), terminal.dfa) : std::nullopt;
  if (!expected || !equivalent(*shifted, *expected)) {
    return refuse_edge("before it", "leave out ^, \\b or (?<...) at its beginning");
  }
  for (size_t n = 1; n <= kMostLookedAhead; ++n) {
    const auto count = static_cast<uint32_t>(n);
    const auto ahead = regex::language(
        ast_, ast_.add_sequence({terminal.tree, ast_.add_repeat(any, count, count, {})}, {}),
        kTerminalLimits);
    if (!ahead) return refuse_edge("after it", "leave out the lookahead at its end");
    const auto one_more = after(*ahead, n - 1, false);
    const auto some = after(*ahead, n, true);
    const auto common = Alphabet::common(terminal.dfa.alphabet, ahead->alphabet);
    bool needs_more = false;
    for_each_pair(terminal.dfa, *ahead, common, [&](uint32_t own, uint32_t behind) {
      if (!terminal.dfa.is_accepting[own]) {
        needs_more = needs_more || some[behind];
        return;
      }
      for (const Alphabet::Interval& interval : ahead->alphabet.intervals()) {
        if (!one_more[ahead->step(behind, interval.letter)]) {
          terminal.not_next.push_back({interval.lo, interval.hi});
        }
      }
    });
    terminal.not_next = normal(std::move(terminal.not_next));
    if (needs_more) {
      return refuse_edge(
          "after it",
          "leave out (?=...) and \\b at its end, or put the text that it looks for into a rule");
    }
  }
}

}  // namespace xg2lab::lark
