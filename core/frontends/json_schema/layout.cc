#include "frontends/json_schema/layout.h"

#include <array>

#include "support/text.h"

namespace xg2lab::json_schema {

Layout::Layout(GrammarBuilder& builder, const Options& options)
    : builder_(builder), options_(options) {}

ExprId Layout::whitespace() {
  if (!whitespace_) {
    const ExprId one = builder_.char_class({{'\t', '\n'}, {'\r', '\r'}, {' ', ' '}});
    whitespace_ = builder_.add_rule("ws");
    builder_.set_body(*whitespace_,
                      builder_.repeat(one, 0, options_.max_whitespace.value_or(kUsualWhitespace)));
  }
  return builder_.rule_ref(*whitespace_);
}

std::string Layout::new_line(uint32_t depth) const {
  if (!options_.indent) return "";
  return "\n" + std::string(static_cast<size_t>(*options_.indent) * depth, ' ');
}

ExprId Layout::open(std::string_view bracket) {
  if (!options_.any_whitespace) return builder_.literal(concat(bracket, new_line(depth_)));
  return builder_.sequence(std::array{builder_.literal(bracket), whitespace()});
}

ExprId Layout::close(std::string_view bracket) {
  if (!options_.any_whitespace)
    return builder_.literal(concat(new_line(depth_ - (options_.indent ? 1 : 0)), bracket));
  return builder_.sequence(std::array{whitespace(), builder_.literal(bracket)});
}

ExprId Layout::empty(std::string_view open, std::string_view close) {
  if (!options_.any_whitespace) return builder_.literal(concat(open, close));
  return builder_.sequence(
      std::array{builder_.literal(open), whitespace(), builder_.literal(close)});
}

ExprId Layout::comma() {
  if (!options_.any_whitespace) return builder_.literal(options_.comma + new_line(depth_));
  return builder_.sequence(std::array{whitespace(), builder_.literal(","), whitespace()});
}

ExprId Layout::separator() {
  if (!options_.any_whitespace) return comma();
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
