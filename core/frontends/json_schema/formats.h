// What the standard's `format` names say of a string, as regular languages.
//
// Tests: tests/core/test_formats.py
//
// IDEA
//   Each name stands for a grammar in some RFC, and all but one of these grammars are regular: the calendar too, with its leap years, and
//   addresses with everything that may be left out. Most are patterns of our own engine (frontends/regex/), put together as the
//   RFCs do; host names are counted out by hand (host_names.h).
//
// LANGUAGES
//   Never a text that the standard refuses. All that it allows, but for these:
//     date-time, time       a leap second where the offset is whole or half hours (that is UTC's 23:59:60; others take 12,000 states)
//     hostname, idn-hostname, and what stands behind @ in email, idn-email
//                           see host_names.h: 253 characters in labels of 63 can't be told with few states, nor xn-- be decoded
//     uri-template          no operators that the RFC reserves for later
//     relative-json-pointer no "+1" or "-1" behind the first number, which only the newest draft has
//   regex is not regular: parentheses are counted.
//
// COST      each is made when it is first asked for, once a process: docs/design/0019 lists times and sizes.
// THREADS   any; what is returned lives to the end of the process.
// NOT HERE  names that are no standard's: annotations, for which there is no language.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "automata/code_point_dfa.h"

namespace xg2lab::json_schema {

struct Format {
  const CodePointDfa* language = nullptr;  // null: it is not regular
  std::string_view why_not;                // then: what is not
};

// Nothing: an unknown name.
std::optional<Format> format_language(std::string_view name);
std::span<const std::string_view> format_names();

}  // namespace xg2lab::json_schema
