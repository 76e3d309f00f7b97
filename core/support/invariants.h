// Whether invariants that take a pass over an object are asserted after the operations that change
// it: in debug and sanitizer builds alone.
//
// IDEA
//   A class with invariants has a check_invariants() that asserts each of them (XG2LAB_ASSERT names
//   its number). Tests call it at any time. The class itself calls it in a .cc file:
//
//     if constexpr (kChecksInvariants) check_invariants();
//
//   If the checks are in a file of their own, a release build does not even link them.
#pragma once

namespace xg2lab {

#if defined(XG2LAB_SANITIZED) || !defined(NDEBUG)
inline constexpr bool kChecksInvariants = true;
#else
inline constexpr bool kChecksInvariants = false;
#endif

}  // namespace xg2lab
