// What a thread takes of memory, counted where it is taken: operator new and delete of this module.
//
// Tests: tests/core/test_limits.py
//
// IDEA
//   They are the C library's malloc and free with a count in thread_work.n_bytes. No other library
//   sees them: the linker keeps them in the module (core/bind/exports.map). What the standard
//   library's own code takes or gives back by its operators is not counted, and may be given back
//   by ours, for both are malloc and free.
//
//   A block counts with what malloc makes of its size, which is known without asking: delete is
//   told the size in nearly all places, and asks the C library in the others. Memory that another
//   thread gives back is counted in that thread: the counts say how a call grows, and not what a
//   thread owns.
//
//   A sanitizer brings operators of its own; then nothing is counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace xg2lab {

// For operator new, where a thread would have more than thread_work.most_bytes with so many:
// throws if that is far too many.
void allow_bytes(int64_t n_bytes);
// For work outside the engine that will take about so many: throws if that is beyond this thread's
// terms, or the usual ones.
void check_bytes(std::string_view doing, size_t n_bytes);
// Whether memory is counted in this build.
bool counts_bytes();

}  // namespace xg2lab
