// Host names and mail addresses: languages with lengths, counted out by hand.
//
// Tests: tests/core/test_formats.py (they are the languages of their patterns in format_patterns.cc)
//
// IDEA
//   A label has at most 63 characters and a name 253. To know both at once takes 16,000 states. So labels have a limit each, by
//   their place, that add up to less than 253: 63, 63, 32, 16, 16, 16, 8, 8, 8, 8. A state is a place and a length.
//
//   www.example.com                  in
//   one label of 63, then com        in
//   a.b.c and a label of 33          not in, though it is a name
//
// LABELS
//   hostname        letters, digits, hyphens, none of those at an end (RFC 1123). Hyphens at places 3 and 4 are for xn--, whose
//                   rest would have to be decoded: such labels are not in.
//   idn-hostname    these, and among the first labels such with small Latin, Greek, Cyrillic letters, Hangul, kana, Han
//                   (written from left to right and equal to their normal form), digits, small ASCII letters and
//                   hyphens, as long as 6 characters for each that is not ASCII (and 6 more) keep the written-out form
//                   below the limit. Separators also U+3002, U+FF0E, U+FF61.
//   email           RFC 5321's Mailbox: 64 octets, @, a name with any hyphens between the ends of labels, or [an address]
//   idn-email       RFC 6531's: any character beyond ASCII before the @, where as many of the longest there are make 64 octets;
//                   behind it labels as in idn-hostname
//
// COST      see docs/design/0019
#pragma once

#include <array>

#include "automata/code_point_dfa.h"

namespace xg2lab::formats {

// ---- Limits, by the place of a label. With a dot each, labels and prefixes are at most 247 ----
constexpr std::array<uint32_t, 10> kMostInLabel{63, 63, 32, 16, 16, 16, 8, 8, 8, 8};

// A label with letters beyond ASCII: so many characters of any kind, or so many if only few are beyond ASCII.
struct ForeignLimits {
  uint32_t n_any;
  uint32_t n_mixed;
  uint32_t n_foreign;  // in a mixed one
};
constexpr std::array<ForeignLimits, 3> kForeignLimits{{{9, 39, 3}, {9, 39, 3}, {4, 14, 2}}};
CodePointSet letters_beyond_ascii();

// Octets before the @, as characters that take at most 1, 2, 3, 4.
constexpr std::array<uint32_t, 4> kMostInLocalPart{64, 32, 21, 16};

// ---- Languages ----
CodePointDfa host_name();
CodePointDfa internationalized_host_name();
// `address_literal`: what may stand behind the @ instead of a name; it begins with a bracket.
CodePointDfa mail_address(const CodePointDfa& address_literal);
CodePointDfa internationalized_mail_address(const CodePointDfa& address_literal);

// ---- For languages that are joined by a mark ----
// a, one of `marks`, b. No text of a goes on with a mark.
CodePointDfa join(const CodePointDfa& a, const CodePointSet& marks, const CodePointDfa& b);

}  // namespace xg2lab::formats
