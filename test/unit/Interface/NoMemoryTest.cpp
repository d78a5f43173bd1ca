// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first, second, ... allocation fails: nothing is used that is not there,
// nothing is freed twice. test/interface/no-memory.c does the same to the
// library as it is installed; this test is for the address sanitizer.

#include "Inputs/ask-all.h"
#include "TextFd.h"
#include "llvm/Support/MemoryBuffer.h"
#include <atomic>
#include <gtest/gtest.h>
#include <new>

using namespace llvm;

/// The number of allocations before those that fail; below 0: none fails.
static std::atomic<long> Left = -1;
static std::atomic<long> Failures, MostFailures;

static bool fails() {
  if (Left.load() < 0 || Left.fetch_sub(1) > 0)
    return false;
  if (Failures.fetch_add(1) >= MostFailures)
    return false;
  Left = 0; // the next fails, too, up to MostFailures
  return true;
}

extern "C" {
// The linker gives these in place of the functions (--wrap).
void *__real_malloc(size_t Size);
void *__real_calloc(size_t Count, size_t Size);
void *__real_realloc(void *At, size_t Size);
void *__wrap_malloc(size_t Size) {
  return fails() ? nullptr : __real_malloc(Size);
}
void *__wrap_calloc(size_t Count, size_t Size) {
  return fails() ? nullptr : __real_calloc(Count, Size);
}
void *__wrap_realloc(void *At, size_t Size) {
  return fails() ? nullptr : __real_realloc(At, Size);
}
}

// Not seen to be malloc(), which GCC would want freed by free() in sight.
static void *(*volatile RealMalloc)(size_t) = __real_malloc;

void *operator new(size_t Size) {
  if (!fails())
    if (void *Got = RealMalloc(std::max<size_t>(Size, 1)))
      return Got;
  throw std::bad_alloc();
}
void *operator new[](size_t Size) { return operator new(Size); }
void *operator new(size_t Size, std::align_val_t Alignment) {
  if (!fails())
    if (void *Got = aligned_alloc(size_t(Alignment),
                                  (Size + size_t(Alignment)) /
                                      size_t(Alignment) * size_t(Alignment)))
      return Got;
  throw std::bad_alloc();
}
void *operator new(size_t Size, const std::nothrow_t &) noexcept {
  return fails() ? nullptr : __real_malloc(std::max<size_t>(Size, 1));
}
void operator delete(void *At) noexcept { free(At); }
void operator delete[](void *At) noexcept { free(At); }
void operator delete(void *At, size_t) noexcept { free(At); }
void operator delete[](void *At, size_t) noexcept { free(At); }
void operator delete(void *At, std::align_val_t) noexcept { free(At); }
void operator delete(void *At, size_t, std::align_val_t) noexcept { free(At); }
void operator delete(void *At, const std::nothrow_t &) noexcept { free(At); }

namespace {

/// Asks everything while the allocations from the N-th on fail, at most Most.
/// Whether any failed.
bool askWithout(StringRef Text, long N, long Most) {
  int Fd = textFd(Text);
  Failures = 0;
  MostFailures = Most;
  memkit_trace *T;
  Left = N;
  if (fine(memkit_trace_open_fd(Fd, "text", &T))) {
    askAll(T);
    memkit_trace_free(T);
  }
  Left = -1;
  return Failures != 0;
}

void failEach(const char *Name, long Most) {
  auto Text = MemoryBuffer::getFile(Twine(MEMKIT_TESTS_FOLDER) + "/" + Name);
  ASSERT_TRUE(bool(Text)) << Name;
  Errors = 0;
  askWithout((*Text)->getBuffer(), LONG_MAX, 0);
  const long Usual = Errors; // what the trace cannot answer
  // The first allocations one by one, the many others in larger and larger
  // steps.
  for (long N = 0; askWithout((*Text)->getBuffer(), N, Most); N += 1 + N / 20)
    ;
  EXPECT_GT(Errors, Usual);
  Errors = 0;
  askWithout((*Text)->getBuffer(), LONG_MAX, 0);
  EXPECT_EQ(Errors, Usual);
}

TEST(NoMemory, OneAllocationFails) {
  failEach("tools/memas/Inputs/example.mas", 1);
  failEach("tools/memleak/growth.mas", 1);
}

TEST(NoMemory, AllFurtherAllocationsFail) {
  failEach("tools/memas/Inputs/example.mas", LONG_MAX);
  failEach("tools/memview/page/Inputs/training.mas", LONG_MAX);
}

} // namespace
