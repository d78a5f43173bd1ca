// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Libraries that hold a device's memory.

#include "Sections.h"
#include "memkit/Support/Format.h"

using namespace llvm;

namespace memkit {

using Side = Table::Side;

/// The rows of the first heap; rows of one heap are adjacent.
static ArrayRef<GroupedStats> firstHeap(ArrayRef<GroupedStats> Rows) {
  return Rows.take_while(
      [&](const GroupedStats &O) { return O.Heap == Rows.front().Heap; });
}

std::optional<PageSection> librarySection(const PageInput &F) {
  constexpr size_t Useful = 5;
  Table T({{"asked for by", Side::Left, true},
           {"heap", Side::Left},
           {"at its peak", Side::Right},
           {"share", Side::Right},
           {"blocks", Side::Right},
           {"at end", Side::Right},
           {"blocks", Side::Right},
           {"allocations", Side::Right}});
  size_t Hidden = 0;
  for (ArrayRef<GroupedStats> Rest = F.O.Libraries; !Rest.empty();) {
    ArrayRef<GroupedStats> OfHeap = firstHeap(Rest);
    Rest = Rest.drop_front(OfHeap.size());
    uint64_t Peak = 0;
    for (const GroupedStats &O : OfHeap)
      Peak += O.HeapPeakBytes;
    size_t Shown = F.shown(OfHeap.size(), Useful);
    Hidden += OfHeap.size() - Shown;
    for (const GroupedStats &O : OfHeap.take_front(Shown))
      T.add({O.Name, F.heapName(O.Heap).str(), formatSize(O.HeapPeakBytes),
             formatShare(O.HeapPeakBytes, Peak), formatCount(O.HeapPeakBlocks),
             formatSize(O.LiveBytes), formatCount(O.LiveBlocks),
             formatCount(O.Allocations)});
  }
  if (T.empty())
    return std::nullopt;
  PageSection Out;
  Out.Title = "Device memory by who asked for it";
  Out.Rows = std::move(T);
  if (Hidden)
    Out.Notes.push_back(plural(Hidden, "row") +
                        " with less; --top=0 shows all");
  return Out;
}

} // namespace memkit
