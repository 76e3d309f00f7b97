// Reads the JSON text that programs typically write; leaves doubtful text to the caller's parser.
//
// Tests: tests/core/test_json_reader.py
//
// IDEA
//   A schema usually arrives as text, and reading it with Python's library takes up to a third of
//   its conversion. This reader gives the same result as Python's library or none: if a text is not
//   JSON, has a duplicate key or an unpaired surrogate, or is nested deeper than most schemas are,
//   it returns nothing. Python then reads the text and reports the mistake.
//
// COST      two passes: values with their sizes, then the builder, which needs to know which
//           containers fit on one line.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "support/json_value.h"

namespace xg2lab {

// The document of `text`. Nothing: use the caller's own parser.
std::optional<JsonDocument> read_json_text(std::string_view text, std::string name);

}  // namespace xg2lab
