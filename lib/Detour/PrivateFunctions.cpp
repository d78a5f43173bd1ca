// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of allocators that programs and libraries build into
// themselves.
//
// From mimalloc.h of mimalloc 1 to 3, jemalloc.h of jemalloc 4 and 5,
// rpmalloc.h of rpmalloc 1.4, and allocator.hpp of DuckDB 1 and 2. What only
// calls a function of the list is left out.

#include "PrivateFunctions.h"

using namespace memkit;
using namespace llvm;
using wire::DetourCall;
using wire::DetourTask;

static constexpr uint8_t No = DetourCall::None;
static constexpr DetourCall make(uint8_t Size, uint8_t Count = No) {
  return {DetourTask::Allocate, Size, Count, No};
}
static constexpr DetourCall makeText() {
  return {DetourTask::AllocateText, No, No, No};
}
static constexpr DetourCall makeTo(uint8_t Block, uint8_t Size) {
  return {DetourTask::AllocateTo, Size, No, Block};
}
static constexpr DetourCall resize(uint8_t Block, uint8_t Size,
                                   uint8_t Count = No) {
  return {DetourTask::Resize, Size, Count, Block};
}
static constexpr DetourCall end(uint8_t Block = 0) {
  return {DetourTask::Free, No, No, Block};
}

static constexpr PrivateFunction Mimalloc[] = {
    {"malloc", make(0)},
    {"zalloc", make(0)},
    {"calloc", make(1, 0)},
    {"mallocn", make(1, 0)},
    {"malloc_small", make(0)},
    {"zalloc_small", make(0)},
    {"realloc", resize(0, 1)},
    {"rezalloc", resize(0, 1)},
    {"reallocn", resize(0, 2, 1)},
    {"recalloc", resize(0, 2, 1)},
    {"malloc_aligned", make(0)},
    {"zalloc_aligned", make(0)},
    {"calloc_aligned", make(1, 0)},
    {"malloc_aligned_at", make(0)},
    {"zalloc_aligned_at", make(0)},
    {"calloc_aligned_at", make(1, 0)},
    {"realloc_aligned", resize(0, 1)},
    {"rezalloc_aligned", resize(0, 1)},
    {"recalloc_aligned", resize(0, 2, 1)},
    {"realloc_aligned_at", resize(0, 1)},
    {"rezalloc_aligned_at", resize(0, 1)},
    {"recalloc_aligned_at", resize(0, 2, 1)},
    {"posix_memalign", makeTo(0, 2)},
    {"memalign", make(1)},
    {"aligned_alloc", make(1)},
    {"valloc", make(0)},
    {"pvalloc", make(0)},
    {"new", make(0)},
    {"new_n", make(1, 0)},
    {"new_aligned", make(0)},
    {"new_nothrow", make(0)},
    {"new_aligned_nothrow", make(0)},
    {"new_realloc", resize(0, 1)},
    {"new_reallocn", resize(0, 2, 1)},
    {"heap_malloc", make(1)},
    {"heap_zalloc", make(1)},
    {"heap_calloc", make(2, 1)},
    {"heap_mallocn", make(2, 1)},
    {"heap_malloc_small", make(1)},
    {"heap_realloc", resize(1, 2)},
    {"heap_rezalloc", resize(1, 2)},
    {"heap_reallocn", resize(1, 3, 2)},
    {"heap_recalloc", resize(1, 3, 2)},
    {"heap_malloc_aligned", make(1)},
    {"heap_zalloc_aligned", make(1)},
    {"heap_calloc_aligned", make(2, 1)},
    {"heap_realloc_aligned", resize(1, 2)},
    {"heap_rezalloc_aligned", resize(1, 2)},
    {"strdup", makeText()},
    {"strndup", makeText()},
    {"mbsdup", makeText()},
    {"heap_strdup", makeText()},
    {"heap_strndup", makeText()},
    {"theap_malloc", make(1)},
    {"theap_malloc_small", make(1)},
    {"theap_malloc_aligned", make(1)},
    {"free", end()},
    {"cfree", end()},
    {"free_small", end()},
    {"free_size", end()},
    {"free_size_aligned", end()},
    {"free_aligned", end()},
};

/// Beside those of C.
static constexpr PrivateFunction Jemalloc[] = {
    {"mallocx", make(0)},
    {"rallocx", resize(0, 1)},
    {"xallocx", {DetourTask::ResizeInPlace, 1, No, 0}},
    {"dallocx", end()},
    {"sdallocx", end()},
};

static constexpr PrivateFunction Rpmalloc[] = {
    {"malloc", make(0)},
    {"zalloc", make(0)},
    {"calloc", make(1, 0)},
    {"realloc", resize(0, 1)},
    {"aligned_alloc", make(1)},
    {"aligned_zalloc", make(1)},
    {"aligned_calloc", make(2, 1)},
    {"aligned_realloc", resize(0, 2)},
    {"memalign", make(1)},
    {"posix_memalign", makeTo(0, 2)},
    {"free", end()},
};

/// Of duckdb::Allocator, into which the compiler builds jemalloc's functions.
static constexpr PrivateFunction Duckdb[] = {
    {"15DefaultAllocateEPNS_20PrivateAllocatorDataEm", make(1)},
    {"17DefaultReallocateEPNS_20PrivateAllocatorDataEPhmm", resize(1, 3)},
    {"11DefaultFreeEPNS_20PrivateAllocatorDataEPhm", end(1)},
};

static constexpr PrivateFunction OfC[] = {
    {"malloc", make(0)},
    {"calloc", make(1, 0)},
    {"realloc", resize(0, 1)},
    {"reallocarray", resize(0, 2, 1)},
    {"posix_memalign", makeTo(0, 2)},
    {"aligned_alloc", make(1)},
    {"memalign", make(1)},
    {"valloc", make(0)},
    {"pvalloc", make(0)},
    {"free", end()},
    {"cfree", end()},
    {"free_sized", end()},
    {"free_aligned_sized", end()},
    {"_Znwm", make(0)},
    {"_Znam", make(0)},
    {"_ZnwmRKSt9nothrow_t", make(0)},
    {"_ZnamRKSt9nothrow_t", make(0)},
    {"_ZnwmSt11align_val_t", make(0)},
    {"_ZnamSt11align_val_t", make(0)},
    {"_ZnwmSt11align_val_tRKSt9nothrow_t", make(0)},
    {"_ZnamSt11align_val_tRKSt9nothrow_t", make(0)},
    {"_ZdlPv", end()},
    {"_ZdaPv", end()},
    {"_ZdlPvm", end()},
    {"_ZdaPvm", end()},
    {"_ZdlPvRKSt9nothrow_t", end()},
    {"_ZdaPvRKSt9nothrow_t", end()},
    {"_ZdlPvSt11align_val_t", end()},
    {"_ZdaPvSt11align_val_t", end()},
    {"_ZdlPvmSt11align_val_t", end()},
    {"_ZdaPvmSt11align_val_t", end()},
    {"_ZdlPvSt11align_val_tRKSt9nothrow_t", end()},
    {"_ZdaPvSt11align_val_tRKSt9nothrow_t", end()},
};

ArrayRef<PrivateFunction> memkit::functionsOfC() { return OfC; }

ArrayRef<PrivateFunction> memkit::testFunctions() {
  static constexpr PrivateFunction All[] = {
      {"_ZN7testing8TestInfo3RunEv", {DetourTask::RunTest, No, No, 0}}};
  return All;
}

ArrayRef<PrivateAllocator> memkit::privateAllocators() {
  static constexpr PrivateAllocator All[] = {
      {"mimalloc", "mi_", "malloc_aligned", Mimalloc, false, true},
      {"jemalloc", "", "mallocx", Jemalloc, true},
      {"rpmalloc", "rp", "malloc", Rpmalloc},
      {"jemalloc", "_ZN6duckdb9Allocator", Duckdb[0].Name, Duckdb},
  };
  return All;
}

const PrivateAllocator *memkit::signedBy(StringRef Symbol, StringRef &Prefix) {
  for (const PrivateAllocator &A : privateAllocators()) {
    if (!Symbol.ends_with(A.Sign))
      continue;
    Prefix = Symbol.drop_back(A.Sign.size());
    if (A.Prefix.empty() ? !Prefix.empty() : Prefix == A.Prefix)
      return &A;
  }
  return nullptr;
}
