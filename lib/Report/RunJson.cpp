// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A run for scripts.

#include "Export/TableText.h"
#include "RunPrinters.h"
#include "Support/Json.h"
#include "Tables/Columns.h"
#include "TraceText/EnumNames.h"
#include "memkit/Model/Imported.h"

using namespace llvm;
using namespace memkit;

/// Writes the standard errors of estimates; exact values have none.
static void errors(json::OStream &J, double Allocated, double Live,
                   double Peak) {
  J.attribute("allocated_stderr_bytes", standardError(Allocated));
  J.attribute("live_stderr_bytes", standardError(Live));
  J.attribute("peak_stderr_bytes", standardError(Peak));
}

static void totals(json::OStream &J, const TotalStats &T) {
  J.attribute("allocated_bytes", T.AllocatedBytes);
  J.attribute("freed_bytes", T.FreedBytes);
  // Processes end at different times, so that the sum of what lived at their
  // ends may be more than ever lived at a time.
  J.attribute("live_bytes",
              jsonIfKnown(T.LiveBytes <= T.PeakBytes, T.LiveBytes));
  J.attribute("live_at_exits_bytes", T.LiveBytes);
  J.attribute("live_blocks", T.LiveBlocks);
  J.attribute("peak_bytes", T.PeakBytes);
  J.attribute("peak_time_ns", T.PeakTimeNs);
}

static void events(json::OStream &J, const RunReport &R) {
  J.attribute("allocations", R.Allocations);
  J.attribute("frees", R.Frees);
  J.attribute("marks", R.Marks);
  J.attribute("lost", R.Lost);
  J.attribute("inherited_frees", R.InheritedFrees);
}

static void losses(json::OStream &J, const RunReport &R) {
  for (size_t K = 0; K < NumLossCounts; ++K) {
    LossKind Kind = lossKindAt(K);
    if (Kind == LossKind::Unknown && !R.Losses[K])
      continue;
    std::string Name = enumName(Kind).str();
    std::replace(Name.begin(), Name.end(), '-', '_');
    J.attribute(Name, R.Losses[K]);
  }
}

static void heap(json::OStream &J, const HeapReport &H) {
  const HeapStats &T = H.Stats;
  J.attribute("name", jsonText(H.Name));
  J.attribute("space", jsonText(H.SpaceName));
  J.attribute("parent", jsonTextOrNull(H.Parent));
  J.attribute("allocations", T.Allocations);
  J.attribute("frees", T.Frees);
  totals(J, T);
  J.attribute("reserved_peak_bytes",
              jsonIfKnown(T.ReservedKnown, T.ReservedPeakBytes));
  auto Fragmentation = [&](const char *Key, uint64_t Reserved, uint32_t Ppm) {
    // Of a heap without blocks nothing tells which part is free.
    bool IsKnown = T.ReservedKnown && Reserved && T.PeakBytes;
    J.attribute(Key, jsonIfKnown(IsKnown, Ppm));
  };
  J.attribute("reserved_bytes", jsonIfKnown(T.ReservedKnown, T.ReservedBytes));
  Fragmentation("fragmentation_ppm", T.ReservedBytes,
                fragmentationPpm(T.ReservedBytes, T.LiveBytes));
  Fragmentation("fragmentation_at_peak_ppm", T.ReservedAtPeakBytes,
                fragmentationPpm(T.ReservedAtPeakBytes, T.PeakBytes));
  Fragmentation("fragmentation_at_growth_ppm", T.ReservedPeakBytes,
                T.GrowthFragmentationPpm);
  J.attribute("sample_bytes", jsonIfKnown(H.SampleBytes, H.SampleBytes));
  J.attribute("in_totals", H.InTotals);
  if (!H.IsEstimate)
    return;
  const SampleVariances &V = H.Variances;
  errors(J, V.Allocated, V.Live, V.HeapPeak);
  J.attribute("allocations_stderr",
              jsonIfKnown(V.Allocations != 0, standardError(V.Allocations)));
}

/// The totals of a memory space.
static void space(json::OStream &J, const SpaceReport &S) {
  totals(J, S.Stats);
  if (!S.IsEstimate)
    return;
  const SampleVariances &V = S.Variances;
  errors(J, V.Allocated, V.LiveExclusive, V.SpacePeak);
  J.attribute("allocations_stderr",
              jsonIfKnown(V.Allocations != 0, standardError(V.Allocations)));
}

RowListRef memkit::processObjects(const RunReport &R, const Trace &T) {
  return processColumns(T)
      .pick("process_id as id, process as pid, parent_id, words as command, "
            "role, rank, local_rank, world_size, node, attempt, job, host, "
            "exit_status, signal, recorded, why_not, peak_or_0_bytes as "
            "peak_bytes, rss_if_any_bytes as rss_peak_bytes, pss_if_any_bytes "
            "as pss_peak_bytes, spaces")
      .rows(R.Processes);
}

RowListRef memkit::categoryObjects(const Trace &T,
                                   ArrayRef<CategorySum> Categories,
                                   bool OfHeaps) {
  std::vector<ColumnPick> Picks =
      picksOf("category_key as category, bytes, blocks, layers");
  if (OfHeaps)
    Picks.insert(Picks.begin(), {"heap"});
  return categoryColumns(T).pick(Picks).rows(
      categoryRows(Categories, /*Whole=*/0));
}

void memkit::writeRunJson(json::OStream &J, const RunReport &R, const Trace &T,
                          ArrayRef<CategorySum> Categories) {
  J.attribute("format_version", R.Run.Format);
  J.attributeArray("command", [&] {
    for (const std::string &Word : R.Run.Command)
      J.value(jsonText(Word));
  });
  J.attribute("duration_ns", R.EndNs);
  J.attribute("complete", R.IsComplete);
  J.attribute("rank", jsonIfKnown(R.Run.Rank >= 0, R.Run.Rank));
  J.attribute("host", jsonText(R.Run.Host));
  J.attributeArray("machine", [&] {
    for (const std::string &Fact : R.Run.Machine)
      J.value(jsonText(Fact));
  });
  if (ImportedFrom From = importedFrom(R.Run))
    J.attributeObject("imported", [&] {
      J.attribute("format", jsonText(From.Format));
      J.attribute("version", jsonText(From.Version));
      J.attribute("file", jsonText(From.File));
      J.attributeArray("lacks", [&] {
        for (Lack L : From.Lacks)
          J.value(lackName(L));
      });
    });
  J.attributeObject("events", [&] { events(J, R); });
  J.attributeObject("losses", [&] { losses(J, R); });
  J.attributeObject("totals", [&] { space(J, R.Spaces[0]); });
  J.attributeArray("spaces", [&] {
    for (const SpaceReport &S : R.Spaces)
      J.object([&] {
        J.attribute("name", jsonText(S.Name));
        space(J, S);
      });
  });
  J.attributeArray("heaps", [&] {
    for (const HeapReport &H : R.Heaps)
      J.object([&] { heap(J, H); });
  });
  writeRowsJson(J, "processes", *processObjects(R, T));
  J.attribute("stacks", R.Stacks);
  J.attribute("nodes", R.Nodes);
  J.attribute("threads", R.Threads);
  J.attribute("steps", R.Steps);
  J.attribute("layers", R.Layers);
  writeRowsJson(J, "categories",
                *categoryColumns(T)
                     .pick("heap, category_key as category, bytes, blocks")
                     .rows(categoryRows(Categories, /*Whole=*/0)));
  J.attribute("ooms", R.Ooms);
  if (R.Unknown.any())
    J.attributeObject("unknown", [&] {
      for (size_t K = 0; K != UnknownValues::NumOf; ++K)
        J.attribute(UnknownValues::name(UnknownValues::Of(K)),
                    R.Unknown.Counts[K]);
    });
}
