// XG2LAB_CLONES before a function: the compiler makes one clone for each level of x86-64, and the
// loader chooses the widest that the machine supports. Clones need GCC and glibc's ifuncs;
// sanitizers start before ifuncs can be resolved. On other platforms the macro is empty.
#pragma once

#include <cstddef>  // __GLIBC__

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__GLIBC__) && \
    !defined(XG2LAB_SANITIZED)
#define XG2LAB_CLONES __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define XG2LAB_CLONES
#endif
