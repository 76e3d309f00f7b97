// Resolves documents into one list of rules and terminals in which every name is defined.
//
// Tests: tests/core/test_lark.py
//
// IDEA
//   Each document has a scope, which maps its names. An imported document gets a scope of its own,
//   and a prefix for its definitions, so that names of two grammars can't collide. A use of a
//   template becomes a rule of its own, one for each list of arguments. Afterwards the name of a
//   node is an index, and no look-ups remain.
//
// EXAMPLE   pair{x}: x "," x   start: pair{A}     rules start, pair-A
//
// COST      linear, except for templates: at most kMostInstances of them.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "frontends/lark/parser.h"

namespace xg2lab::lark {

constexpr size_t kMostInstances = 20'000;
constexpr size_t kMostTemplates = 200;  // nesting of templates that use each other
constexpr size_t kMostImports = 100;

struct Resolved {
  std::vector<Definition> definitions;  // without templates; names in their bodies refer to by_name
  std::map<std::string, size_t, std::less<>> by_name;
  std::vector<NodeId> ignored;
  size_t start = 0;
};

// The text of another grammar. Nothing if there is none with this name.
using NamedText = std::function<const std::string*(std::string_view name)>;

struct ResolveContext {
  ParseContext parse;
  const NamedText& named_text;
  std::string_view start;
};

// Resolves the document of `reading` and all that it imports. Nothing if there is no start, which
// is reported.
std::optional<Resolved> resolve(const Reading& reading, const ResolveContext& context);

}  // namespace xg2lab::lark
