// JSON text as values, for the text that programs write: what it is not sure of it leaves to the caller.
//
// Tests: tests/core/test_json_reader.py
//
// IDEA
//   A schema usually arrives as text, and reading it by Python's library costs as much as a third of its conversion. All text
//   that this reads, it reads as that does. Where a text is no JSON, has a key twice, half of a surrogate pair, or is nested
//   deeper than most schemas are, it says nothing: then Python reads it, and finds the words for what is wrong.
//
// COST      two passes: values with their sizes, then the builder, which wants to know what fits a line.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "support/json_value.h"

namespace xg2lab {

// What `text` says, as JsonDocument has it. Nothing: ask the caller's own library.
std::optional<JsonDocument> read_json_text(std::string_view text, std::string name);

}  // namespace xg2lab
