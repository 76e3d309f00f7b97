// The parts of a rule that are neither terminals nor rules: tokens, substrings, embedded grammars.
//
// Tests: tests/core/test_lark.py
#pragma once

#include <map>
#include <vector>

#include "frontends/lark/lark.h"
#include "frontends/lark/writer.h"

namespace xg2lab::lark {

constexpr size_t kMostGrammarsInGrammars = 20;

struct EmbeddedContext {
  GrammarBuilder& builder;
  const Reading& reading;
  const LarkOptions& options;
  size_t depth;  // nesting of grammars
};

class Embedded {
 public:
  explicit Embedded(const EmbeddedContext& context) : context_(context) {}

  // Mistakes are reported, and a harmless expression replaces the part.
  Opaque of(const Node& node);

 private:
  Opaque of_schema(const Node& node);
  Opaque of_grammar(const Node& node);
  Opaque of_text(const Node& node, const std::string& text, const std::string& name);
  Opaque copied(const Grammar& grammar, const Node& node, const std::string& name);

  EmbeddedContext context_;
  std::map<std::string, Opaque> by_name_;
  size_t n_nested_ = 0;
  size_t n_schemas_ = 0;
};

// Like parse_lark, for a grammar nested `depth` levels deep.
Grammar parse_nested(std::string text, const LarkOptions& options, size_t depth);

}  // namespace xg2lab::lark
