#include "frontends/json_schema/layout.h"

#include <array>

namespace xg2lab::json_schema {

Layout::Layout(GrammarBuilder& builder, const Options& options)
    : builder_(builder), options_(options) {}

ExprId Layout::whitespace() {
  if (!whitespace_) {
    const ExprId one = builder_.char_class({{'\t', '\n'}, {'\r', '\r'}, {' ', ' '}});
    whitespace_ = builder_.add_rule("ws");
    builder_.set_body(*whitespace_,
                      builder_.repeat(one, 0, options_.max_whitespace.value_or(kNoUpperBound)));
  }
  return builder_.rule_ref(*whitespace_);
}

ExprId Layout::open(std::string_view bracket) {
  const ExprId text = builder_.literal(bracket);
  if (!options_.any_whitespace) return text;
  return builder_.sequence(std::array{text, whitespace()});
}

ExprId Layout::close(std::string_view bracket) {
  const ExprId text = builder_.literal(bracket);
  if (!options_.any_whitespace) return text;
  return builder_.sequence(std::array{whitespace(), text});
}

ExprId Layout::comma() {
  if (!options_.any_whitespace) return builder_.literal(options_.comma);
  return builder_.sequence(std::array{whitespace(), builder_.literal(","), whitespace()});
}

ExprId Layout::separator() {
  if (!options_.any_whitespace) return builder_.literal(options_.comma);
  if (!separator_) {
    separator_ = builder_.add_rule("comma");
    builder_.set_body(*separator_, comma());
  }
  return builder_.rule_ref(*separator_);
}

ExprId Layout::colon() {
  if (!options_.any_whitespace) return builder_.literal(options_.colon);
  return builder_.sequence(std::array{whitespace(), builder_.literal(":"), whitespace()});
}

}  // namespace xg2lab::json_schema
