// Elements: styles that write an object as one element for each property instead of JSON.
//
// Tests: tests/structural_tag/test_styles.py
//
// EXAMPLE   {"city": "Oslo", "days": 2} as qwen_xml:  <parameter=city>Oslo</parameter>
//           <parameter=days>2</parameter>
//
// docs/design/0022-structural-tags.md lists the styles in a table. Strings are written without
// quotes and escapes and can't contain the end of their element; other values are JSON, except in
// the nested styles. A reader takes an element's whole text as the string; if the style breaks
// lines, the text without one line break on either side. The schema applies to that string.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace xg2lab::json_schema {

enum class ElementValues : uint8_t {
  kRaw,     // a value's type is not written
  kString,  // the attribute string="true" before text, "false" before JSON
  kTyped,   // an attribute names the type
  kNested,  // elements raw, json, dict, list: lists and objects are elements, too
  kNamed,   // text or elements; list items are elements named `item`; each end tag repeats the name
};

struct ElementStyle {
  std::string_view name;
  std::string_view begin;
  std::string_view behind_name;
  std::string_view end;
  ElementValues values;
  bool breaks_lines = false;  // a line break on either side of a value belongs to the element
};

inline constexpr std::array<ElementStyle, 8> kElementStyles{{
    {"qwen_xml", "<parameter=", ">", "</parameter>", ElementValues::kRaw, true},
    {"minimax_xml", "<parameter name=\"", "\">", "</parameter>", ElementValues::kRaw},
    {"glm_xml", "<arg_key>", "</arg_key>", "</arg_value>", ElementValues::kRaw},
    {"deepseek_xml", "<｜DSML｜parameter name=\"", "\" string=\"", "</｜DSML｜parameter>",
     ElementValues::kString},
    {"deepseek_v4_1_xml", "<｜DSML｜ parameter name=\"", "\" string=\"", "</｜DSML｜ parameter>",
     ElementValues::kString},
    {"kimi_k3_xml", "<|open|>argument key=\"", "\" type=\"", "<|close|>argument<|sep|>",
     ElementValues::kTyped},
    {"cohere_xml", "<cofl:value name=\"", "\" type=\"", "</cofl:value>", ElementValues::kNested},
    {"minimax_m3_xml", "]<]minimax[>[<", ">", "]<]minimax[>[", ElementValues::kNamed},
}};

}  // namespace xg2lab::json_schema
