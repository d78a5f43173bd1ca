// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names of Python that hold memory, for memtop's page of names.

#include "NameRows.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace llvm;
using namespace memkit;

static bool isIn(const WatchedTrace &W, const HeldBlock &B,
                 const WatchedHeap &Of) {
  bool IsOfHeap =
      Of.IsSpace ? W.trace().heap(B.Heap).Space == Of.Id : B.Heap == Of.Id;
  return IsOfHeap && W.stats().selection().hasProcess(B.Process);
}

Expected<WatchedNames> memkit::readNames(const WatchedTrace &W,
                                         const WatchedHeap &Of,
                                         const Places &Where,
                                         StringRef Filter) {
  Expected<HeldBlocks> Held = findHeldBlocks(W.trace());
  if (!Held)
    return Held.takeError();
  WatchedNames Out;
  Out.Searches = Held->Searches.size();
  for (const HolderSearch &S : Held->Searches)
    Out.FoundNs = std::max(Out.FoundNs, S.TimeNs);
  std::map<uint32_t, std::vector<HeldBlock>> ByPlace;
  for (const HeldBlock &B : Held->Blocks)
    if (isIn(W, B, Of))
      ByPlace[Where.of(B.Stack)].push_back(B);
  for (const auto &[Id, Blocks] : ByPlace) {
    std::string Place = Where.text(Where.place(Id));
    for (HeldPath &P : commonPaths(W.trace(), Blocks))
      if (StringRef(Place).contains_insensitive(Filter) ||
          StringRef(P.Path).contains_insensitive(Filter))
        Out.Rows.push_back({std::move(P), Place});
  }
  stable_sort(Out.Rows, [](const WatchedName &A, const WatchedName &B) {
    return A.Held.Bytes > B.Held.Bytes;
  });
  return Out;
}
