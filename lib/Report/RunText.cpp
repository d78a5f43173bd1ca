// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A run for people.

#include "Export/TableText.h"
#include "RunPrinters.h"
#include "Support/CommandText.h"
#include "Tables/Columns.h"
#include "TraceText/EnumNames.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <utility>

using namespace llvm;
using namespace memkit;

using Side = Table::Side;

static std::string counted(uint64_t N, StringRef One, StringRef Many) {
  return formatCount(N) + " " + (N == 1 ? One : Many).str();
}

std::vector<ArrayRef<CategorySum>>
memkit::categoriesByHeap(ArrayRef<CategorySum> Categories) {
  std::vector<ArrayRef<CategorySum>> Out;
  while (!Categories.empty()) {
    Out.push_back(Categories.take_while(
        [&](const CategorySum &K) { return K.Heap == Categories[0].Heap; }));
    Categories = Categories.drop_front(Out.back().size());
  }
  return Out;
}

uint64_t memkit::bytesOf(ArrayRef<CategorySum> Categories) {
  uint64_t Bytes = 0;
  for (const CategorySum &K : Categories)
    Bytes += K.Bytes;
  return Bytes;
}

RowListRef memkit::categoryTable(const Trace &T, ArrayRef<CategorySum> OfHeap,
                                 uint64_t Whole) {
  return categoryColumns(T)
      .pick("whole category_name titled category, bytes, right whole share, "
            "blocks, kept largest_layers")
      .rows(categoryRows(OfHeap, Whole));
}

std::string memkit::whyNoLayers(const Trace &T) {
  bool HasTensors = false;
  for (uint32_t Heap = 1; Heap <= T.heaps().size(); ++Heap)
    HasTensors |= T.heapName(Heap).starts_with("torch.") ||
                  T.heapName(Heap).starts_with("tf.");
  return HasTensors
             ? "no layers: no module of PyTorch or Keras made tensors while it "
               "ran; memkit.trace(model) names the modules of a model; a "
               "recording of PyTorch's heaps alone has no layers"
             : "no layers: no tensors of PyTorch or TensorFlow were recorded";
}

static void printEvents(raw_ostream &OS, const RunReport &R) {
  OS << "events    " << counted(R.Allocations, "allocation", "allocations")
     << ", " << counted(R.Frees, "free", "frees");
  if (R.InheritedFrees)
    OS << ", "
       << counted(R.InheritedFrees, "inherited free", "inherited frees");
  OS << ", " << counted(R.Lost, "lost", "lost") << '\n';
}

static void printHeaps(raw_ostream &OS, const RunReport &R, unsigned Width) {
  Table T({{"heap", Side::Left, true},
           {"allocations", Side::Right},
           {"frees", Side::Right},
           {"allocated", Side::Right},
           {"live", Side::Right},
           {"blocks", Side::Right},
           {"peak", Side::Right},
           {"at", Side::Right}});
  auto Add = [&](StringRef Name, const TotalStats &S, double Allocated,
                 double Live, double Peak) {
    auto Size = [](uint64_t Bytes, double Variance) {
      return formatEstimate(Bytes, standardError(Variance));
    };
    T.add({Name.str(), formatCount(S.Allocations), formatCount(S.Frees),
           Size(S.AllocatedBytes, Allocated), Size(S.LiveBytes, Live),
           formatCount(S.LiveBlocks), Size(S.PeakBytes, Peak),
           formatTime(S.PeakTimeNs)});
  };
  for (const SpaceReport &S : R.Spaces) {
    const SampleVariances &V = S.Variances;
    Add(S.Name, S.Stats, V.Allocated, V.LiveExclusive, V.SpacePeak);
    auto AddHeaps = [&](bool InTotals, StringRef Title) {
      for (const HeapReport &H : R.Heaps) {
        if (H.Space != S.Id || H.InTotals != InTotals)
          continue;
        if (!Title.empty())
          T.add({std::exchange(Title, "").str(), "", "", "", "", "", "", ""});
        const SampleVariances &V = H.Variances;
        Add(("  " + H.Name).str(), H.Stats, V.Allocated, V.Live, V.HeapPeak);
      }
    };
    AddHeaps(true, "");
    AddHeaps(false, "not in the totals");
  }
  OS << '\n';
  T.print(OS, Width);
  for (const HeapReport &H : R.Heaps)
    if (H.IsEstimate)
      OS << H.Name << " is sampled, one byte in " << formatSize(H.SampleBytes)
         << ": estimates, ± their standard error\n";
}

/// Prints the memory that allocators hold, and the part without live blocks.
static void printReserved(raw_ostream &OS, const RunReport &R, unsigned Width) {
  Table T({{"reserved by", Side::Left, true},
           {"now", Side::Right},
           {"free", Side::Right},
           {"at the peak", Side::Right},
           {"free", Side::Right},
           {"at most", Side::Right},
           {"free at most", Side::Right}});
  bool IsAny = false;
  for (const HeapReport &Of : R.Heaps) {
    const HeapStats &H = Of.Stats;
    if (!H.ReservedKnown)
      continue;
    // Of a heap without blocks nothing tells which part is free.
    auto Share = [&](uint64_t Reserved, uint32_t Ppm) {
      return Reserved && H.PeakBytes ? formatShare(Ppm) : "";
    };
    IsAny = true;
    T.add(
        {Of.Name.str(), formatSize(H.ReservedBytes),
         Share(H.ReservedBytes, fragmentationPpm(H.ReservedBytes, H.LiveBytes)),
         H.ReservedAtPeakBytes ? formatSize(H.ReservedAtPeakBytes) : "",
         Share(H.ReservedAtPeakBytes,
               fragmentationPpm(H.ReservedAtPeakBytes, H.PeakBytes)),
         formatSize(H.ReservedPeakBytes),
         Share(H.ReservedPeakBytes, H.GrowthFragmentationPpm)});
  }
  if (!IsAny)
    return;
  OS << '\n';
  T.print(OS, Width);
}

RowListRef memkit::processTable(const RunReport &R, const Trace &T) {
  return processColumns(T)
      .pick("process_id titled process, process titled pid, whole kept "
            "parent_id titled parent, whole rank, kept peak_bytes, whole "
            "on_devices, rss_if_any_bytes titled max RSS, pss_if_any_bytes "
            "titled max PSS, whole kept end_and_reason titled end, whole role "
            "titled name, kept command_or_file titled command")
      .rows(R.Processes);
}

/// A line for each heap of tensors.
static void printCategoryLines(raw_ostream &OS, const Trace &T,
                               ArrayRef<CategorySum> Categories) {
  for (ArrayRef<CategorySum> Of : categoriesByHeap(Categories)) {
    uint64_t Peak = T.heapStats(Of[0].Heap).PeakBytes;
    OS << '\n' << T.heapName(Of[0].Heap) << " at its peak: ";
    ListSeparator Comma;
    for (const CategorySum &K : Of)
      OS << Comma << categoryName(K.Category) << ' '
         << formatShare(K.Bytes, Peak);
    OS << '\n';
  }
}

void memkit::printRun(raw_ostream &OS, const RunReport &R, const Trace &T,
                      ArrayRef<CategorySum> Categories, unsigned Width,
                      StringRef OomHint) {
  OS << "command   " << commandText(R.Run.Command) << '\n';
  if (!R.Run.Host.empty())
    OS << "host      " << R.Run.Host << '\n';
  if (R.Run.Rank >= 0)
    OS << "rank      " << R.Run.Rank << " of " << R.Run.WorldSize << '\n';
  OS << "duration  " << formatTime(R.EndNs)
     << (R.IsComplete ? "" : ", not complete") << '\n';
  printEvents(OS, R);
  OS << "names     " << counted(R.Stacks, "stack", "stacks") << ", "
     << counted(R.Threads, "thread", "threads") << ", "
     << counted(R.Steps, "step", "steps") << ", "
     << counted(R.Layers, "layer", "layers") << '\n';
  if (R.Unknown.any())
    OS << "unknown   " << R.Unknown.list() << ", written by a newer memkit\n";
  printHeaps(OS, R, Width);
  printReserved(OS, R, Width);
  printCategoryLines(OS, T, Categories);
  if (R.OomFailures)
    OS << '\n'
       << counted(R.OomFailures, "out-of-memory event", "out-of-memory events")
       << OomHint << '\n';
  OS << '\n';
  tableOf(*processTable(R, T)).print(OS, Width);
}
