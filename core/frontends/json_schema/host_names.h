// Host names and mail addresses: languages with lengths, counted out by hand.
//
// Tests: tests/core/test_formats.py
//
// IDEA
//   A label has at most 63 characters and a name 253. To know both at once takes 16,000 states. So labels have a limit each, by
//   their place, that add up to less than 253: 63, 63, 32, 16, 16, 16, 8, 8, 8, 8. A state is a place and a length.
//
//   www.example.com                  in
//   one label of 63, then com        in
//   a.b.c and a label of 17          not in, though it is a name
//
// LABELS
//   hostname        letters, digits, hyphens, none of those at an end (RFC 1123). Hyphens at places 3 and 4 are for xn--, whose
//                   rest would have to be decoded: such labels are not in.
//   idn-hostname    these, and labels of small Latin, Greek, Cyrillic letters, Hangul, kana, Han (written from left to right and equal to
//                   their normal form), with digits, small ASCII letters and hyphens, if 6 characters for each
//                   that is not ASCII are sure to be enough for the label's written-out form. Separators also U+3002, U+FF0E, U+FF61.
//   email           RFC 5321's Mailbox: 64 octets, @, a name with any hyphens between the ends of labels, or [an address]
//   idn-email       RFC 6531's: any character beyond ASCII before the @; behind it labels as in idn-hostname
//
// COST      see docs/design/0019
#pragma once

#include "automata/code_point_dfa.h"

namespace xg2lab::json_schema {

CodePointDfa host_name();
CodePointDfa internationalized_host_name();
// `address_literal`: what may stand in brackets.
CodePointDfa mail_address(const CodePointDfa& address_literal);
CodePointDfa internationalized_mail_address(const CodePointDfa& address_literal);

}  // namespace xg2lab::json_schema
