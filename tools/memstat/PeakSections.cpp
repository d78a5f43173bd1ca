// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stacks of peaks.

#include "Sections.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace llvm;

namespace memkit {

using Side = Table::Side;

/// Seen: stacks that an inner or outer heap has already shown.
static std::optional<PageSection>
peakSection(const PageInput &F, const HeapOverview &H,
            std::set<std::pair<uint64_t, std::string>> &Seen) {
  bool WithHeap = H.Heap == 0;
  std::vector<Table::Column> Columns = {
      {"bytes", Side::Right}, {"share", Side::Right}, {"blocks", Side::Right}};
  if (WithHeap)
    Columns.push_back({"heap", Side::Left});
  Columns.push_back({"stack, innermost first", Side::Left, true});
  Table T(Columns);
  for (const PeakStack &P : H.AtPeak) {
    std::string Stack = stackInShort(F.T, P.Stack);
    if (!Seen.insert({P.Bytes, Stack}).second)
      continue;
    std::vector<std::string> Row = {formatSize(P.Bytes),
                                    formatShare(P.Bytes, H.Stats.PeakBytes),
                                    formatCount(P.Blocks)};
    if (WithHeap)
      Row.push_back(F.heapName(P.Heap).str());
    Row.push_back(std::move(Stack));
    T.add(std::move(Row));
  }
  if (T.empty())
    return std::nullopt;
  PageSection Out;
  Out.Title = "At the peak of " + heapOrSpace(F, H) + ", " +
              formatSize(H.Stats.PeakBytes);
  Out.Titled = true;
  Out.Rows = std::move(T);
  return Out;
}

std::vector<PageSection> peakSections(const PageInput &F) {
  std::vector<PageSection> Out;
  std::set<std::pair<uint64_t, std::string>> Seen;
  uint64_t Peak = 0;
  for (const HeapOverview &H : F.O.Heaps) {
    if (!H.Heap)
      Peak = H.Stats.PeakBytes;
    // Heaps below 5 % of the largest peak are left out.
    bool IsSmall = H.Heap && F.Top && F.Whole && H.Stats.PeakBytes < Peak / 20;
    if (IsSmall || !H.InTotals)
      continue;
    if (std::optional<PageSection> S = peakSection(F, H, Seen))
      Out.push_back(std::move(*S));
  }
  return Out;
}

} // namespace memkit
