// What the lexer reads as one: terminals, and the texts and patterns that stand in rules.
//
// Tests: tests/core/test_lark.py
//
// IDEA
//   Each is a node of one tree of regular expressions (languages/regex/ast.h), so that languages can be made of them by
//   looking around: what a word is but not a keyword, `(?!(?:if|else)$)[a-z]+`. A lexer takes what it reads step by step, so
//   lazy repetitions mean something here, and a lookahead may see what stands behind the terminal.
//
// EXAMPLE   "if" in a rule, and IF: "if", are one terminal. In  OP: /[?](?![a-z])/  small letters are `not_next`.
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
  std::string name;  // for messages and rules: NAME, or the words of a text or pattern
  SourceSpan span;
  int priority = 0;
  bool is_named = false;
  bool is_text = false;   // a text, so that it is preferred to patterns
  bool is_lazy = false;   // it ends where it can, and whatever else would go on there is cut
  regex::NodeId written;  // as it is written: where a match of it begins
  regex::NodeId tree;     // of a lazy one: what ends where it can
  // Of a rule with a suffix: what stands before it, unless that looks around; and the suffix.
  std::optional<regex::NodeId> body;
  std::optional<regex::NodeId> suffix;
  bool suffix_looks_around = false;
  CodePointDfa dfa;
  CodePointSet not_next;       // what its own lookaheads do not want behind it
  bool looks_around = false;   // its patterns have lookarounds
  bool has_operators = false;  // it is made with & or ~
};

class Terminals {
 public:
  Terminals(const Reading& reading, const Tree& tree, const Resolved& resolved);

  // A text, a pattern, a range, or the name of a terminal.
  TerminalId of_node(NodeId node);
  // A lazy rule: its body is read as a terminal.
  TerminalId of_lazy_rule(const Definition& rule);
  // Works out the machines. False: there are mistakes, reported.
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
  std::map<std::string, size_t>
      named_texts_;                // a text's key: the terminal that is defined as this text
  std::vector<std::string> open_;  // terminals whose bodies are being built
  struct Built {
    regex::NodeId tree;
    bool looks_around;
    bool has_operators;
  };
  std::unordered_map<std::string, Built> built_[2];  // by is_last. The bodies of terminals
  std::vector<uint32_t> n_written_;                  // index: regex::NodeId. Nodes of its tree
  bool looks_around_ = false;   // what is being built has a pattern with lookarounds
  bool has_operators_ = false;  // and & or ~
};

// Matches the empty text where the text ends.
regex::NodeId end_of_text(regex::Ast& ast);

}  // namespace xg2lab::lark
