// The formats of the standard as patterns, made of pieces that are named as the RFCs name them.
//
// Tests: tests/core/test_formats.py
//
// IDEA
//   A pattern is read by whoever prints a grammar, and by the engine that reads it back. So it is written to be determinized
//   cheaply: choices begin differently wherever that is possible.
//
// EXAMPLE   an IPv6 address is "a group, then :: and at most 6 more, or : and the rest", and not one of nine rows of groups
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
