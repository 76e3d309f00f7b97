// Counts the memory that each thread allocates, in operator new and delete of this module.
//
// Tests: tests/core/test_limits.py
//
// IDEA
//   The operators are the C library's malloc and free, with a count in thread_work.n_bytes. Other
//   libraries don't see them: the linker keeps them inside the module (core/bind/exports.map).
//   Memory that the standard library's own code allocates by its operators is not counted; our
//   operators may free it, since both use malloc and free.
//
//   A block counts with the size that malloc rounds to, computed without a call: delete receives
//   the size in nearly all cases, and queries the C library otherwise. Memory that another thread
//   frees is subtracted from that thread's count: the counts measure the growth during a call, not
//   the memory that a thread owns.
//
//   Sanitizers bring operators of their own; then memory is not counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace xg2lab {

// Called by operator new when a thread's total would exceed thread_work.most_bytes; throws if it
// exceeds the budget by far.
void allow_bytes(int64_t n_bytes);
// For work outside the engine that will allocate about `n_bytes`: throws if this exceeds the terms
// of this thread, or the usual limits.
void check_bytes(std::string_view doing, size_t n_bytes);
// Whether memory is counted in this build.
bool counts_bytes();

}  // namespace xg2lab
