// A table of habits from other notations, each with its EBNF equivalent.
#include "frontends/ebnf/advice.h"

#include <array>

namespace xg2lab::ebnf {
namespace {

struct Advice {
  std::string_view begins_with;
  std::string_view hint;
};

constexpr std::array<Advice, 19> kAdvice{{
    {"“", "write straight quotation marks: \"...\""},
    {"”", "write straight quotation marks: \"...\""},
    {"‘", "write straight quotation marks: '...'"},
    {"’", "write straight quotation marks: '...'"},
    {"„", "write straight quotation marks: \"...\""},
    {"«", "write straight quotation marks: \"...\""},
    {";", "rules need no end mark; remove it"},
    {",", "parts of a sequence are separated by spaces; remove the comma"},
    {"//", "comments begin with #"},
    {"/", "alternatives are separated by |"},
    {"\\", "escapes belong inside literals \"...\" and classes [...]"},
    {"<", "names of rules are written without < and >"},
    {">", "names of rules are written without < and >"},
    {"]", "a class is written [...]; a bracket as text is \"]\""},
    {"}", "a repetition is written e{2,5}; a brace as text is \"}\""},
    {"^", "all but some characters is written [^...]"},
    {".", "any character is written [^]"},
    {"=", "a rule is written name ::= ..."},
    {":", "a rule is written name ::= ..."},
}};

}  // namespace

std::string advice_on(std::string_view unexpected) {
  for (const Advice& advice : kAdvice) {
    if (unexpected.substr(0, advice.begins_with.size()) == advice.begins_with) {
      return std::string(advice.hint);
    }
  }
  return "text is written in quotation marks: \"...\"";
}

}  // namespace xg2lab::ebnf
