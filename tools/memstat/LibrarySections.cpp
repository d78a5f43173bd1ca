// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Libraries that hold a device's memory.

#include "Export/TableText.h"
#include "Sections.h"
#include "Tables/TableMaker.h"
#include "memkit/Support/Format.h"

using namespace llvm;

namespace memkit {

namespace {
/// A library's part of a heap.
struct LibraryRow {
  const GroupedStats *Of;
  uint64_t HeapPeak = 0; ///< of all rows of the heap
};
} // namespace

static TableMaker<LibraryRow> libraryColumns(const PageInput &F) {
  using R = LibraryRow;
  auto Number = [](uint64_t GroupedStats::*Field) {
    return [Field](const R &L) { return L.Of->*Field; };
  };
  TableMaker<R> M;
  M.name("heap", [&F](const R &L) { return F.heapName(L.Of->Heap).str(); })
      .name("library", [](const R &L) { return L.Of->Name; })
      .number("allocations", Number(&GroupedStats::Allocations))
      .number("allocated_bytes", Number(&GroupedStats::AllocatedBytes))
      .number("at_peak_bytes", Number(&GroupedStats::HeapPeakBytes))
      .number("at_peak_blocks", Number(&GroupedStats::HeapPeakBlocks))
      .text("share",
            [](const R &L) {
              return formatShare(L.Of->HeapPeakBytes, L.HeapPeak);
            })
      .number("live_bytes", Number(&GroupedStats::LiveBytes))
      .number("live_blocks", Number(&GroupedStats::LiveBlocks));
  return M;
}

/// The first rows of each heap.
static std::vector<LibraryRow> rowsToShow(const PageInput &F) {
  constexpr size_t Useful = 5;
  std::vector<LibraryRow> Rows;
  for (ArrayRef<GroupedStats> Rest = F.O.Libraries; !Rest.empty();) {
    ArrayRef<GroupedStats> OfHeap = Rest.take_while(
        [&](const GroupedStats &O) { return O.Heap == Rest.front().Heap; });
    Rest = Rest.drop_front(OfHeap.size());
    uint64_t Peak = 0;
    for (const GroupedStats &O : OfHeap)
      Peak += O.HeapPeakBytes;
    for (const GroupedStats &O :
         OfHeap.take_front(F.shown(OfHeap.size(), Useful)))
      Rows.push_back({&O, Peak});
  }
  return Rows;
}

std::optional<PageSection> librarySection(const PageInput &F) {
  std::vector<LibraryRow> Rows = rowsToShow(F);
  if (Rows.empty())
    return std::nullopt;
  size_t Hidden = F.O.Libraries.size() - Rows.size();
  PageSection Out;
  Out.Title = "Device memory by who asked for it";
  Out.Rows = tableOf(
      *libraryColumns(F)
           .pick("library titled asked for by, whole heap, at_peak_bytes "
                 "titled at its peak, right whole share, at_peak_blocks titled "
                 "blocks, live_bytes titled at end, live_blocks titled blocks, "
                 "allocations")
           .rows(std::move(Rows)));
  if (Hidden)
    Out.Notes.push_back(plural(Hidden, "row") +
                        " with less; --top=0 shows all");
  return Out;
}

void writeLibraryJson(json::OStream &J, const PageInput &F) {
  std::vector<LibraryRow> Rows;
  for (const GroupedStats &O : F.O.Libraries)
    Rows.push_back({&O});
  writeRowsJson(J, "library_list",
                *libraryColumns(F)
                     .pick("heap, library, allocations, allocated_bytes, "
                           "at_peak_bytes, at_peak_blocks, live_bytes, "
                           "live_blocks")
                     .rows(std::move(Rows)));
}

} // namespace memkit
