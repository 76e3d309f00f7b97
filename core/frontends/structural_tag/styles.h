// The styles in which a JSON value is written: as JSON, or an element for each property.
//
// Tests: tests/structural_tag/test_styles.py
//
// docs/design/0022-structural-tags.md has them in a table, and what a schema of an object becomes in each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace xg2lab::structural_tag {

struct AnyValue {
  std::string style;
  std::vector<std::string> excludes;  // what no string and no name may contain, as it is written
  std::optional<uint32_t> max_whitespace;  // characters of whitespace together
};

bool is_style(std::string_view name);
std::string style_names();
// The grammar of any value, or in a style of elements of any object. Nothing: the style can't say that.
std::optional<std::string> any_value_ebnf(const AnyValue& any);

}  // namespace xg2lab::structural_tag
