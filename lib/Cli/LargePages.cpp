// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Large pages for large blocks.

#include "LargePages.h"
#include "llvm/Support/Compiler.h"
#include "llvm/Support/ErrorHandling.h"
#include <cstdlib>
#include <new>
#include <sys/mman.h>

static constexpr size_t LargePage = 2 << 20;
static bool Enabled = false;

void memkit::useLargePages() { Enabled = true; }

// Sanitizers check with an operator new of their own.
#if !LLVM_ADDRESS_SANITIZER_BUILD && !LLVM_THREAD_SANITIZER_BUILD

/// Null when there is no memory. free() takes it back.
static void *allocate(size_t Size) {
  if (!Enabled || Size < LargePage)
    return malloc(Size ? Size : 1);
  void *P = aligned_alloc(LargePage, Size);
  // Advice: without it the pages are small. What is behind the last whole page
  // stays small, so that no block costs more than it holds.
  if (P)
    (void)madvise(P, Size / LargePage * LargePage, MADV_HUGEPAGE);
  return P;
}

void *operator new(size_t Size) {
  for (;;) {
    if (void *P = allocate(Size))
      return P;
    std::new_handler Handler = std::get_new_handler();
    if (!Handler)
      llvm::report_bad_alloc_error("out of memory");
    Handler();
  }
}
void *operator new(size_t Size, const std::nothrow_t &) noexcept {
  return allocate(Size);
}
void *operator new[](size_t Size) { return operator new(Size); }
void *operator new[](size_t Size, const std::nothrow_t &) noexcept {
  return allocate(Size);
}
void operator delete(void *P) noexcept { free(P); }
void operator delete[](void *P) noexcept { free(P); }
void operator delete(void *P, size_t) noexcept { free(P); }
void operator delete[](void *P, size_t) noexcept { free(P); }
void operator delete(void *P, const std::nothrow_t &) noexcept { free(P); }
void operator delete[](void *P, const std::nothrow_t &) noexcept { free(P); }

#endif
