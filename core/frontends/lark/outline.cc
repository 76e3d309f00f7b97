// The outline of a Lark text: read off the syntax tree, before any name is resolved.
// Read: outline_lark; name_of, the kinds of lexemes in the words that all dialects share.
#include "grammar/outline.h"

#include <algorithm>
#include <utility>

#include "frontends/lark/cursor.h"
#include "frontends/lark/lark.h"
#include "frontends/lark/parser.h"
#include "support/text.h"
#include "support/utf8.h"

namespace xg2lab {
namespace lark {
namespace {

const char* name_of(LexemeKind kind) {
  switch (kind) {
    case LexemeKind::kName: return "name";
    case LexemeKind::kText: return "literal";
    case LexemeKind::kPattern: return "pattern";
    case LexemeKind::kNumber: return "number";
    case LexemeKind::kDirective: return "directive";
    case LexemeKind::kBraced: return "braced";
    case LexemeKind::kSpecial: return "token";
    case LexemeKind::kGrammar: return "grammar";
    case LexemeKind::kColon: return "define";
    case LexemeKind::kBar: return "bar";
    case LexemeKind::kRepeat: return "repeat";
    case LexemeKind::kOpen:
    case LexemeKind::kOpenMaybe:
    case LexemeKind::kOpenBrace: return "open";
    case LexemeKind::kClose:
    case LexemeKind::kCloseMaybe:
    case LexemeKind::kCloseBrace: return "close";
    case LexemeKind::kAnd:
    case LexemeKind::kTilde:
    case LexemeKind::kArrow:
    case LexemeKind::kDots:
    case LexemeKind::kDot:
    case LexemeKind::kComma:
    case LexemeKind::kMark: return "mark";
    case LexemeKind::kEnd: return "end";
    case LexemeKind::kUnterminatedText:
    case LexemeKind::kUnterminatedPattern:
    case LexemeKind::kUnterminatedBraces: return "unterminated";
    case LexemeKind::kUnknown: break;
  }
  return "unknown";
}

void add_names(const Document& document, const Tree& tree, Outline& outline) {
  const auto mention = [&](MentionKind kind, SourceSpan span) {
    outline.mentions.push_back({kind, span});
  };
  for (const Definition& definition : document.definitions) {
    outline.rules.push_back({definition.name_span, definition.span});
    mention(MentionKind::kDefinition, definition.name_span);
  }
  for (SourceSpan param : document.params) mention(MentionKind::kParameter, param);
  for (const Import& import : document.imports) {
    for (const ImportedName& name : import.names)
      mention(MentionKind::kDefinition, name.alias_span);
  }
  for (const Declared& declared : document.declared)
    mention(MentionKind::kDefinition, declared.span);
  for (const Node& node : tree.nodes) {
    if (node.kind != NodeKind::kName && node.kind != NodeKind::kTemplate) continue;
    const auto n_bytes = static_cast<uint32_t>(node.text.size());
    mention(MentionKind::kReference, {node.span.begin, node.span.begin + n_bytes});
  }
}

}  // namespace
}  // namespace lark

Outline outline_lark(const std::string& text) {
  if (text.size() > lark::kMostTextBytes) {
    throw Error(ErrorKind::kLimitError,
                concat("the grammar has more than ", lark::kMostTextBytes, " bytes"), "split it");
  }
  Findings mistakes(SIZE_MAX);
  if (const auto at = find_invalid_utf8(text)) {
    const auto begin = static_cast<uint32_t>(*at);
    mistakes.report("invalid_utf8", "the grammar is not valid UTF-8", {begin, begin + 1},
                    "encode it as UTF-8");
    std::move(mistakes).raise(SourceText(text, "grammar"));
  }
  const lark::Reading reading(text, "grammar", std::nullopt, mistakes);
  lark::Tree tree;
  const lark::SpecialToken no_tokens;
  Outline outline;
  lark::add_names(lark::parse(reading, {tree, no_tokens}), tree, outline);
  std::ranges::sort(outline.mentions, {},
                    [](const Mention& m) { return std::pair(m.span.begin, m.kind); });
  for (const lark::Lexeme& lexeme : lark::read_lexemes(text)) {
    if (lexeme.kind != lark::LexemeKind::kEnd)
      outline.lexemes.push_back({lark::name_of(lexeme.kind), lexeme.span});
  }
  return outline;
}

}  // namespace xg2lab
