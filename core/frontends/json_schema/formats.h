// Which formats are of the standard, and what language each is.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>

#include "automata/code_point_dfa.h"

namespace xg2lab::json_schema {

enum class FormatKind : uint8_t { kUnknown, kRegular, kNotRegular };

// Until their languages are there, all formats of the standard are refused by name.
inline FormatKind format_kind(std::string_view name) {
  constexpr std::array<std::string_view, 19> kNames{
      "date-time", "date",          "time", "duration",     "email",        "idn-email",
      "hostname",  "idn-hostname",  "ipv4", "ipv6",         "uri",          "uri-reference",
      "iri",       "iri-reference", "uuid", "uri-template", "json-pointer", "relative-json-pointer",
      "regex"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end() ? FormatKind::kNotRegular
                                                                       : FormatKind::kUnknown;
}
inline std::shared_ptr<const CodePointDfa> format_language(std::string_view) { return nullptr; }
inline std::string_view format_pattern(std::string_view) { return {}; }

}  // namespace xg2lab::json_schema
