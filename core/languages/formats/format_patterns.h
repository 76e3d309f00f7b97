// The standard's formats as patterns, composed of parts that are named as in the RFCs.
//
// Tests: tests/core/test_formats.py
//
// IDEA
//   These patterns are printed with a grammar and parsed again by the engine that reads it. So they
//   are written to be cheap to determinize: alternatives begin differently wherever possible.
//
// EXAMPLE   an IPv6 address is "a group, then :: and at most 6 more groups, or : and the rest",
//           instead of a choice of nine sequences of groups
#pragma once

#include <string>

namespace xg2lab::formats::patterns {

using Text = std::string;

Text date();
Text time();
Text date_time();
Text duration();
Text email();
Text idn_email();
Text hostname();
Text idn_hostname();
Text ipv4();
Text ipv6();
Text uri();
Text uri_reference();
Text iri();
Text iri_reference();
Text uuid();
Text uri_template();
Text json_pointer();
Text relative_json_pointer();

Text address_literal();  // RFC 5321: an address in brackets

}  // namespace xg2lab::formats::patterns
