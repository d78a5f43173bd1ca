// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What allocators add to requested sizes, by heap and line.

#include "Sections.h"
#include "Support/Json.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

using Side = Table::Side;

namespace {
/// The blocks of a heap that one place asked for.
struct RoundingPlace {
  uint32_t Heap = 0, Place = 0;
  RoundedBlocks AtPeak, All;
};
} // namespace

static void add(RoundedBlocks &To, const RoundedBlocks &B) {
  To.Blocks += B.Blocks;
  To.Requested += B.Requested;
  To.Allocated += B.Allocated;
}

/// The most added bytes first. ByHeap: one row for each heap, of place 0.
static std::vector<RoundingPlace> roundingRows(const PageInput &F,
                                               bool ByHeap) {
  MapVector<std::pair<uint32_t, uint32_t>, RoundingPlace> Sums;
  for (const RoundingRow &R : *F.O.Rounding) {
    uint32_t Place = ByHeap ? 0 : F.O.Where->of(R.Stack);
    RoundingPlace &To = Sums[{R.Heap, Place}];
    To.Heap = R.Heap;
    To.Place = Place;
    add(To.AtPeak, R.AtPeak);
    add(To.All, R.All);
  }
  std::vector<RoundingPlace> Rows;
  for (auto &[Key, R] : Sums)
    Rows.push_back(R);
  stable_sort(Rows, [](const RoundingPlace &A, const RoundingPlace &B) {
    return std::pair(A.AtPeak.added(), A.All.added()) >
           std::pair(B.AtPeak.added(), B.All.added());
  });
  return Rows;
}

/// `torch.pinned at its peak: 387 MiB requested, 640 MiB taken: rounding adds
/// 253 MiB, 39.5 %`.
static std::string heapText(const PageInput &F, const RoundingPlace &H) {
  const RoundedBlocks &B = H.AtPeak;
  return F.heapName(H.Heap).str() + " at its peak: " + formatSize(B.Requested) +
         " requested, " + formatSize(B.Allocated) + " taken: rounding adds " +
         formatSize(B.added()) + ", " + formatShare(B.added(), B.Allocated);
}

std::optional<PageSection> roundingSection(const PageInput &F) {
  if (!F.O.Rounding || F.O.Rounding->empty())
    return std::nullopt;
  constexpr size_t Useful = 8;
  std::vector<RoundingPlace> Rows = roundingRows(F, /*ByHeap=*/false);
  Table T({{"added by rounding, by line", Side::Left, true},
           {"heap", Side::Left},
           {"at peak", Side::Right},
           {"of", Side::Right},
           {"blocks", Side::Right},
           {"in all", Side::Right},
           {"of", Side::Right},
           {"allocations", Side::Right}});
  size_t Shown = F.shown(Rows.size(), Useful);
  for (const RoundingPlace &R : ArrayRef(Rows).take_front(Shown))
    T.add({F.O.Where->text(F.O.Where->place(R.Place)), F.heapName(R.Heap).str(),
           formatSize(R.AtPeak.added()), formatSize(R.AtPeak.Allocated),
           formatCount(R.AtPeak.Blocks), formatSize(R.All.added()),
           formatSize(R.All.Allocated), formatCount(R.All.Blocks)});
  PageSection Out;
  Out.Title = "Rounding";
  for (const RoundingPlace &H : roundingRows(F, /*ByHeap=*/true))
    Out.Lines.push_back(heapText(F, H));
  if (Shown < Rows.size())
    Out.Notes.push_back(formatCount(Rows.size() - Shown) +
                        " more; --top=0 shows all");
  Out.Rows = std::move(T);
  return Out;
}

static void writeBlocks(json::OStream &J, StringRef Name,
                        const RoundedBlocks &B) {
  J.attributeObject(Name, [&] {
    J.attribute("blocks", B.Blocks);
    J.attribute("requested_bytes", B.Requested);
    J.attribute("allocated_bytes", B.Allocated);
  });
}

void writeRoundingJson(json::OStream &J, const PageInput &F) {
  if (!F.O.Rounding)
    return;
  J.attributeArray("rounding", [&] {
    for (const RoundingPlace &R : roundingRows(F, /*ByHeap=*/false))
      J.object([&] {
        J.attribute("heap", jsonText(F.heapName(R.Heap)));
        J.attribute("place",
                    jsonText(F.O.Where->text(F.O.Where->place(R.Place))));
        writeBlocks(J, "at_peak", R.AtPeak);
        writeBlocks(J, "all", R.All);
      });
  });
}

} // namespace memkit
