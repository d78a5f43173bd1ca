// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Allocates large blocks in large pages.

#include "LargePages.h"
#include "llvm/Support/Compiler.h"
#include "llvm/Support/ErrorHandling.h"
#include <cstdlib>
#include <new>
#include <sys/mman.h>

static constexpr size_t LargePage = 2 << 20;
static bool Enabled = false;

void memkit::useLargePages() { Enabled = true; }

// Sanitizers check with their own operator new.
#if !LLVM_ADDRESS_SANITIZER_BUILD && !LLVM_THREAD_SANITIZER_BUILD

/// Allocates for operator new; null if out of memory. Free with free().
static void *allocate(size_t Size) {
  if (!Enabled || Size < LargePage)
    return malloc(Size ? Size : 1);
  void *P = aligned_alloc(LargePage, Size);
  // madvise() is a hint; if it fails the pages are small. The rest after the
  // last whole large page stays in small pages, so no block takes more memory
  // than its size.
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
