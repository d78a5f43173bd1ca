// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Heaps and sizes.

#include "Sections.h"
#include "Terminal/Graph.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

using Side = Table::Side;

std::string heapOrSpace(const PageInput &F, const HeapOverview &H) {
  return H.Heap ? F.heapName(H.Heap).str() : F.T.spaceName(H.Space).str();
}

/// A size; an estimate has its error appended.
static std::string sizeText(const PageInput &F, const HeapOverview &H,
                            uint64_t Bytes, double SampleVariances::*Field,
                            double SampleVariances::*SpaceField) {
  const SampleVariances &V =
      H.Heap ? F.R.Heaps[H.Heap - 1].Variances : F.R.Spaces[H.Space].Variances;
  double Variance = F.Whole ? V.*(H.Heap ? Field : SpaceField) : 0;
  return formatEstimate(Bytes, standardError(Variance));
}

/// The heaps with the highest values of Of, in their order, and all memory
/// spaces.
static std::vector<const HeapOverview *>
largestHeaps(const PageInput &F,
             function_ref<uint64_t(const HeapOverview &)> Of) {
  constexpr size_t Useful = 10;
  std::vector<uint64_t> Values;
  for (const HeapOverview &H : F.O.Heaps)
    if (H.Heap)
      Values.push_back(Of(H));
  size_t Shown = F.shown(Values.size(), Useful);
  llvm::sort(Values, std::greater<>());
  uint64_t Min = Shown ? Values[Shown - 1] : 0;
  std::vector<const HeapOverview *> Out;
  for (const HeapOverview &H : F.O.Heaps)
    if (!H.Heap || Of(H) >= Min)
      Out.push_back(&H);
  return Out;
}

/// Notes how many heaps a list leaves out.
static void noteOthers(const PageInput &F, size_t Shown, PageSection &To) {
  if (size_t Left = F.O.Heaps.size() - Shown)
    To.Notes.push_back(formatCount(Left) + (Left == 1 ? " heap" : " heaps") +
                       " with less; --top=0 shows all");
}

/// The process with the most resident memory beyond the recorded memory.
static const ProcessStats *minRecorded(const PageInput &F, uint64_t &Gap) {
  const ProcessStats *Min = nullptr;
  Gap = 0;
  for (const ProcessStats &I : F.T.summary().Processes) {
    uint64_t Mine = I.RssPeakBytes - std::min(I.RssPeakBytes, I.PeakBytes);
    if (F.Sel.hasProcess(I.Process) && Mine > Gap)
      Gap = Mine, Min = &I;
  }
  return Min;
}

/// Whether blocks of an allocator that is built into a binary are recorded.
static bool hasPrivateBlocks(const PageInput &F) {
  for (uint32_t Id = 1; Id <= F.T.heaps().size(); ++Id)
    if (F.heapName(Id).starts_with("private."))
      return true;
  return false;
}

/// Notes resident memory that may be of an allocator private to a library. Such
/// an allocator maps address space with MAP_NORESERVE and divides the mapping
/// into blocks, which the recorder sees if the library has symbols.
static void noteReserved(const PageInput &F, PageSection &To) {
  constexpr uint64_t MinGap = 16 << 20;
  uint64_t Gap;
  const ProcessStats *I = minRecorded(F, Gap);
  if (!I || F.OfHeaps || Gap < MinGap || Gap < I->RssPeakBytes / 4)
    return;
  for (uint32_t Id = 1; Id <= F.T.heaps().size(); ++Id) {
    uint64_t Reserved = F.T.heapStats(Id).PeakBytes;
    if (F.heapName(Id) != "host.reserved" || Reserved < Gap / 2)
      continue;
    To.Notes.push_back(
        formatSize(I->RssPeakBytes) + " resident, " + formatSize(I->PeakBytes) +
        " recorded: the difference may be in host.reserved (" +
        formatSize(Reserved) + ", MAP_NORESERVE), " +
        (hasPrivateBlocks(F)
             ? "which private allocators keep beside their blocks"
             : "used by a library's private allocator, whose blocks are not "
               "recorded"));
  }
}

PageSection heapSection(const PageInput &F) {
  bool HasSteps = !F.O.Steps.empty();
  std::vector<Table::Column> Columns = {
      {"heap", Side::Left, true}, {"peak", Side::Right}, {"at", Side::Right}};
  if (HasSteps)
    Columns.push_back({"step", Side::Right});
  for (const char *Title : {"at end", "allocated", "per second"})
    Columns.push_back({Title, Side::Right});
  Table T(Columns);
  bool ReportedOutside = false;
  std::vector<const HeapOverview *> Shown =
      largestHeaps(F, [](const HeapOverview &H) { return H.Stats.PeakBytes; });
  for (const HeapOverview *At : Shown) {
    const HeapOverview &H = *At;
    std::string Name = heapOrSpace(F, H);
    if (H.Heap && !H.InTotals && !std::exchange(ReportedOutside, true)) {
      std::vector<std::string> Title(Columns.size());
      Title[0] = "not in the totals";
      T.add(Title);
    }
    using V = SampleVariances;
    std::vector<std::string> Row = {
        H.Heap && F.Whole ? "  " + Name : Name,
        sizeText(F, H, H.Stats.PeakBytes, &V::HeapPeak, &V::SpacePeak),
        H.Stats.PeakBytes ? formatTime(H.Stats.PeakTimeNs) : ""};
    if (HasSteps)
      Row.push_back(H.PeakStep ? std::to_string(*H.PeakStep) : "");
    Row.push_back(
        sizeText(F, H, H.Stats.LiveBytes, &V::Live, &V::LiveExclusive));
    Row.push_back(
        sizeText(F, H, H.Stats.AllocatedBytes, &V::Allocated, &V::Allocated));
    Row.push_back(formatSize(H.BytesPerSecond));
    T.add(std::move(Row));
  }
  PageSection Out;
  Out.Title = "Heaps";
  Out.Rows = std::move(T);
  noteOthers(F, Shown.size(), Out);
  for (const HeapReport &H : F.R.Heaps)
    if (H.IsEstimate)
      Out.Notes.push_back(H.Name.str() + " is sampled, one byte in " +
                          formatSize(H.SampleBytes) +
                          ": estimates, ± their standard error");
  noteReserved(F, Out);
  if (F.O.Heaps.empty())
    Out.Notes.push_back("nothing was allocated");
  return Out;
}

/// The size class of the median of Count allocations.
static size_t medianClass(ArrayRef<uint64_t> Sizes, uint64_t Count) {
  uint64_t Sum = 0;
  for (size_t K = 0; K != Sizes.size(); ++K) {
    Sum += Sizes[K];
    if (Sum >= Count - Count / 2)
      return K;
  }
  return 0;
}

std::optional<PageSection> sizeSection(const PageInput &F) {
  Table T({{"sizes", Side::Left, true},
           {"count", Side::Right},
           {"mean", Side::Right},
           {"half below", Side::Right},
           {"from", Side::Right},
           {"powers of two", Side::Left},
           {"to", Side::Right}});
  for (const HeapOverview *At : largestHeaps(F, [](const HeapOverview &H) {
         return H.InTotals ? H.Stats.Allocations : 0;
       })) {
    const HeapOverview &H = *At;
    ArrayRef<uint64_t> Sizes = H.Sizes;
    uint64_t Count = 0;
    for (uint64_t N : Sizes)
      Count += N;
    if (!Count || !H.InTotals)
      continue;
    size_t First =
        find_if(Sizes, [](uint64_t N) { return N != 0; }) - Sizes.begin();
    auto End = [](size_t Class) {
      return Class + 1 < NumSizeClasses ? formatSize(sizeClassBegin(Class + 1))
                                        : std::string("16 EiB");
    };
    uint64_t Error =
        H.Heap ? standardError(F.R.Heaps[H.Heap - 1].Variances.Allocations) : 0;
    T.add({heapOrSpace(F, H),
           formatCount(Count) + (Error ? " ±" + formatCount(Error) : ""),
           formatSize(H.MeanBytes), End(medianClass(Sizes, Count)),
           formatSize(sizeClassBegin(First)),
           drawColumns(Sizes.drop_front(First), 1, F.Ascii)[0],
           End(Sizes.size() - 1)});
  }
  if (T.empty())
    return std::nullopt;
  PageSection Out;
  Out.Title = "Sizes of allocations";
  Out.Rows = std::move(T);
  return Out;
}

} // namespace memkit
