// The names of the ways.
#include "mask/plan/plan.h"

namespace xg2lab {

const char* mask_way_name(MaskWay way) {
  switch (way) {
    case MaskWay::kWasKnown: return "known";
    case MaskWay::kEntries: return "entries";
    case MaskWay::kEntriesAndRun: return "entries_and_run";
    case MaskWay::kWalk: return "walk";
    case MaskWay::kSharedWalks: return "shared_walks";
  }
  return "";
}

}  // namespace xg2lab
