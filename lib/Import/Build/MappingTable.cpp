// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mapped memory of a recording that is being imported.

#include "MappingTable.h"
#include "TraceBuilder.h"
#include <algorithm>

using namespace memkit;

void MappingTable::map(uint32_t Thread, uint64_t TimeNs,
                       const ImportedBlock &B) {
  // A range that wraps around is no memory.
  if (!B.Size || B.Address + B.Size < B.Address)
    return;
  unmap(Thread, TimeNs, B.Address, B.Size);
  uint64_t Block = To.allocate(Process, Thread, TimeNs, B);
  Mappings[B.Address] = {B.Address + B.Size, Block};
}

void MappingTable::unmap(uint32_t Thread, uint64_t TimeNs, uint64_t Begin,
                         uint64_t Size) {
  uint64_t End = Begin + Size;
  if (!Size || End < Begin)
    return;
  auto It = Mappings.upper_bound(Begin);
  if (It != Mappings.begin() && std::prev(It)->second.End > Begin)
    --It;
  while (It != Mappings.end() && It->first < End) {
    uint64_t First = It->first;
    Mapping M = It->second;
    if (First >= Begin && M.End <= End) {
      To.free(Process, Thread, TimeNs, M.Block);
      It = Mappings.erase(It);
      continue;
    }
    if (First < Begin && M.End > End) {
      // A hole: the part behind it becomes a block of its own.
      uint64_t Behind = To.split(Process, Thread, TimeNs, M.Block, End - First);
      To.resize(Process, Thread, TimeNs, M.Block, Begin - First);
      It->second.End = Begin;
      Mappings[End] = {M.End, Behind};
      return;
    }
    uint64_t NewBegin = First < Begin ? First : End;
    uint64_t NewEnd = First < Begin ? Begin : M.End;
    To.resize(Process, Thread, TimeNs, M.Block, NewEnd - NewBegin);
    It = Mappings.erase(It);
    Mappings[NewBegin] = {NewEnd, M.Block};
    if (NewBegin == End)
      return;
  }
}
