// Documents -> one list of rules and terminals, with every name known.
//
// Tests: tests/core/test_lark.py
//
// IDEA
//   Each document has a scope: what a name means in it. An imported document gets a scope of its own, and its definitions
//   a prefix, so that names of two grammars can't meet. A use of a template becomes a rule of its own, one for each list
//   of arguments. Afterwards a node's name is an index, and nobody has to look anything up.
//
// EXAMPLE   pair{x}: x "," x   start: pair{A}     rules start, pair-A
//
// COST      linear, but for templates: kMostInstances of them.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "frontends/lark/parser.h"

namespace xg2lab::lark {

constexpr size_t kMostInstances = 20'000;
constexpr size_t kMostTemplates = 200;  // that use each other
constexpr size_t kMostImports = 100;

struct Resolved {
  std::vector<Definition> definitions;  // no templates; names in their bodies are those of by_name
  std::map<std::string, size_t, std::less<>> by_name;
  std::vector<NodeId> ignored;
  size_t start = 0;
};

// The text of another grammar. Nothing: there is none with this name.
using NamedText = std::function<const std::string*(std::string_view name)>;

struct ResolveContext {
  ParseContext parse;
  const NamedText& named_text;
  std::string_view start;
};

// The document of `reading`, and all that it imports. Nothing: there is no start, which is reported.
std::optional<Resolved> resolve(const Reading& reading, const ResolveContext& context);

}  // namespace xg2lab::lark
