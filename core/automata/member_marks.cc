// Read: kMarks, then both directions.
#include "automata/member_marks.h"

namespace xg2lab {
namespace {

constexpr std::string_view kMarks = "?!*+";  // index: bit 0 is_required, bit 1 may_repeat
constexpr char kOrderedMark = '>';

}  // namespace

std::string member_marks(const AnyOrderBounds& bounds) {
  std::string marks;
  if (bounds.is_ordered) marks += kOrderedMark;
  for (const MemberBounds member : bounds.members)
    marks += kMarks[(member.is_required ? 1 : 0) + (member.may_repeat ? 2 : 0)];
  return marks;
}

bool read_member_marks(std::string_view marks, AnyOrderBounds& bounds) {
  bounds.is_ordered = marks.starts_with(kOrderedMark);
  if (bounds.is_ordered) marks.remove_prefix(1);
  for (const char mark : marks) {
    const size_t at = kMarks.find(mark);
    if (at == std::string_view::npos) return false;
    bounds.members.push_back({(at & 1) != 0, (at & 2) != 0});
  }
  return true;
}

}  // namespace xg2lab
