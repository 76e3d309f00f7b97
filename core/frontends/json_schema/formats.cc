// Read: the patterns, an RFC after the other, and the table of names at the end.
// Patterns are written in pieces, named as the RFCs name them, and read by our own engine; letter case is spelled out where it is free.
#include "frontends/json_schema/formats.h"

#include <array>
#include <string>

#include "frontends/json_schema/host_names.h"
#include "frontends/regex/regex.h"

namespace xg2lab::json_schema {
namespace {

using Text = std::string;

CodePointDfa whole(const Text& pattern) {
  return regex::language_of_regex(pattern, {}, regex::Match::kWhole);
}

Text group(const Text& pattern) { return "(?:" + pattern + ")"; }

Text two_digits(int number) {
  return {static_cast<char>('0' + number / 10), static_cast<char>('0' + number % 10)};
}

// ---- RFC 3339: dates and times ----

const Text& full_date() {
  static const Text pattern = [] {
    const Text any_year =
        "\\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)|"
        "02-(?:0[1-9]|1\\d|2[0-8]))";
    const Text leap_year =
        "(?:\\d\\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29";
    return group(any_year + "|" + leap_year);
  }();
  return pattern;
}

// 23:59:60 in UTC, told at an offset of whole or half hours.
Text leap_seconds() {
  const Text seconds = ":60(?:\\.\\d+)?";
  Text all = "23:59" + seconds + "[zZ]";
  for (int hour = 0; hour < 24; ++hour) {
    const Text later = "\\+" + two_digits((hour + 1) % 24) + ":00";
    const Text earlier = "-" + two_digits(23 - hour) + ":00";
    all += "|" + two_digits(hour) + ":59" + seconds + group(later + "|" + earlier);
    const Text half_later = "\\+" + two_digits(hour) + ":30";
    const Text half_earlier = "-" + two_digits(23 - hour) + ":30";
    all += "|" + two_digits(hour) + ":29" + seconds + group(half_later + "|" + half_earlier);
  }
  return all;
}

const Text& full_time() {
  static const Text pattern = [] {
    const Text hour = "(?:[01]\\d|2[0-3])";
    const Text offset = "(?:[zZ]|[+-]" + hour + ":[0-5]\\d)";
    return group(hour + ":[0-5]\\d:[0-5]\\d(?:\\.\\d+)?" + offset + "|" + leap_seconds());
  }();
  return pattern;
}

CodePointDfa date() { return whole(full_date()); }
CodePointDfa time() { return whole(full_time()); }
CodePointDfa date_time() { return whole(full_date() + "[tT]" + full_time()); }

CodePointDfa duration() {
  const Text seconds = "\\d+S";
  const Text minutes = "\\d+M(?:" + seconds + ")?";
  const Text hours = "\\d+H(?:" + minutes + ")?";
  const Text time = "T" + group(hours + "|" + minutes + "|" + seconds);
  const Text days = "\\d+D";
  const Text months = "\\d+M(?:" + days + ")?";
  const Text years = "\\d+Y(?:" + months + ")?";
  return whole("P(?:" + group(days + "|" + months + "|" + years) + group(time) + "?|" + time +
               "|\\d+W)");
}

// ---- RFC 3986, 3987: addresses, URIs, IRIs ----

const Text kOctet = "(?:\\d|[1-9]\\d|1\\d\\d|2[0-4]\\d|25[0-5])";
const Text kIpv4 = "(?:" + kOctet + "(?:\\." + kOctet + "){3})";

// Up to n groups with a colon behind each, then the last of them; then ::, then m groups and the address's end.
const Text& ipv6_address() {
  static const Text pattern = [] {
    const Text h16 = "[0-9A-Fa-f]{1,4}";
    const Text ls32 = group(h16 + ":" + h16 + "|" + kIpv4);
    const auto groups = [&](int n) {
      return n == 0 ? Text() : "(?:" + h16 + ":){" + std::to_string(n) + "}";
    };
    const auto before = [&](int most) {
      return most == 0 ? Text()
                       : "(?:(?:" + h16 + ":){0," + std::to_string(most - 1) + "}" + h16 + ")?";
    };
    Text all = groups(6) + ls32;
    for (int n_before = 0; n_before <= 5; ++n_before)
      all += "|" + before(n_before) + "::" + groups(5 - n_before) + ls32;
    all += "|" + before(6) + "::" + h16 + "|" + before(7) + "::";
    return group(all);
  }();
  return pattern;
}

CodePointDfa ipv4() { return whole(kIpv4); }
CodePointDfa ipv6() { return whole(ipv6_address()); }

const Text kFurther =  // ucschar
    "\\u00A0-\\uD7FF\\uF900-\\uFDCF\\uFDF0-\\uFFEF\\u{10000}-\\u{1FFFD}\\u{20000}-\\u{2FFFD}\\u{"
    "30000}-\\u{3FFFD}"
    "\\u{40000}-\\u{4FFFD}\\u{50000}-\\u{5FFFD}\\u{60000}-\\u{6FFFD}\\u{70000}-\\u{7FFFD}\\u{80000}"
    "-\\u{8FFFD}"
    "\\u{90000}-\\u{9FFFD}\\u{A0000}-\\u{AFFFD}\\u{B0000}-\\u{BFFFD}\\u{C0000}-\\u{CFFFD}\\u{D0000}"
    "-\\u{DFFFD}"
    "\\u{E1000}-\\u{EFFFD}";
const Text kPrivate = "\\uE000-\\uF8FF\\u{F0000}-\\u{FFFFD}\\u{100000}-\\u{10FFFD}";  // iprivate
const Text kEncoded = "%[0-9A-Fa-f]{2}";                                              // pct-encoded

// A URI by its parts; `further` are the characters that IRIs have more, `more` those of their queries.
struct Reference {
  Text segments_after;  // *( "/" segment )
  Text scheme = "[A-Za-z][-A-Za-z0-9+.]*:";
  Text hierarchy;  // of a URI: behind the scheme
  Text relative;   // of a reference without a scheme
  Text tail;       // query and fragment

  Reference(const Text& further, const Text& more) {
    const Text unreserved = "-A-Za-z0-9._~" + further;
    const Text delimiters = "!$&'()*+,;=";
    const auto of = [&](const Text& characters) {
      return "(?:[" + unreserved + delimiters + characters + "]|" + kEncoded + ")";
    };
    const Text pchar = of(":@");
    const Text future = "[vV][0-9A-Fa-f]+\\.[" + Text("-A-Za-z0-9._~") + delimiters + ":]+";
    const Text literal = "\\[(?:" + ipv6_address() + "|" + future + ")\\]";
    const Text host = group(literal + "|" + of("") + "*");
    const Text authority = "(?:" + of(":") + "*@)?" + host + "(?::\\d*)?";
    segments_after = "(?:/" + pchar + "*)*";
    const Text absolute = "/(?:" + pchar + "+" + segments_after + ")?";
    const Text network = "//" + authority + segments_after;
    hierarchy = group(network + "|" + absolute + "|" + pchar + "+" + segments_after + "|");
    relative = group(network + "|" + absolute + "|" + of("@") + "+" + segments_after + "|");
    tail = "(?:\\?(?:" + pchar + "|[/?" + more + "])*)?(?:#(?:" + pchar + "|[/?])*)?";
  }
  Text with_scheme() const { return scheme + hierarchy + tail; }
  Text any() const { return group(with_scheme() + "|" + relative + tail); }
};

const Reference& ascii() {
  static const Reference reference("", "");
  return reference;
}
const Reference& international() {
  static const Reference reference(kFurther, kPrivate);
  return reference;
}

CodePointDfa uri() { return whole(ascii().with_scheme()); }
CodePointDfa uri_reference() { return whole(ascii().any()); }
CodePointDfa iri() { return whole(international().with_scheme()); }
CodePointDfa iri_reference() { return whole(international().any()); }

// RFC 6570
CodePointDfa uri_template() {
  const Text literal = "[!#$&-;=?-\\[\\]_a-z~" + kFurther + kPrivate + "]";
  const Text character = "(?:[A-Za-z0-9_]|" + kEncoded + ")";
  const Text name = character + "(?:\\.?" + character + ")*";
  const Text variable = name + "(?::[1-9]\\d{0,3}|\\*)?";
  const Text expression = "\\{[+#./;?&]?" + variable + "(?:," + variable + ")*\\}";
  return whole("(?:" + literal + "|" + kEncoded + "|" + expression + ")*");
}

// ---- The rest ----

CodePointDfa uuid() { return whole("[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"); }

const Text kJsonPointer = "(?:/(?:[^/~]|~[01])*)*";
CodePointDfa json_pointer() { return whole(kJsonPointer); }
CodePointDfa relative_json_pointer() { return whole("(?:0|[1-9]\\d*)(?:#|" + kJsonPointer + ")"); }

CodePointDfa address_literal() {
  return whole("\\[(?:" + kIpv4 + "|[iI][pP][vV]6:" + ipv6_address() + ")\\]");
}
CodePointDfa email() { return mail_address(address_literal()); }
CodePointDfa idn_email() { return internationalized_mail_address(address_literal()); }

// ---- The table ----

template <CodePointDfa (*make)()>
const CodePointDfa& once() {
  static const CodePointDfa made = make();
  return made;
}

struct Entry {
  std::string_view name;
  const CodePointDfa& (*language)();
};

constexpr std::array<Entry, 18> kEntries{{
    {"date-time", &once<&date_time>},
    {"date", &once<&date>},
    {"time", &once<&time>},
    {"duration", &once<&duration>},
    {"email", &once<&email>},
    {"idn-email", &once<&idn_email>},
    {"hostname", &once<&host_name>},
    {"idn-hostname", &once<&internationalized_host_name>},
    {"ipv4", &once<&ipv4>},
    {"ipv6", &once<&ipv6>},
    {"uri", &once<&uri>},
    {"uri-reference", &once<&uri_reference>},
    {"iri", &once<&iri>},
    {"iri-reference", &once<&iri_reference>},
    {"uuid", &once<&uuid>},
    {"uri-template", &once<&uri_template>},
    {"json-pointer", &once<&json_pointer>},
    {"relative-json-pointer", &once<&relative_json_pointer>},
}};

constexpr std::string_view kRegex = "regex";
constexpr auto kNames = [] {
  std::array<std::string_view, kEntries.size() + 1> names;
  for (size_t i = 0; i < kEntries.size(); ++i) names[i] = kEntries[i].name;
  names.back() = kRegex;
  return names;
}();

}  // namespace

std::span<const std::string_view> format_names() { return kNames; }

std::optional<Format> format_language(std::string_view name) {
  if (name == kRegex) return Format{nullptr, "regular expressions nest parentheses to any depth"};
  for (const Entry& entry : kEntries) {
    if (entry.name == name) return Format{&entry.language(), {}};
  }
  return std::nullopt;
}

}  // namespace xg2lab::json_schema
