// The terminals of the lexer, including the texts and patterns that occur in rules.
//
// Tests: tests/core/test_lark.py
//
// IDEA
//   Each terminal is a node of one tree of regular expressions (languages/regex/ast.h), so that
//   lookarounds can combine them: the words that are not keywords are `(?!(?:if|else)$)[a-z]+`. A
//   lexer reads a match step by step, so lazy repetitions make a difference here, and a lookahead
//   may inspect the text behind the terminal.
//
// EXAMPLE   "if" in a rule, and IF: "if", are one terminal. In  OP: /[?](?![a-z])/  the small
//           letters are `not_next`.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "automata/code_point_dfa.h"
#include "frontends/lark/reading.h"
#include "frontends/lark/resolve.h"
#include "languages/regex/ast.h"

namespace xg2lab::lark {

using TerminalId = uint32_t;

struct Terminal {
  std::string name;  // for messages and rules: NAME, or the text or pattern itself
  SourceSpan span;
  int priority = 0;
  bool is_named = false;
  bool is_text = false;   // a text, which the lexer prefers to patterns
  bool is_lazy = false;   // ends where it can; every longer match is cut
  regex::NodeId written;  // as written: the prefixes of its matches are read from it
  regex::NodeId tree;     // for a lazy terminal: cut to the matches that end where they can
  // For a rule with a suffix: the part before the suffix, unless that part looks around; and the
  // suffix.
  std::optional<regex::NodeId> body;
  std::optional<regex::NodeId> suffix;
  bool suffix_looks_around = false;
  CodePointDfa dfa;
  CodePointSet not_next;       // characters that its own lookaheads exclude behind it
  bool looks_around = false;   // its patterns have lookarounds
  bool has_operators = false;  // its definition uses & or ~
};

class Terminals {
 public:
  Terminals(const Reading& reading, const Tree& tree, const Resolved& resolved);

  // The terminal of a text, a pattern, a range, or the name of a terminal.
  TerminalId of_node(NodeId node);
  // The terminal of a lazy rule: its body is read as one.
  TerminalId of_lazy_rule(const Definition& rule);
  // Builds the machines. Returns false if there are mistakes, which are reported.
  bool finish();

  size_t size() const { return terminals_.size(); }
  const Terminal& operator[](TerminalId id) const { return terminals_[id]; }
  regex::Ast& ast() { return ast_; }

 private:
  TerminalId add(Terminal terminal, const std::string& key);
  TerminalId of_definition(const Definition& definition);
  regex::NodeId build(NodeId node, bool is_last);
  regex::NodeId build_name(const Node& node, bool is_last);
  regex::NodeId build_text(const Node& node);
  regex::NodeId build_pattern(const Node& node);
  regex::NodeId build_both(const Node& node, bool is_last);
  regex::NodeId build_not(const Node& node, bool is_last);
  regex::NodeId refuse(const Node& node, const std::string& what);
  void begin();
  void end(Terminal& terminal);
  void check_edges(Terminal& terminal);
  size_t n_written(regex::NodeId tree);
  std::string words(const Node& node) const;

  const Reading& reading_;
  const Tree& tree_;
  const Resolved& resolved_;
  regex::Ast ast_;
  std::vector<Terminal> terminals_;
  std::map<std::string, TerminalId> by_key_;
  std::map<std::string, size_t> named_texts_;  // a text's key; the terminal defined as this text
  std::vector<std::string> open_;              // terminals whose bodies are being built
  struct Built {
    regex::NodeId tree;
    bool looks_around;
    bool has_operators;
  };
  std::unordered_map<std::string, Built> built_[2];  // by is_last. The bodies of terminals
  std::vector<uint32_t> n_written_;                  // index: regex::NodeId. The size of its tree
  bool looks_around_ = false;   // the terminal being built has a pattern with lookarounds
  bool has_operators_ = false;  // the same for & and ~
};

// Matches the empty string at the end of the text.
regex::NodeId end_of_text(regex::Ast& ast);

}  // namespace xg2lab::lark
