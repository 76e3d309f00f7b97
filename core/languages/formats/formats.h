// What the standard's `format` names say of a string, as regular languages.
//
// Tests: tests/core/test_formats.py
//
// IDEA
//   Each name stands for a grammar in some RFC, and all but one of these grammars are regular: the calendar too, with its
//   leap years, and addresses with everything that may be left out. Each is a pattern of our own engine (format_patterns.h),
//   put together as the RFCs do. Where another construction is faster, the machine is made by that, and a test holds it to
//   the pattern.
//
// EXAMPLE   date: "2024-02-29" is in, "2023-02-29" is not
//
// LANGUAGES
//   Never a text that the standard refuses. All that it allows, but for these:
//     date-time, time       leap seconds (UTC's 23:59:60) at offsets other than whole and half hours
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
// A pattern (languages/regex/) that matches the same as a whole, with no group around it; empty unless the kind is kRegular.
std::string_view format_pattern(std::string_view name);
// The same as the inside of a JSON string, with every escape: made once, so no schema pays for it again. Its words are a
// Regex of the pattern.
std::shared_ptr<const Machine> format_machine(std::string_view name);
// The machine of the format that has this pattern; null: none has. So a printed grammar reads back as fast as it was made.
std::shared_ptr<const Machine> format_machine_of_pattern(std::string_view pattern);
// What the format leaves out of what the standard allows; empty: nothing.
std::string_view format_left_out(std::string_view name);
std::span<const std::string_view> format_names();

}  // namespace xg2lab
