// Host names and mail addresses: languages with limits on length, built by hand.
//
// Tests: tests/core/test_formats.py (they equal the languages of their patterns in
// format_patterns.cc)
//
// IDEA
//   A label has at most 63 characters and a name at most 253. Tracking both lengths would take
//   16,000 states. So the label at each position has a limit of its own, and the limits add up to
//   less than 253: 63, 63, 32, 16, 16, 16, 8, 8, 8, 8. A state is a position and a length.
//
//   www.example.com                  accepted
//   one label of 63, then com        accepted
//   a.b.c and a label of 33          rejected, although it is a valid name
//
// LABELS
//   hostname        letters, digits, and hyphens that are not at an end (RFC 1123). Labels with
//                   hyphens at positions 3 and 4 are rejected: they are for xn--, whose rest would
//                   have to be decoded.
//   idn-hostname    these labels, and among the first labels also labels with small Latin, Greek
//                   and Cyrillic letters, Hangul, kana and Han (written left to right and equal to
//                   their normal form), digits, small ASCII letters and hyphens. Their limits keep
//                   the encoded form valid if a character beyond ASCII takes at most 6 characters
//                   there (and 6 more for the label). Separators also U+3002, U+FF0E, U+FF61.
//   email           RFC 5321's Mailbox: 64 octets, @, then a name in which labels may have hyphens
//                   anywhere but at their ends, or [an address]
//   idn-email       RFC 6531's: before the @ any character beyond ASCII, but no more characters
//                   than fit into 64 octets if each were as long as the longest of them; after the
//                   @ labels as in idn-hostname
//
// COST      see docs/design/0019
#pragma once

#include <array>

#include "automata/code_point_dfa.h"

namespace xg2lab::formats {

// ---- Limits ----
// The limit of a label by its position. With a dot for each, the labels before the last, which are
// prefixes of a name, have at most 247 characters.
constexpr std::array<uint32_t, 10> kMostInLabel{63, 63, 32, 16, 16, 16, 8, 8, 8, 8};

// Limits for a label with letters beyond ASCII: n_any characters of any kind, or n_mixed characters
// of which at most n_foreign are beyond ASCII.
struct ForeignLimits {
  uint32_t n_any;
  uint32_t n_mixed;
  uint32_t n_foreign;  // in a label of up to n_mixed characters
};
constexpr std::array<ForeignLimits, 3> kForeignLimits{{{9, 39, 3}, {9, 39, 3}, {4, 14, 2}}};
CodePointSet letters_beyond_ascii();

// The most characters before the @ if the longest takes 1, 2, 3 or 4 octets.
constexpr std::array<uint32_t, 4> kMostInLocalPart{64, 32, 21, 16};

// ---- Languages ----
CodePointDfa host_name();
CodePointDfa internationalized_host_name();
// `address_literal`: the alternative to a name after the @; it begins with a bracket.
CodePointDfa mail_address(const CodePointDfa& address_literal);
CodePointDfa internationalized_mail_address(const CodePointDfa& address_literal);

// ---- For languages joined by a mark ----
// The concatenation of a, one of `marks`, and b. No text of `a` may be continued by a mark.
CodePointDfa join(const CodePointDfa& a, const CodePointSet& marks, const CodePointDfa& b);

}  // namespace xg2lab::formats
