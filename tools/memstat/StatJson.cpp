// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// memstat's output for scripts.

#include "Export/StackText.h"
#include "Export/TableText.h"
#include "JobPage.h"
#include "Report/GapSentences.h"
#include "Report/OomSentences.h"
#include "Report/RunPrinters.h"
#include "Sections.h"
#include "Tables/Columns.h"
#include "TraceText/EnumNames.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

static void writeHeap(json::OStream &J, const PageInput &F,
                      const HeapOverview &H) {
  J.attribute("name",
              jsonText(H.Heap ? F.heapName(H.Heap) : F.T.spaceName(H.Space)));
  J.attribute("is_space", H.Heap == 0);
  J.attribute("space", jsonText(F.T.spaceName(H.Space)));
  J.attribute("allocations", H.Stats.Allocations);
  J.attribute("frees", H.Stats.Frees);
  J.attribute("temporaries", H.Stats.Temporaries);
  J.attribute("allocated_bytes", H.Stats.AllocatedBytes);
  J.attribute("live_bytes", jsonIfKnown(H.Stats.LiveBytes <= H.Stats.PeakBytes,
                                        H.Stats.LiveBytes));
  J.attribute("live_at_exits_bytes", H.Stats.LiveBytes);
  J.attribute("live_blocks", H.Stats.LiveBlocks);
  J.attribute("peak_bytes", H.Stats.PeakBytes);
  J.attribute("peak_blocks", H.Stats.PeakBlocks);
  J.attribute("peak_time_ns", H.Stats.PeakTimeNs);
  J.attribute("peak_step", jsonOrNull(H.PeakStep));
  J.attribute("mean_bytes", H.MeanBytes);
  J.attribute("allocated_bytes_per_second", H.BytesPerSecond);
  J.attributeArray("sizes", [&] {
    for (size_t K = 0; K != H.Sizes.size(); ++K)
      if (H.Sizes[K])
        J.object([&] {
          J.attribute("from_bytes", sizeClassBegin(K));
          J.attribute("allocations", H.Sizes[K]);
        });
  });
  J.attributeArray("peak_stacks", [&] {
    for (const PeakStack &P : H.AtPeak)
      J.object([&] {
        J.attribute("heap", jsonText(F.heapName(P.Heap)));
        J.attribute("bytes", P.Bytes);
        J.attribute("blocks", P.Blocks);
        J.attributeBegin("stack");
        writeStack(J, F.T, P.Stack);
        J.attributeEnd();
      });
  });
}

static void writeNow(json::OStream &J, bool Known,
                     const HeapFragmentation::FragmentationTimePoint &M) {
  J.attribute("reserved_bytes",
              Known ? json::Value(M.Reserved) : json::Value(nullptr));
  J.attribute("allocated_bytes", M.Allocated);
  J.attribute("active_bytes", jsonOrNull(M.Active));
  bool HasInactive = M.Active && *M.Active <= M.Reserved;
  J.attribute("inactive_bytes", HasInactive
                                    ? json::Value(M.Reserved - *M.Active)
                                    : json::Value(nullptr));
  J.attribute("fragmentation_ppm", jsonOrNull(M.Ppm));
}

static void writeFragmentation(json::OStream &J, const PageInput &F,
                               const HeapFragmentation &H) {
  J.attribute("heap", jsonText(F.heapName(H.Heap)));
  J.attributeObject("now", [&] { writeNow(J, H.Known, H.Now); });
  J.attributeObject("at_peak", [&] { writeNow(J, H.Known, H.AtPeak); });
  J.attribute("reserved_peak_bytes",
              H.Known ? json::Value(H.ReservedPeak) : json::Value(nullptr));
  J.attribute("active_peak_bytes", jsonOrNull(H.ActivePeak));
  J.attribute("trims", H.Trimmed.Count);
  J.attribute("trimmed_bytes", H.Trimmed.Bytes);
  J.attribute("largest_ppm", jsonOrNull(H.LargestPpm));
  J.attribute("first_quarter_ppm", jsonOrNull(H.FirstPpm));
  J.attribute("last_quarter_ppm", jsonOrNull(H.LastPpm));
  J.attributeArray("pools", [&] {
    for (const PoolPeak &P : H.Pools)
      J.object([&] {
        J.attribute("pid", F.T.processes()[P.Process - 1].Pid);
        J.attribute("pool", P.Pool);
        J.attribute("reserved_peak_bytes", P.Reserved);
        J.attribute("active_peak_bytes", P.Active);
        J.attribute("trims", P.Trimmed.Count);
        J.attribute("trimmed_bytes", P.Trimmed.Bytes);
      });
  });
}

static void writeGapParts(json::OStream &J, const DeviceGap::GapTimePoint &M) {
  auto OrNull = [&](std::optional<uint64_t> Bytes) {
    return M.IsReported ? jsonOrNull(Bytes) : json::Value(nullptr);
  };
  J.attribute("contexts_bytes", OrNull(M.Parts.Contexts));
  J.attribute("modules_bytes", OrNull(M.Parts.Modules));
  J.attribute("other_processes_bytes", OrNull(M.Parts.Others));
  J.attribute("unknown_bytes", OrNull(M.unknown()));
}

static void writeGapTimePoint(json::OStream &J,
                              const DeviceGap::GapTimePoint &M,
                              uint64_t TotalBytes) {
  J.attribute("time_ns", M.TimeNs);
  J.attribute("used_bytes", M.Used);
  J.attribute("accounted_bytes", M.Accounted);
  J.attribute("gap_bytes", M.gap());
  writeGapParts(J, M);
  J.attribute("machine_available_bytes", jsonOrNull(M.Available));
  J.attribute("resident_bytes", jsonOrNull(M.Resident));
  J.attribute("machine_rest_bytes", jsonIfKnown(M.Available.has_value(),
                                                M.restOfMachine(TotalBytes)));
}

static void writeGap(json::OStream &J, const PageInput &F, const DeviceGap &G) {
  J.attribute("device", jsonText(F.T.spaceName(G.Device)));
  J.attribute("total_bytes",
              G.TotalBytes ? json::Value(G.TotalBytes) : json::Value(nullptr));
  J.attribute("samples", G.Samples);
  auto Write = [&](StringRef Key, const DeviceGap::GapTimePoint &M) {
    J.attributeObject(Key, [&] { writeGapTimePoint(J, M, G.TotalBytes); });
  };
  Write("most_used", G.MaxUsed);
  Write("largest", G.Largest);
  Write("last", G.Now);
  J.attributeArray("growth", [&] {
    for (const DeviceGap::Rise &R : G.Rises)
      J.object([&] {
        J.attribute("grown_bytes", R.bytes());
        J.attribute("step", jsonOrNull(stepAt(F.T, R.To.TimeNs)));
        Write("from", R.From);
        Write("to", R.To);
      });
  });
  J.attribute("shares_machine_memory", G.SharesMemory);
  J.attributeArray("causes", [&] {
    for (const GapFinding &C : G.Causes)
      J.object([&] {
        J.attribute("cause", gapCauseKey(C.Cause));
        J.attribute("severity", gapSeverityName(C.Severity));
        J.attribute("bytes", C.Bytes);
        J.attribute("since_ns", C.SinceNs);
        J.attribute("step", jsonOrNull(stepAt(F.T, C.SinceNs)));
        J.attribute("times", C.Times);
        J.attribute("bytes_per_second", C.BytesPerSecond);
        J.attribute("help", gapHelp(C.Cause));
      });
  });
}

static void writeSuggestion(json::OStream &J, const PageInput &F,
                            const Suggestion &S) {
  J.attribute("rule", adviceName(S.What));
  J.attribute("heap",
              S.Heap ? jsonText(F.heapName(S.Heap)) : json::Value(nullptr));
  J.attribute("bytes", S.Bytes);
  J.attribute("of_bytes", S.Whole ? json::Value(S.Whole) : nullptr);
  J.attribute("count", S.Count ? json::Value(S.Count) : nullptr);
  J.attribute("of_count", S.OutOf ? json::Value(S.OutOf) : nullptr);
  J.attribute("layer",
              S.Layer ? jsonText(F.T.string(S.Layer)) : json::Value(nullptr));
  J.attribute("process", S.Process ? json::Value(S.Process) : nullptr);
  J.attributeBegin("stack");
  if (S.Stack)
    writeStack(J, F.T, S.Stack);
  else
    J.value(nullptr);
  J.attributeEnd();
  J.attribute("text", jsonText(adviceText(F, S)));
}

/// The last out-of-memory event; memdump --oom --format=json has all.
void writeOomJson(json::OStream &J, const PageInput &F) {
  if (!F.O.Oom)
    return J.attribute("out_of_memory", nullptr);
  const OomMoment &M = *F.O.Oom;
  J.attributeObject("out_of_memory", [&] {
    J.attribute("times", F.R.OomFailures);
    J.attribute("kind", enumName(M.Event.What.Kind));
    J.attribute("time_ns", M.Event.What.TimeNs);
    J.attribute("requested_bytes", M.Event.What.Requested);
    J.attribute("heap", jsonText(F.heapName(M.Event.What.Heap)));
    J.attribute("reason", jsonText(oomReason(F.T, *F.O.Where, M)));
    J.attribute("held_by", jsonText(oomHolders(*F.O.Where, M)));
    J.attribute("advice", jsonText(oomAdvice(F.T, *F.O.Where, M)));
  });
}

static void writePlaceStats(json::OStream &J, const PageInput &F,
                            const PlaceStats &P) {
  J.attribute("space", jsonText(F.T.spaceName(P.Space)));
  writePlace(J, *F.O.Where, F.O.Where->place(P.Place));
  J.attribute("at_peak_bytes", P.PeakBytes);
  J.attribute("at_peak_blocks", P.PeakBlocks);
  J.attribute("live_bytes", P.LiveBytes);
  J.attribute("allocations", P.Allocations);
  J.attribute("allocated_bytes", P.AllocatedBytes);
  J.attribute("temporaries", P.Temporaries);
}

static void writeGrowing(json::OStream &J, const PageInput &F,
                         const LineGrowth &L) {
  writePlace(J, *F.O.Where, L.Where);
  J.attribute("process", L.Process);
  J.attribute("bytes_per_step", L.HasSteps ? json::Value(L.Rate) : nullptr);
  J.attribute("bytes_per_second", L.HasSteps ? nullptr : json::Value(L.Rate));
  J.attribute("growth_bytes", L.Rise);
  J.attribute("verdict", growthWordName(L.Word));
  J.attribute("until_ns", L.isGrowing() ? nullptr : json::Value(L.UntilNs));
  J.attribute("freed_ns", L.FreedNs ? json::Value(L.FreedNs) : nullptr);
  J.attribute("freed_at_exit", L.FreedAtExit);
  J.attribute("bytes", L.Bytes);
  J.attribute("blocks", L.Blocks);
  J.attribute("findings", uint64_t(L.Findings.size()));
}

/// Writes the attribute Key, an array with an object for each item.
static void writeList(json::OStream &J, const PageInput &F, StringRef Key,
                      const auto &Items, auto Write) {
  J.attributeArray(Key, [&] {
    for (const auto &Item : Items)
      J.object([&] { Write(J, F, Item); });
  });
}

void writeVersionsJson(json::OStream &J, const PageInput &F) {
  J.attributeArray("versions", [&] {
    for (StringRef Version : F.O.Versions)
      J.value(jsonText(Version));
  });
}

void writeRanksJson(json::OStream &J, const PageInput &F) {
  if (F.Ranks)
    J.attributeObject("ranks_of_job", [&] { writeJobJson(J, *F.Ranks); });
  else
    J.attribute("ranks_of_job", nullptr);
}

void writeNamesJson(json::OStream &J, const PageInput &F) {
  constexpr size_t Max = 64;
  writeRowsJson(J, "names",
                *holderColumns().rows(ArrayRef(F.O.Names).take_front(Max)));
}

void writeSuggestionJson(json::OStream &J, const PageInput &F) {
  writeList(J, F, "suggestions", F.O.Suggestions, writeSuggestion);
}

void writeHeapJson(json::OStream &J, const PageInput &F) {
  writeList(J, F, "heap_list", F.O.Heaps, writeHeap);
}

void writeFragmentationJson(json::OStream &J, const PageInput &F) {
  writeList(J, F, "fragmentation", F.O.Fragmentation, writeFragmentation);
}

void writeGapJson(json::OStream &J, const PageInput &F) {
  writeList(J, F, "gap", F.O.Gaps, writeGap);
}

void writePlacesJson(json::OStream &J, const PageInput &F) {
  writeList(J, F, "places", F.O.Places, writePlaceStats);
  ArrayRef<LineGrowth> Growth = F.O.Growing;
  size_t Growing =
      Growth.take_while([](const LineGrowth &L) { return L.isGrowing(); })
          .size();
  writeList(J, F, "growing", Growth.take_front(Growing), writeGrowing);
  writeList(J, F, "grew", Growth.drop_front(Growing), writeGrowing);
}

/// The sections in the order of their attributes. Attributes are added at the
/// end, so that scripts that compare outputs see additions alone: the order is
/// that of the list below, then that of the page.
static std::vector<const StatSection *> jsonOrder() {
  static constexpr StringLiteral First[] = {
      "machine",   "ranks",      "most",      "verdict",  "suggestions",
      "heaps",     "reserved",   "gap",       "resident", "steps",
      "layers",    "parameters", "rounding",  "dtypes",   "programs",
      "operators", "threads",    "libraries", "lines",    "timeline"};
  std::vector<const StatSection *> Out;
  for (const StatSection &S : statSections())
    if (S.WriteJson)
      Out.push_back(&S);
  stable_sort(Out, [](const StatSection *A, const StatSection *B) {
    return find(First, A->Name) < find(First, B->Name);
  });
  return Out;
}

void writeStatJson(raw_ostream &OS, const PageInput &F) {
  json::OStream J(OS, /*IndentSize=*/1);
  J.object([&] {
    writeRunJson(J, F.R, F.T, queryCategories(F.T));
    for (const StatSection *S : jsonOrder())
      S->WriteJson(J, F);
  });
  OS << '\n';
}

} // namespace memkit
