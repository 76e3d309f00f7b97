// Read: tree_of_pattern, then language_of_regex.
#include "languages/regex/pattern.h"

#include <utility>

#include "languages/regex/rewrite.h"
#include "support/utf8.h"

namespace xg2lab::regex {

void report_too_large(std::string_view pattern, const Report& report) {
  report("regex_too_large", "this pattern needs a machine that is too large", whole_span(pattern),
         "use smaller counts, or fewer assertions");
}

Ast tree_of_pattern(std::string_view pattern, Flags flags, Match match, const Report& report) {
  Ast ast = parse(pattern, flags, report);
  if (match == Match::kSearch) ast.root = searched(ast, ast.root);
  ast.root = settle_anchors(ast, ast.root);
  return ast;
}

PatternSource::PatternSource(std::string pattern)
    : source_(std::make_shared<SourceText>(std::move(pattern), "pattern")) {
  if (const auto at = find_invalid_utf8(source_->text())) {
    const auto begin = static_cast<uint32_t>(*at);
    findings_.report("invalid_utf8", "the pattern is not valid UTF-8", {begin, begin + 1},
                     "encode it as UTF-8");
    raise_if_any();
  }
}

Report PatternSource::report() {
  return [this](const char* code, std::string message, SourceSpan span, std::string hint) {
    findings_.report(code, std::move(message), span, std::move(hint));
  };
}

void PatternSource::raise_if_any() {
  if (!findings_.is_empty()) std::move(findings_).raise(*source_);
}

CodePointDfa language_of_regex(const std::string& pattern, Flags flags, Match match) {
  PatternSource source(pattern);
  const Ast ast = tree_of_pattern(pattern, flags, match, source.report());
  source.raise_if_any();
  auto dfa = language(ast, ast.root, kRegexLimits);
  if (!dfa) report_too_large(pattern, source.report());
  source.raise_if_any();
  return std::move(*dfa);
}

}  // namespace xg2lab::regex
