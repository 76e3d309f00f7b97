// The table of formats. Read: the formats that are not made from their patterns, then the table.
#include "languages/formats/formats.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "automata/code_points_to_bytes.h"
#include "languages/formats/format_patterns.h"
#include "languages/formats/host_names.h"
#include "languages/regex/pattern.h"
#include "support/literal.h"

namespace xg2lab {
namespace {

using namespace formats;

using Language = std::shared_ptr<const CodePointDfa>;

CodePointDfa whole(const std::string& pattern) {
  return regex::language_of_regex(pattern, {}, regex::Match::kWhole);
}

template <std::string (*pattern)()>
CodePointDfa of_pattern() {
  return whole(pattern());
}

template <CodePointDfa (*make)()>
const Language& once() {
  static const Language made = std::make_shared<const CodePointDfa>(make());
  return made;
}

template <std::string (*make)()>
std::string_view once_written() {
  static const std::string made = make();
  return made;
}

template <std::string (*pattern)(), CodePointDfa (*make)()>
const std::shared_ptr<const Machine>& once_in_bytes() {
  static const auto made = [] {
    auto fsm = to_bytes(*once<make>(), Spelling::kJsonString, regex::kMostByteStates);
    const std::string words =
        "Regex(" + print_literal(once_written<pattern>()) + ", json_string=true)";
    return std::make_shared<const Machine>(Machine{words, std::move(*fsm)});
  }();
  return made;
}

// Joining the two languages takes a tenth of the pattern's time.
CodePointDfa date_time() {
  return join(*once<&of_pattern<&patterns::date>>(), {{'T', 'T'}, {'t', 't'}},
              *once<&of_pattern<&patterns::time>>());
}
CodePointDfa email() { return mail_address(whole(patterns::address_literal())); }
CodePointDfa idn_email() {
  return internationalized_mail_address(whole(patterns::address_literal()));
}

struct Entry {
  std::string_view name;
  const Language& (*language)();
  std::string_view (*pattern)();
  const std::shared_ptr<const Machine>& (*machine)();
};

template <std::string (*pattern)(), CodePointDfa (*make)() = &of_pattern<pattern>>
constexpr Entry entry(std::string_view name) {
  return {name, &once<make>, &once_written<pattern>, &once_in_bytes<pattern, make>};
}

constexpr std::array kEntries{
    entry<&patterns::date_time, &date_time>("date-time"),
    entry<&patterns::date>("date"),
    entry<&patterns::time>("time"),
    entry<&patterns::duration>("duration"),
    entry<&patterns::email, &email>("email"),
    entry<&patterns::idn_email, &idn_email>("idn-email"),
    entry<&patterns::hostname, &host_name>("hostname"),
    entry<&patterns::idn_hostname, &internationalized_host_name>("idn-hostname"),
    entry<&patterns::ipv4>("ipv4"),
    entry<&patterns::ipv6>("ipv6"),
    entry<&patterns::uri>("uri"),
    entry<&patterns::uri_reference>("uri-reference"),
    entry<&patterns::iri>("iri"),
    entry<&patterns::iri_reference>("iri-reference"),
    entry<&patterns::uuid>("uuid"),
    entry<&patterns::uri_template>("uri-template"),
    entry<&patterns::json_pointer>("json-pointer"),
    entry<&patterns::relative_json_pointer>("relative-json-pointer"),
};

constexpr std::string_view kRegex = "regex";
constexpr auto kNames = [] {
  std::array<std::string_view, kEntries.size() + 1> names;
  for (size_t i = 0; i < kEntries.size(); ++i) names[i] = kEntries[i].name;
  names.back() = kRegex;
  return names;
}();

const Entry* find(std::string_view name) {
  for (const Entry& entry : kEntries) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

}  // namespace

FormatKind format_kind(std::string_view name) {
  if (name == kRegex) return FormatKind::kNotRegular;
  return find(name) != nullptr ? FormatKind::kRegular : FormatKind::kUnknown;
}

Language format_language(std::string_view name) {
  const Entry* entry = find(name);
  return entry == nullptr ? nullptr : entry->language();
}

std::string_view format_pattern(std::string_view name) {
  const Entry* entry = find(name);
  return entry == nullptr ? std::string_view() : entry->pattern();
}

std::shared_ptr<const Machine> format_machine(std::string_view name) {
  const Entry* entry = find(name);
  return entry == nullptr ? nullptr : entry->machine();
}

std::shared_ptr<const Machine> format_machine_of_pattern(std::string_view pattern) {
  constexpr size_t kLeast = 16;  // formats have few patterns, and none is shorter
  if (pattern.size() < kLeast) return nullptr;
  for (const Entry& entry : kEntries) {
    if (entry.pattern() == pattern) return entry.machine();
  }
  return nullptr;
}

std::string_view format_left_out(std::string_view name) {
  constexpr std::string_view kSeconds =
      "stricter than the standard: leap seconds only at offsets of whole and half hours";
  constexpr std::string_view kHosts =
      "stricter than the standard: no labels with xn--, and later labels are shorter";
  constexpr std::string_view kForeignHosts =
      "stricter than the standard: no labels with xn--, later labels are shorter, and letters "
      "beyond "
      "ASCII are those of left-to-right scripts that RFC 5892 allows anywhere";
  constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kLeftOut{{
      {"date-time", kSeconds},
      {"time", kSeconds},
      {"email", "stricter than the standard: later labels of the host are shorter"},
      {"hostname", kHosts},
      {"idn-email", kForeignHosts},
      {"idn-hostname", kForeignHosts},
      {"uri-template", "stricter than the standard: no operators that are reserved"},
      {"relative-json-pointer", "stricter than the newest draft: no +1 or -1"},
  }};
  const auto* const row = std::find_if(kLeftOut.begin(), kLeftOut.end(),
                                       [&](const auto& r) { return r.first == name; });
  return row == kLeftOut.end() ? std::string_view() : row->second;
}

std::span<const std::string_view> format_names() { return kNames; }

}  // namespace xg2lab
