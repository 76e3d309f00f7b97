// Read: one RFC after the other. Letter case is written out where it doesn't matter.
#include "languages/formats/format_patterns.h"

#include <array>
#include <cstdio>

#include "languages/formats/host_names.h"
#include "support/text.h"

namespace xg2lab::formats::patterns {
namespace {

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

// A leap second: 23:59:60 in UTC, written at an offset of whole or half hours.
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

// ---- RFC 3986, 3987: addresses, URIs, IRIs ----

const Text kOctet = "(?:\\d|[1-9]\\d|1\\d\\d|2[0-4]\\d|25[0-5])";
const Text kGroup = "[0-9A-Fa-f]{1,4}";
const Text kIpv4 = "(?:" + kOctet + "(?:\\." + kOctet + "){3})";

// At most n groups after ::; an IPv4 address counts as two.
Text after_gap(int n) {
  if (n == 0) return "";
  if (n == 1) return group(kGroup) + "?";
  const Text groups = concat(kGroup, "(?::", kGroup, "){0,", n - 1, "}");
  const Text before = n == 2 ? "" : concat("(?:", kGroup, ":){0,", n - 2, "}");
  return group(groups + "|" + before + kIpv4) + "?";
}

// n groups, or fewer with a gap in place of the others; at the beginning a gap is two colons,
// elsewhere one more colon.
Text groups_left(int n, bool is_first) {
  const Text gap = (is_first ? "::" : ":") + after_gap(n - 1);
  const Text ends = n == 2 ? group(kGroup + ":" + group(kGroup + "|:") + "|" + kIpv4) : "";
  const Text more = n == 1 ? kGroup : n == 2 ? ends : kGroup + ":" + groups_left(n - 1, false);
  return group(gap + "|" + more);
}

const Text& ipv6_address() {
  static const Text pattern = groups_left(8, true);
  return pattern;
}

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

// A URI by its parts; `further` are the additional characters of IRIs, `more` those of their
// queries.
struct Reference {
  Text segments_after;  // *( "/" segment )
  Text scheme = "[A-Za-z][-A-Za-z0-9+.]*:";
  Text hierarchy;  // of a URI: after the scheme
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

// ---- RFC 1123, 5890: host names. The limits are those of host_names.h ----

const Text kLetter = "[A-Za-z0-9]";
const Text kDots = ".\\u3002\\uFF0E\\uFF61";

Text up_to(uint32_t n) { return concat("{0,", n, "}"); }

// At most n characters of `letter` and hyphens; no hyphen at either end or at positions 3 and 4.
Text label(const Text& letter, uint32_t n) {
  const Text any = "[-" + letter.substr(1);
  return letter + "(?:" + any + "{0,2}" + letter + "|" + any + "(?:" + letter + any + "|-" +
         letter + ")" + any + up_to(n - 5) + letter + ")?";
}

// A label at this position and, optionally, a dot and the labels of further positions.
template <class Label>
Text names_from(size_t index, const Text& dot, Label label_at) {
  const Text more = index + 1 < kMostInLabel.size()
                        ? "(?:" + dot + names_from(index + 1, dot, label_at) + ")?"
                        : "";
  return group(label_at(index)) + more;
}

Text host_name() {
  return names_from(0, "\\.", [](size_t index) { return label(kLetter, kMostInLabel[index]); });
}

Text mail_domain() {
  return names_from(0, "\\.", [](size_t index) {
    return kLetter + "(?:[-A-Za-z0-9]" + up_to(kMostInLabel[index] - 2) + kLetter + ")?";
  });
}

const Text& foreign_letters() {
  static const Text letters = [] {
    Text all;
    for (const CodePointRange& range : letters_beyond_ascii()) {
      std::array<char, 32> written{};
      std::snprintf(written.data(), written.size(), "\\u{%X}-\\u{%X}", range.lo, range.hi);
      all += written.data();
    }
    return all;
  }();
  return letters;
}

Text international_label(size_t index) {
  const Text ascii = label(kLetter, kMostInLabel[index]);
  if (index >= kForeignLimits.size()) return ascii;
  const ForeignLimits limits = kForeignLimits[index];
  const Text foreign = "[" + foreign_letters() + "]";
  const Text letter = "[a-z0-9" + foreign_letters() + "]";
  const Text end = "(?:[" + kDots + "]|$)";
  const Text is_short = concat("(?=[^", kDots, "]{1,", limits.n_any, "}", end, ")");
  const Text is_mixed =
      concat("(?=[^", kDots, "]{1,", limits.n_mixed, "}", end, ")(?=[-a-z0-9]*(?:", foreign,
             "[-a-z0-9]*)", up_to(limits.n_foreign), end, ")");
  return ascii + "|" + group(is_short + "|" + is_mixed) + label(letter, kMostInLabel[index]);
}

Text international_host_name() { return names_from(0, "[" + kDots + "]", &international_label); }

// ---- RFC 5321, 6531: mail ----

Text local_part(const Text& further) {
  const Text atom = "[-A-Za-z0-9!#$%&'*+/=?^_`{|}~" + further + "]+";
  const Text quoted = "\"(?:[ !#-\\[\\]-~" + further + "]|\\\\[ -~])*\"";
  return group(atom + "(?:\\." + atom + ")*|" + quoted);
}

Text read_so_far(const Text& characters, uint32_t n) {
  return concat("(?<=^[", characters, "]{1,", n, "})");
}

}  // namespace

// ---- The formats ----

Text date() { return full_date(); }
Text time() { return full_time(); }
Text date_time() { return full_date() + "[tT]" + full_time(); }
Text duration() {
  const Text seconds = "\\d+S";
  const Text minutes = "\\d+M(?:" + seconds + ")?";
  const Text hours = "\\d+H(?:" + minutes + ")?";
  const Text time = "T" + group(hours + "|" + minutes + "|" + seconds);
  const Text days = "\\d+D";
  const Text months = "\\d+M(?:" + days + ")?";
  const Text years = "\\d+Y(?:" + months + ")?";
  return ("P(?:" + group(days + "|" + months + "|" + years) + group(time) + "?|" + time +
          "|\\d+W)");
}

Text uuid() { return "[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"; }

Text ipv4() { return kIpv4; }
Text ipv6() { return ipv6_address(); }
Text hostname() { return host_name(); }
Text idn_hostname() { return international_host_name(); }

Text address_literal() { return "\\[(?:" + kIpv4 + "|[iI][pP][vV]6:" + ipv6_address() + ")\\]"; }
Text email() {
  return local_part("") + read_so_far("\\0-\\x7F", kMostInLocalPart[0]) + "@(?:" + mail_domain() +
         "|" + address_literal() + ")";
}
Text idn_email() {
  constexpr std::array<const char*, 4> kUpTo{"\\0-\\x7F", "\\0-\\u07FF", "\\0-\\uFFFF",
                                             "\\0-\\u{10FFFF}"};
  Text octets;
  for (size_t i = 0; i < kUpTo.size(); ++i) {
    octets += (i == 0 ? "" : "|") + read_so_far(kUpTo[i], kMostInLocalPart[i]);
  }
  return local_part("\\x80-\\u{10FFFF}") + group(octets) + "@(?:" + international_host_name() +
         "|" + address_literal() + ")";
}

Text uri() { return Reference("", "").with_scheme(); }
Text uri_reference() { return Reference("", "").any(); }
Text iri() { return Reference(kFurther, kPrivate).with_scheme(); }
Text iri_reference() { return Reference(kFurther, kPrivate).any(); }

// RFC 6570
Text uri_template() {
  const Text literal = "[!#$&-;=?-\\[\\]_a-z~" + kFurther + kPrivate + "]";
  const Text character = "(?:[A-Za-z0-9_]|" + kEncoded + ")";
  const Text name = character + "(?:\\.?" + character + ")*";
  const Text variable = name + "(?::[1-9]\\d{0,3}|\\*)?";
  const Text expression = "\\{[+#./;?&]?" + variable + "(?:," + variable + ")*\\}";
  return "(?:" + literal + "|" + kEncoded + "|" + expression + ")*";
}

// RFC 6901
Text json_pointer() { return "(?:/(?:[^/~]|~[01])*)*"; }
Text relative_json_pointer() { return "(?:0|[1-9]\\d*)(?:#|" + json_pointer() + ")"; }

}  // namespace xg2lab::formats::patterns
