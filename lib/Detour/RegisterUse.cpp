// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which registers the callers of a function expect to change.

#include "RegisterUse.h"

#include "llvm/ADT/SmallVector.h"

using namespace memkit;
using namespace llvm;

/// Functions that are read for one answer: allocators call the system sooner.
static constexpr size_t MaxFunctions = 1024;

/// Whether F itself makes a call that the compiler could not follow: through a
/// pointer, or to another binary (by code that has no symbol). Adds the
/// functions that F calls.
bool RegisterUse::look(const CodeSymbol &F,
                       SmallVectorImpl<CodeSymbol> &Called) {
  CodeInstruction I;
  for (uint64_t At = F.Address; At < F.end(); At = I.end()) {
    if (!Reader.read(Image.from(At), At, I))
      return false;
    bool Leaves = I.Flow == CodeFlow::Jump &&
                  (I.Target < F.Address || I.Target >= F.end());
    if (I.Flow != CodeFlow::Call && !Leaves)
      continue;
    const CodeSymbol *To = I.Target ? Image.before(I.Target) : nullptr;
    if (!To || I.Target >= To->end())
      return true;
    Called.push_back(*To);
  }
  return false;
}

bool RegisterUse::mayChangeAll(const CodeSymbol &F) {
  SmallVector<CodeSymbol, 32> Waiting = {F};
  DenseSet<uint64_t> Seen;
  while (!Waiting.empty() && Seen.size() < MaxFunctions) {
    CodeSymbol Next = Waiting.pop_back_val();
    if (!Seen.insert(Next.Address).second)
      continue;
    if (Known.contains(Next.Address) || look(Next, Waiting)) {
      Known.insert(F.Address);
      return true;
    }
  }
  return false;
}
