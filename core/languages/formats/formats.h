// The standard's `format` names, as regular languages.
//
// Tests: tests/core/test_formats.py
//
// IDEA
//   Each name denotes a grammar in some RFC, and all but one of these grammars are regular,
//   including the calendar with its leap years and addresses with all their optional parts. Each
//   format is a pattern of our own engine (format_patterns.h), composed as in the RFC. Where
//   another construction is faster, that construction makes the machine, and a test compares it
//   with the pattern.
//
// EXAMPLE   date: "2024-02-29" is accepted, "2023-02-29" is not
//
// LANGUAGES
//   No format accepts a text that the standard rejects. Each accepts all other texts, except:
//     date-time, time       leap seconds (23:59:60 in UTC) at offsets other than whole and half
//                           hours
//     hostname, idn-hostname, and the part after @ in email, idn-email
//                           see host_names.h: 253 characters in labels of 63 would take too many
//                           states, and xn-- can't be decoded
//     uri-template          operators that the RFC reserves for later
//     relative-json-pointer "+1" or "-1" after the first number, which only the newest draft has
//   regex is not regular, since parentheses nest.
//
// COST      the first use of a format makes its machine, which the process keeps:
//           docs/design/0019-numbers-and-formats.md lists times and sizes.
// THREADS   any; results live until the end of the process.
// NOT HERE  names outside the standard: they are annotations and denote no language.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "automata/code_point_dfa.h"
#include "automata/machine.h"

namespace xg2lab {

enum class FormatKind : uint8_t { kUnknown, kRegular, kNotRegular };

FormatKind format_kind(std::string_view name);
// Null unless the kind is kRegular.
std::shared_ptr<const CodePointDfa> format_language(std::string_view name);
// A pattern (languages/regex/) of the format that matches the whole text, without a group around
// it; empty unless the kind is kRegular.
std::string_view format_pattern(std::string_view name);
// The format as the content of a JSON string, with every escape; made once and shared by all
// schemas. Its words are a Regex of the pattern.
std::shared_ptr<const Machine> format_machine(std::string_view name);
// The machine of the format with this pattern, or null. So a printed grammar is read back as fast
// as it was made.
std::shared_ptr<const Machine> format_machine_of_pattern(std::string_view pattern);
// The texts of the standard's format that ours doesn't accept; empty: none.
std::string_view format_left_out(std::string_view name);
std::span<const std::string_view> format_names();

}  // namespace xg2lab
