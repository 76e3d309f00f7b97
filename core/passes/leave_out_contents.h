// Leaves out the contents of a structural tag that no text has needed yet.
//
// Tests: tests/structural_tag/test_contents_on_demand.py
//
// IDEA
//   A content is what follows the beginning of a tag, or its trigger (Grammar::contents). In the
//   result an absent content is a rule of its own that no pass inlines, and whose body is any one
//   character: the content matches something, and not the empty string, and so does its body here.
//   The rules that only absent contents use are gone.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "grammar/grammar.h"

namespace xg2lab::passes {

// The contents that match something and not the empty string: no pass that looks at what is around
// them depends on their rules.
std::vector<Content> contents_that_may_be_absent(const Grammar& grammar);

// The part of the grammar below `root`. `present`: indices into `contents`, ascending; the others
// are left out.
Grammar leave_out_contents(const Grammar& whole, RuleId root, std::span<const Content> contents,
                           std::span<const uint32_t> present);

}  // namespace xg2lab::passes
