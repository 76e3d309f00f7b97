// The operators in all forms that the standard lists: plain, array, aligned, and nothrow.
#include "support/counted_memory.h"

#include "support/budget.h"

#if !defined(XG2LAB_SANITIZED) && (defined(__GLIBC__) || defined(__APPLE__))
#define XG2LAB_COUNTS_BYTES 1
#endif

#if defined(XG2LAB_COUNTS_BYTES)

#include <cstdlib>
#include <new>

#if defined(__APPLE__)
#include <malloc/malloc.h>
#else
#include <malloc.h>
#endif

namespace xg2lab {
namespace {

#if defined(__GLIBC__)
// malloc adds a header of one word and rounds up to a multiple of two words.
constexpr size_t kHeader = sizeof(size_t);
constexpr size_t kGrain = 2 * sizeof(size_t);
int64_t bytes_of(size_t size) {
  return static_cast<int64_t>(
      size <= kGrain + kHeader ? 2 * kGrain : (size + kHeader + kGrain - 1) & ~(kGrain - 1));
}
int64_t bytes_at(void* block) { return static_cast<int64_t>(malloc_usable_size(block) + kHeader); }
#else
int64_t bytes_of(size_t size) { return static_cast<int64_t>((size + 15) & ~size_t{15}); }
int64_t bytes_at(void* block) { return static_cast<int64_t>(malloc_size(block)); }
#endif

void* counted(void* block, int64_t n_bytes) {
  if (block != nullptr) [[likely]]
    thread_work.n_bytes += n_bytes;
  return block;
}

void* take_or_null(size_t size) {
  return counted(std::malloc(size == 0 ? 1 : size), bytes_of(size));
}

// Aligned blocks are rare, so their size is queried.
void* take_aligned_or_null(size_t size, size_t alignment) {
  void* block = nullptr;
  if (alignment < sizeof(void*)) alignment = sizeof(void*);
  if (posix_memalign(&block, alignment, size) != 0) return nullptr;
  return counted(block, bytes_at(block));
}

template <class Take>
void* take(size_t size, const Take& or_null) {
  const int64_t n_bytes = bytes_of(size);
  if (n_bytes < 0 || thread_work.n_bytes > thread_work.most_bytes - n_bytes) [[unlikely]]
    allow_bytes(n_bytes < 0 ? std::numeric_limits<int64_t>::max() / 4 : n_bytes);
  while (true) {
    if (void* block = or_null()) [[likely]]
      return block;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}

void give_back(void* block, size_t size) {
  if (block == nullptr) return;
  thread_work.n_bytes -= bytes_of(size);
  std::free(block);
}

void give_back(void* block) {
  if (block == nullptr) return;
  thread_work.n_bytes -= bytes_at(block);
  std::free(block);
}

}  // namespace

bool counts_bytes() { return true; }

}  // namespace xg2lab

using namespace xg2lab;

void* operator new(size_t size) {
  return take(size, [size] { return take_or_null(size); });
}
void* operator new[](size_t size) {
  return take(size, [size] { return take_or_null(size); });
}
void* operator new(size_t size, const std::nothrow_t&) noexcept { return take_or_null(size); }
void* operator new[](size_t size, const std::nothrow_t&) noexcept { return take_or_null(size); }
void* operator new(size_t size, std::align_val_t alignment) {
  return take(size, [=] { return take_aligned_or_null(size, static_cast<size_t>(alignment)); });
}
void* operator new[](size_t size, std::align_val_t alignment) {
  return take(size, [=] { return take_aligned_or_null(size, static_cast<size_t>(alignment)); });
}
void* operator new(size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return take_aligned_or_null(size, static_cast<size_t>(alignment));
}
void* operator new[](size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return take_aligned_or_null(size, static_cast<size_t>(alignment));
}

void operator delete(void* block) noexcept { give_back(block); }
void operator delete[](void* block) noexcept { give_back(block); }
void operator delete(void* block, size_t size) noexcept { give_back(block, size); }
void operator delete[](void* block, size_t size) noexcept { give_back(block, size); }
void operator delete(void* block, const std::nothrow_t&) noexcept { give_back(block); }
void operator delete[](void* block, const std::nothrow_t&) noexcept { give_back(block); }
void operator delete(void* block, std::align_val_t) noexcept { give_back(block); }
void operator delete[](void* block, std::align_val_t) noexcept { give_back(block); }
void operator delete(void* block, size_t, std::align_val_t) noexcept { give_back(block); }
void operator delete[](void* block, size_t, std::align_val_t) noexcept { give_back(block); }
void operator delete(void* block, std::align_val_t, const std::nothrow_t&) noexcept {
  give_back(block);
}
void operator delete[](void* block, std::align_val_t, const std::nothrow_t&) noexcept {
  give_back(block);
}

#else

namespace xg2lab {
bool counts_bytes() { return false; }
}  // namespace xg2lab

#endif
