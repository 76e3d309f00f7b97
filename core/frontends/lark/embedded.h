// What stands in a rule and is no terminal and no rule: tokens, substrings, grammars of their own.
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
  size_t depth;  // of grammars in grammars
};

class Embedded {
 public:
  explicit Embedded(const EmbeddedContext& context) : context_(context) {}

  // Mistakes are reported, and something harmless stands in.
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

// As parse_lark, `depth` grammars deep.
Grammar parse_nested(std::string text, const LarkOptions& options, size_t depth);

}  // namespace xg2lab::lark
