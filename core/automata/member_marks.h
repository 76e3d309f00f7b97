// The bounds of any-order members as a text, for serialization: a mark for each member.
//
// EXAMPLE
//   AnyOrder(a, b?, c*)   ->   "!?*"     required; optional; any number of times. Required and
//                                        repeatable is "+".
//   members in a fixed order begin with ">"
#pragma once

#include <string>
#include <string_view>

#include "automata/member_sets.h"

namespace xg2lab {

std::string member_marks(const AnyOrderBounds& bounds);
// Sets `members` and `is_ordered`. Returns false for a text with another mark.
bool read_member_marks(std::string_view marks, AnyOrderBounds& bounds);

}  // namespace xg2lab
