// Any value in each style, as EBNF.
// Read: the table of elements; json_rules, which all need; then what an element's value is.
#include "frontends/structural_tag/styles.h"

#include <algorithm>
#include <array>

#include "grammar/grammar.h"

namespace xg2lab::structural_tag {
namespace {

// How a property is written: begin, its name, behind the name, its value, end.
enum class Values : uint8_t {
  kRaw,     // text as it is: which type it has is not written
  kString,  // the attribute string="true", then text as it is; or "false", then JSON
  kTyped,   // the attribute names the type; strings as they are, the others as JSON
  kNested,  // raw, json, dict, list: lists and objects are elements themselves
};

struct Element {
  std::string_view style;
  std::string_view begin;
  std::string_view behind_name;
  std::string_view end;
  Values values;
};

constexpr std::array<Element, 7> kElements{{
    {"qwen_xml", "<parameter=", ">", "</parameter>", Values::kRaw},
    {"minimax_xml", "<parameter name=\"", "\">", "</parameter>", Values::kRaw},
    {"glm_xml", "<arg_key>", "</arg_key>", "</arg_value>", Values::kRaw},
    {"deepseek_xml", "<｜DSML｜parameter name=\"", "\" string=\"", "</｜DSML｜parameter>",
     Values::kString},
    {"deepseek_v4_1_xml", "<｜DSML｜ parameter name=\"", "\" string=\"", "</｜DSML｜ parameter>",
     Values::kString},
    {"kimi_k3_xml", "<|open|>argument key=\"", "\" type=\"", "<|close|>argument<|sep|>",
     Values::kTyped},
    {"cohere_xml", "<cofl:value name=\"", "\" type=\"", "</cofl:value>", Values::kNested},
}};

std::string quote(std::string_view text) { return print_literal(text); }

std::string regex_escaped(std::string_view text) {
  std::string escaped;
  for (const char byte : text) {
    if (std::string_view("\\^$.|?*+()[]{}/").find(byte) != std::string_view::npos) escaped += '\\';
    escaped += byte;
  }
  return escaped;
}

// Characters, each by `one`, in which no exclude begins.
std::string characters(const std::string& one, const std::vector<std::string>& excludes,
                       const char* times) {
  std::string refused;
  for (const std::string& text : excludes)
    refused += (refused.empty() ? "" : "|") + regex_escaped(text);
  const std::string ahead = refused.empty() ? "" : "(?!" + refused + ")";
  return "Regex(" + quote("(" + ahead + "(" + one + "))" + times) + ")";
}

std::string json_rules(const AnyValue& any) {
  const std::string most =
      any.max_whitespace ? "{0," + std::to_string(*any.max_whitespace) + "}" : "*";
  std::string rules = R"(json ::= object | array | string | number | "true" | "false" | "null"
object ::= "{" ws (member ("," ws member)*)? "}"
member ::= string ws ":" ws json ws
array ::= "[" ws (element ("," ws element)*)? "]"
element ::= json ws
number ::= "-"? ("0" | [1-9] [0-9]*) ("." [0-9]+)? ([eE] [+\-]? [0-9]+)?
)";
  rules += "string ::= \"\\\"\" inside \"\\\"\"\n";
  rules += any.excludes.empty()
               ? std::string(
                     "inside ::= ([^\"\\\\\\x00-\\x1f] | \"\\\\\" ([\"\\\\/bfnrt] | \"u\" "
                     "[0-9a-fA-F]{4}))*\n")
               : "inside ::= " +
                     characters("[^\"\\\\\\x00-\\x1f]|\\\\([\"\\\\/bfnrt]|u[0-9a-fA-F]{4})",
                                any.excludes, "*") +
                     "\n";
  return rules + "ws ::= [ \\t\\n\\r]" + most + "\n";
}

std::string raw_text(const Element& element, const AnyValue& any) {
  std::string excludes = quote(element.end);
  for (const std::string& text : any.excludes) {
    if (text != element.end) excludes += ", " + quote(text);
  }
  return "TagDispatch(excludes=(" + excludes + "))";
}

// Behind the name: what is written of the type, the value, the end.
std::string value_rules(const Element& element, const AnyValue& any) {
  const std::string end = quote(element.end);
  const std::string json_end = " ws " + end;
  std::string rules = "raw ::= " + raw_text(element, any) + "\n";
  switch (element.values) {
    case Values::kRaw: {
      const std::string open = element.style == "glm_xml" ? "ws \"<arg_value>\" " : "";
      return rules + "value ::= " + open + "raw " + end + "\n";
    }
    case Values::kString:
      return rules + "value ::= \"true\\\">\" raw " + end +
             " | \"false\\\">\" ws (object | array | number | \"true\" | \"false\" | \"null\")" +
             json_end + "\n";
    case Values::kTyped:
      return rules + "value ::= \"string\\\"<|sep|>\" raw " + end +
             " | (\"object\\\"<|sep|>\" ws object | \"array\\\"<|sep|>\" ws array"
             " | \"number\\\"<|sep|>\" ws number | \"boolean\\\"<|sep|>\" ws (\"true\" | \"false\")"
             " | \"null\\\"<|sep|>\" ws \"null\")" +
             json_end + "\n";
    case Values::kNested: {
      return rules + "value ::= \"raw\\\">\" raw " + end +
             " | (\"json\\\">\" ws (number | \"true\" | \"false\" | \"null\")"
             " | \"dict\\\">\" entries | \"list\\\">\" (ws \"<cofl:value type=\\\"\" value)*)" +
             json_end + "\n";
    }
  }
  return rules;
}

}  // namespace

bool is_style(std::string_view name) {
  return name == "json" || name == "minimax_m3_xml" ||
         std::any_of(kElements.begin(), kElements.end(),
                     [&](const Element& element) { return element.style == name; });
}

std::string style_names() {
  std::string names = "json, minimax_m3_xml";
  for (const Element& element : kElements) names += ", " + std::string(element.style);
  return names;
}

std::optional<std::string> any_value_ebnf(const AnyValue& any) {
  if (any.style == "json") return "root ::= json\n" + json_rules(any);
  const auto* const element = std::find_if(kElements.begin(), kElements.end(),
                                           [&](const Element& e) { return e.style == any.style; });
  if (element == kElements.end()) return std::nullopt;
  std::string rules = "root ::= entries ws\nentries ::= (ws " + quote(element->begin) + " name " +
                      quote(element->behind_name) + " value)*\n";
  rules += "name ::= " + characters("[^\\s<>\"&=\\x00-\\x1f]", any.excludes, "+") + "\n";
  return rules + value_rules(*element, any) + json_rules(any);
}

}  // namespace xg2lab::structural_tag
