//===- HostHeaps.cpp - The heaps of the host that are recorded --*- C++ -*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostHeaps.h"
#include "memkit/Wire/Layout.h"
#include "llvm/Support/GlobPattern.h"

using namespace llvm;
using namespace memkit;

/// By HostHeap.
static constexpr KnownHeap KnownHeaps[NumHostHeaps] = {
    {"host.malloc", HF_None},
    {"host.mmap", HF_None},
    {"host.reserved", HF_OutsideTotals},
    {"host.file", HF_OutsideTotals},
    {"host.device", HF_OutsideTotals},
    {"host.stack", HF_OutsideTotals},
    {"host.brk", HF_None}};

const KnownHeap &memkit::knownHeap(HostHeap H) {
  return KnownHeaps[unsigned(H)];
}

static Error nothingMatches(StringRef Glob) {
  std::string Text = ("no heap matches '" + Glob + "'; heaps: ").str();
  for (const KnownHeap &H : KnownHeaps)
    Text += std::string(&H == KnownHeaps ? "" : ", ") + H.Name;
  return createStringError(inconvertibleErrorCode(), Text);
}

Expected<HeapChoice> HeapChoice::create(ArrayRef<std::string> Globs,
                                        uint64_t MinSize) {
  HeapChoice C;
  C.MinSize = MinSize;
  if (!Globs.empty())
    C.Bits = 0;
  for (const std::string &Text : Globs) {
    Expected<GlobPattern> Glob = GlobPattern::create(Text);
    if (!Glob)
      return Glob.takeError();
    uint32_t Before = C.Bits, Hits = 0;
    for (unsigned H = 0; H != NumHostHeaps; ++H)
      Hits |= uint32_t(Glob->match(KnownHeaps[H].Name)) << H;
    if (!Hits)
      return nothingMatches(Text);
    C.Bits = Before | Hits;
  }
  return C;
}

uint32_t HeapChoice::wireBits() const {
  constexpr uint32_t Malloc = 1u << unsigned(HostHeap::Malloc);
  constexpr uint32_t Stack = 1u << unsigned(HostHeap::Stack);
  return (Bits & Malloc ? wire::HB_Malloc : 0u) |
         (Bits & Stack ? wire::HB_Stacks : 0u) |
         (Bits & ~(Malloc | Stack) ? wire::HB_Maps : 0u);
}
