// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Caches of Python's functools, by the functions of CPython in stacks.

#include "FunctoolsCaches.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

static bool hasFunction(ArrayRef<ShownFrame> Frames, StringRef Name) {
  return any_of(Frames,
                [&](const ShownFrame &F) { return F.Function == Name; });
}

bool allocatesForCache(ArrayRef<ShownFrame> Stack, StringRef Wrapper) {
  return hasFunction(
      Stack.take_until([](const ShownFrame &F) { return F.IsPython; }),
      Wrapper);
}

std::optional<uint32_t> callerOfCache(const Trace &T, uint32_t Stack,
                                      StringRef Wrapper) {
  for (uint32_t N = T.leaf(Stack); N; N = T.parent(N))
    if (hasFunction(T.unfolded(T.frameOf(N)), Wrapper))
      return T.parent(N);
  return std::nullopt;
}

/// Whether the stack allocates the table of entries of the cache below Caller:
/// no Python function runs between.
static bool isTableOfCache(const Trace &T, uint32_t Stack, uint32_t Caller,
                           StringRef Wrapper) {
  for (uint32_t N = T.leaf(Stack); N > Caller; N = T.parent(N)) {
    ArrayRef<ShownFrame> Frames = T.unfolded(T.frameOf(N));
    if (hasFunction(Frames, Wrapper))
      return T.parent(N) == Caller;
    if (any_of(Frames, [](const ShownFrame &F) { return F.IsPython; }))
      return false;
  }
  return false;
}

bool fillsCache(const Trace &T, uint32_t Caller, StringRef Wrapper) {
  constexpr uint64_t MinTables = 3, MinTableBytes = 4096;
  for (const PackedRows &Rows : T.stackRows())
    for (size_t I = 0; I != Rows.size(); ++I) {
      if (!isTableOfCache(T, Rows.key(I), Caller, Wrapper))
        continue;
      StackStats R = Rows[I];
      if (R.Allocations >= MinTables && R.PeakBytes >= MinTableBytes)
        return true;
    }
  return false;
}

} // namespace memkit
