// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The blocks of all copies of jemalloc in a program that runs.

#include "Census/JemallocBlocks.h"
#include "Census/JemallocCaches.h"
#include "Census/JemallocWalk.h"
#include "Census/TargetFile.h"
#include "Census/TouchedPages.h"
#include "Shared/PrivateHeapName.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace memkit;

/// Whether the library stands in for malloc. One in the program itself does so
/// too, but is recorded as a private one.
static bool isMalloc(pid_t Pid, const TargetMap &Data) {
  if (Data.Path == pathOfProgram(Pid))
    return false;
  TargetFile File(Pid, Data);
  if (!File.elf())
    return false;
  for (object::ELFSymbolRef S : File.elf()->getDynamicSymbolIterators()) {
    Expected<StringRef> Name = S.getName();
    Expected<uint32_t> Flags = S.getFlags();
    if (Name && Flags && *Name == "malloc" &&
        !(*Flags & object::SymbolRef::SF_Undefined))
      return true;
    consumeError(Name.takeError());
    consumeError(Flags.takeError());
  }
  return false;
}

uint8_t JemallocBlocks::ownerOf(const TargetMap &Data) {
  if (isMalloc(Memory.pid(), Data))
    return MallocOwner;
  std::string Name = "jemalloc@" + privateHeapSuffix(Data.Path);
  auto It = llvm::find(Names, Name);
  constexpr size_t MaxNames = UINT8_MAX - FirstPrivateOwner;
  if (It == Names.end() && Names.size() == MaxNames)
    It = Names.begin();
  else if (It == Names.end())
    It = Names.insert(Names.end(), Name);
  return uint8_t(FirstPrivateOwner + (It - Names.begin()));
}

size_t JemallocBlocks::indexOf(uint64_t Address) const {
  return size_t(partition_point(Live,
                                [=](const FoundBlock &B) {
                                  return B.Address + B.Bytes <= Address;
                                }) -
                Live.begin());
}

/// The lists of threads are blocks of jemalloc's own, or lie in its memory.
void JemallocBlocks::dropCached(ArrayRef<std::pair<uint64_t, uint64_t>> Taken) {
  std::vector<bool> IsCached(Live.size()), IsList(Live.size());
  for (const JemallocCache &C : findJemallocCaches(Memory, Maps, Taken)) {
    std::vector<size_t> Its;
    for (uint64_t Block : C.Blocks)
      if (size_t I = indexOf(Block);
          I != Live.size() && Live[I].Address == Block)
        Its.push_back(I);
    // The thread may change its list meanwhile.
    if (Its.size() < C.Blocks.size() - C.Blocks.size() / 4)
      continue;
    for (size_t I : Its)
      IsCached[I] = true;
    if (size_t I = indexOf(C.List);
        !Its.empty() && I != Live.size() && Live[I].Address <= C.List)
      IsList[I] = true;
  }
  size_t Kept = 0;
  for (size_t I = 0; I != Live.size(); ++I)
    if (IsCached[I])
      CachedBytes += Live[I].Bytes;
    else if (!IsList[I])
      Live[Kept++] = Live[I];
  Live.resize(Kept);
}

void JemallocBlocks::find(std::vector<std::pair<uint64_t, uint64_t>> Taken) {
  for (const FoundJemalloc &Of : findJemalloc(Memory, Maps)) {
    JemallocWalk Walk(Memory, Maps, Of);
    if (!Walk.walk())
      continue;
    uint8_t Owner = ownerOf(*Of.Data);
    for (FoundBlock B : Walk.live()) {
      B.Owner = Owner;
      Live.push_back(B);
    }
    append_range(Ranges, Walk.ranges());
    FreeBytes += Walk.freeBytes();
  }
  if (Live.empty())
    return;
  llvm::sort(Live, [](const FoundBlock &A, const FoundBlock &B) {
    return A.Address < B.Address;
  });
  append_range(Taken, Ranges);
  joinRanges(Taken);
  dropCached(Taken);
}
