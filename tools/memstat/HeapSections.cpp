//===- HeapSections.cpp - Heaps, their peaks, sizes and reserves ----------===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sections.h"
#include "memkit/Export/StackText.h"
#include "memkit/Support/Format.h"
#include "memkit/Support/FunctionName.h"
#include "memkit/Support/Graph.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace llvm;

namespace memkit {

using Side = Table::Align;

static std::string nameOf(const Facts &F, const HeapStats &H) {
  return H.Heap ? F.heapName(H.Heap).str() : F.T.domainName(H.Domain).str();
}

/// An estimate has its error.
static std::string sizeText(const Facts &F, const HeapStats &H, uint64_t Bytes,
                            double SampleVariances::*Field,
                            double SampleVariances::*DomainField) {
  SampleVariances V =
      H.Heap ? F.S.heapVariances(H.Heap) : F.S.domainVariances(H.Domain);
  double Variance = F.Whole ? V.*(H.Heap ? Field : DomainField) : 0;
  return formatEstimate(Bytes, standardError(Variance));
}

/// Of many heaps those that had the most, by Of; in their order, with what
/// is no heap.
static std::vector<const HeapStats *>
largestHeaps(const Facts &F, function_ref<uint64_t(const HeapStats &)> Of) {
  constexpr size_t Useful = 10;
  std::vector<uint64_t> Values;
  for (const HeapStats &H : F.O.Heaps)
    if (H.Heap)
      Values.push_back(Of(H));
  size_t Shown = F.shown(Values.size(), Useful);
  llvm::sort(Values, std::greater<>());
  uint64_t Least = Shown ? Values[Shown - 1] : 0;
  std::vector<const HeapStats *> Out;
  for (const HeapStats &H : F.O.Heaps)
    if (!H.Heap || Of(H) >= Least)
      Out.push_back(&H);
  return Out;
}

/// Says how many heaps are not in a list.
static void noteOthers(const Facts &F, size_t Shown, Section &To) {
  if (size_t Left = F.O.Heaps.size() - Shown)
    To.Notes.push_back(formatCount(Left) + (Left == 1 ? " heap" : " heaps") +
                       " with less; --top=0 shows all");
}

Section heapSection(const Facts &F) {
  bool HasSteps = !F.O.Steps.empty();
  std::vector<Table::Column> Columns = {
      {"heap", Side::Left, true}, {"peak", Side::Right}, {"at", Side::Right}};
  if (HasSteps)
    Columns.push_back({"step", Side::Right});
  for (const char *Title : {"at end", "allocated", "per second"})
    Columns.push_back({Title, Side::Right});
  Table T(Columns);
  bool ToldOutside = false;
  std::vector<const HeapStats *> Shown =
      largestHeaps(F, [](const HeapStats &H) { return H.Sums.PeakBytes; });
  for (const HeapStats *At : Shown) {
    const HeapStats &H = *At;
    std::string Name = nameOf(F, H);
    if (H.Heap && !H.InTotals && !std::exchange(ToldOutside, true)) {
      std::vector<std::string> Title(Columns.size());
      Title[0] = "not in the totals";
      T.add(Title);
    }
    using V = SampleVariances;
    std::vector<std::string> Row = {
        H.Heap && F.Whole ? "  " + Name : Name,
        sizeText(F, H, H.Sums.PeakBytes, &V::HeapPeak, &V::DomainPeak),
        H.Sums.PeakBytes ? formatTime(H.Sums.PeakTimeNs) : ""};
    if (HasSteps)
      Row.push_back(H.PeakStep ? std::to_string(*H.PeakStep) : "");
    Row.push_back(
        sizeText(F, H, H.Sums.LiveBytes, &V::Live, &V::LiveExclusive));
    Row.push_back(
        sizeText(F, H, H.Sums.AllocatedBytes, &V::Allocated, &V::Allocated));
    Row.push_back(formatSize(H.BytesPerSecond));
    T.add(std::move(Row));
  }
  Section Out;
  Out.Title = "Heaps";
  Out.Rows = std::move(T);
  noteOthers(F, Shown.size(), Out);
  for (uint32_t Id = 1; Id <= F.T.heaps().size(); ++Id)
    if (uint64_t Sample = F.T.heap(Id).estimateBytes())
      Out.Notes.push_back(F.heapName(Id).str() + " is a sample, one byte in " +
                          formatSize(Sample) +
                          ": estimates, ± their standard error");
  if (F.O.Heaps.empty())
    Out.Notes.push_back("nothing was allocated");
  return Out;
}

//===----------------------------------------------------------------------===//
// Stacks
//===----------------------------------------------------------------------===//

/// Whether a native function only passes on what was asked for.
static bool isAllocator(StringRef Name) {
  for (StringRef Begin :
       {"c10::", "at::detail::", "at::native::empty", "operator new",
        "std::", "__gnu_cxx::", "void std::", "posix_memalign",
        "at::_ops::", "memalign", "aligned_alloc", "at::empty",
        "at::TensorIterator", "xmalloc", "xrealloc", "xcalloc"})
    if (Name.starts_with(Begin))
      return true;
  return Name == "malloc" || Name == "calloc" || Name == "realloc" ||
         Name == "mmap";
}

/// Whether a Python file is a library's, or the interpreter's own.
static bool isLibrary(StringRef File) {
  return File.starts_with("<") || File.contains("-packages/") ||
         File.contains("/lib/python");
}

/// Of Python frames the innermost, and the innermost of the program's own.
static std::vector<ShownFrame> tellingPython(ArrayRef<ShownFrame> All,
                                             size_t Most) {
  std::vector<ShownFrame> Out;
  for (const ShownFrame &F : All)
    if (F.IsPython && Out.size() < Most && (Out.empty() || !isLibrary(F.File)))
      Out.push_back(F);
  return Out;
}

/// The function; of the program's own Python the line, which says more.
static std::string shortFrame(const ShownFrame &F) {
  if (!F.IsPython)
    return shortFunctionName(F.Function);
  if (isLibrary(F.File) || F.File.empty() || !F.Line)
    return F.Function.str();
  return baseName(F.File).str() + ":" + std::to_string(F.Line);
}

std::string stackInShort(const Trace &T, uint32_t Stack) {
  constexpr size_t Most = 3;
  std::vector<ShownFrame> All = T.shownStack(Stack);
  std::vector<ShownFrame> Told = tellingPython(All, Most);
  if (Told.empty())
    copy_if(All, std::back_inserter(Told),
            [](const ShownFrame &F) { return !isAllocator(F.Function); });
  if (Told.empty())
    Told = std::move(All);
  std::string Text;
  for (const ShownFrame &F : ArrayRef(Told).take_front(Most))
    Text += (Text.empty() ? "" : " < ") + shortFrame(F);
  return Text.empty() ? "(no stack)" : Text;
}

/// Seen: what an inner or outer heap has told already.
static std::optional<Section>
peakSection(const Facts &F, const HeapStats &H,
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
                                    formatShare(P.Bytes, H.Sums.PeakBytes),
                                    formatCount(P.Blocks)};
    if (WithHeap)
      Row.push_back(F.heapName(P.Heap).str());
    Row.push_back(std::move(Stack));
    T.add(std::move(Row));
  }
  if (T.empty())
    return std::nullopt;
  Section Out;
  Out.Title =
      "At the peak of " + nameOf(F, H) + ", " + formatSize(H.Sums.PeakBytes);
  Out.Titled = true;
  Out.Rows = std::move(T);
  return Out;
}

std::vector<Section> peakSections(const Facts &F) {
  std::vector<Section> Out;
  std::set<std::pair<uint64_t, std::string>> Seen;
  uint64_t Peak = 0;
  for (const HeapStats &H : F.O.Heaps) {
    if (!H.Heap)
      Peak = H.Sums.PeakBytes;
    // Of small heaps, who cares.
    bool IsSmall = H.Heap && F.Top && F.Whole && H.Sums.PeakBytes < Peak / 20;
    if (IsSmall || !H.InTotals)
      continue;
    if (std::optional<Section> S = peakSection(F, H, Seen))
      Out.push_back(std::move(*S));
  }
  return Out;
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

/// The class in which the middle of Count allocations lies.
static size_t medianClass(ArrayRef<uint64_t> Sizes, uint64_t Count) {
  uint64_t Sum = 0;
  for (size_t K = 0; K != Sizes.size(); ++K) {
    Sum += Sizes[K];
    if (Sum >= Count - Count / 2)
      return K;
  }
  return 0;
}

std::optional<Section> sizeSection(const Facts &F) {
  Table T({{"sizes", Side::Left, true},
           {"count", Side::Right},
           {"mean", Side::Right},
           {"half below", Side::Right},
           {"from", Side::Right},
           {"powers of two", Side::Left},
           {"to", Side::Right}});
  for (const HeapStats *At : largestHeaps(F, [](const HeapStats &H) {
         return H.InTotals ? H.Sums.Allocations : 0;
       })) {
    const HeapStats &H = *At;
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
    T.add({nameOf(F, H), formatCount(Count), formatSize(H.MeanBytes),
           End(medianClass(Sizes, Count)), formatSize(sizeClassBegin(First)),
           drawColumns(Sizes.drop_front(First), 1, F.Ascii)[0],
           End(Sizes.size() - 1)});
  }
  if (T.empty())
    return std::nullopt;
  Section Out;
  Out.Title = "Sizes of allocations";
  Out.Rows = std::move(T);
  return Out;
}

//===----------------------------------------------------------------------===//
// What is reserved
//===----------------------------------------------------------------------===//

static std::string shareText(std::optional<uint32_t> Ppm) {
  return Ppm ? formatShare(*Ppm) : "";
}

static std::string trendText(const HeapFragmentation &H) {
  if (!H.FirstPpm || !H.LastPpm)
    return "";
  return formatShare(*H.FirstPpm) + " -> " + formatShare(*H.LastPpm);
}

std::optional<Section> reservedSection(const Facts &F) {
  Table T({{"reserved by", Side::Left, true},
           {"when", Side::Left},
           {"reserved", Side::Right},
           {"allocated", Side::Right},
           {"active", Side::Right},
           {"inactive", Side::Right},
           {"unused", Side::Right}});
  Section Out;
  std::string Unknown;
  auto Add = [&](StringRef Name, StringRef When,
                 const HeapFragmentation::Moment &M) {
    T.add({Name.str(), When.str(), formatSize(M.Reserved),
           formatSize(M.Allocated), M.Active ? formatSize(*M.Active) : "",
           M.Active && *M.Active <= M.Reserved
               ? formatSize(M.Reserved - *M.Active)
               : "",
           shareText(M.Ppm)});
  };
  for (const HeapFragmentation &H : F.O.Fragmentation) {
    StringRef Name = F.heapName(H.Heap);
    if (!H.Known) {
      Unknown += (Unknown.empty() ? "" : ", ") + Name.str();
      continue;
    }
    Add(Name, "at the end", H.Now);
    Add("", "at the peak", H.AtPeak);
    std::string Note = Name.str() + " reserved at most " +
                       formatSize(H.ReservedPeak) +
                       "; when it reserved more, up to " +
                       shareText(H.LargestPpm) + " of it was unused";
    if (std::string Trend = trendText(H); !Trend.empty())
      Note += "; unused over the run: " + Trend;
    Out.Notes.push_back(Note);
  }
  if (T.empty())
    return std::nullopt;
  if (!Unknown.empty())
    Out.Notes.push_back("unknown what is reserved by: " + Unknown);
  Out.Title = "Reserved and unused";
  Out.Rows = std::move(T);
  return Out;
}

std::optional<Section> gapSection(const Facts &F) {
  Table T({{"used of", Side::Left},
           {"when", Side::Left, true},
           {"at", Side::Right},
           {"used", Side::Right},
           {"accounted for", Side::Right},
           {"gap", Side::Right}});
  for (const DeviceGap &G : F.O.Gaps) {
    std::string Name = F.T.domainName(G.Device).str();
    if (G.TotalBytes)
      Name += " (" + formatSize(G.TotalBytes) + ")";
    auto Add = [&](StringRef When, const DeviceGap::Moment &M) {
      T.add({std::exchange(Name, ""), When.str(), formatTime(M.TimeNs),
             formatSize(M.Used), formatSize(M.Accounted), formatSize(M.gap())});
    };
    Add("most used", G.MostUsed);
    Add("largest gap", G.Largest);
    Add("last sample", G.Now);
  }
  if (T.empty())
    return std::nullopt;
  Section Out;
  Out.Title = "What devices say is used";
  Out.Rows = std::move(T);
  return Out;
}

} // namespace memkit
