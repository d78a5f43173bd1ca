// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A run for scripts.

#include "EnumNames.h"
#include "ReportPrinters.h"
#include "Support/Json.h"
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
    J.attribute(Key, jsonIfKnown(T.ReservedKnown && Reserved, Ppm));
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

static void process(json::OStream &J, const ProcessReport &I, const Trace &Of) {
  const std::optional<ProcessStats> &T = I.Stats;
  J.attribute("id", I.Id);
  J.attribute("pid", I.Pid);
  J.attribute("parent_id", jsonIfKnown(I.Parent, I.Parent));
  J.attributeArray("command", [&] {
    for (StringRef Word : I.Command)
      J.value(jsonText(Word));
  });
  J.attribute("role", jsonTextOrNull(I.Role));
  J.attribute("rank", jsonIfKnown(I.Place.Rank >= 0, I.Place.Rank));
  J.attribute("local_rank",
              jsonIfKnown(I.Place.LocalRank >= 0, I.Place.LocalRank));
  J.attribute("world_size",
              jsonIfKnown(I.Place.WorldSize >= 0, I.Place.WorldSize));
  J.attribute("node", jsonIfKnown(I.Place.Node >= 0, I.Place.Node));
  J.attribute("attempt", jsonIfKnown(I.Place.Attempt >= 0, I.Place.Attempt));
  J.attribute("job", jsonTextOrNull(I.Job));
  J.attribute("host", jsonTextOrNull(I.Host));
  J.attribute("exit_status",
              jsonIfKnown(T && T->ExitStatus >= 0, T ? T->ExitStatus : 0));
  J.attribute("signal", jsonIfKnown(T && T->Signal, T ? T->Signal : 0));
  J.attribute("recorded", I.IsRecorded);
  J.attribute("why_not", jsonTextOrNull(I.WhyNot));
  uint64_t Rss = T ? T->RssPeakBytes : 0, Pss = T ? T->PssPeakBytes : 0;
  J.attribute("peak_bytes", T ? T->PeakBytes : 0);
  J.attribute("rss_peak_bytes", jsonIfKnown(Rss, Rss));
  J.attribute("pss_peak_bytes", jsonIfKnown(Pss, Pss));
  SpaceShares Shares;
  if (T) {
    SpaceShare &Host = Shares.emplace_back();
    Host.LiveBytes = T->LiveBytes;
    Host.PeakBytes = T->PeakBytes;
    Shares.insert(Shares.end(), T->Shares.begin(), T->Shares.end());
  }
  writeSpaces(J, Of, Shares, SO_Process);
}

void memkit::writeProcessesJson(json::OStream &J, const RunReport &R,
                                const Trace &T) {
  J.attributeArray("processes", [&] {
    for (const ProcessReport &I : R.Processes)
      J.object([&] { process(J, I, T); });
  });
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
  writeProcessesJson(J, R, T);
  J.attribute("stacks", R.Stacks);
  J.attribute("nodes", R.Nodes);
  J.attribute("threads", R.Threads);
  J.attribute("steps", R.Steps);
  J.attribute("layers", R.Layers);
  writeCategoriesJson(J, T, Categories, /*WithLayers=*/false);
  J.attribute("ooms", R.Ooms);
  if (R.Unknown.any())
    J.attributeObject("unknown", [&] {
      for (size_t K = 0; K != UnknownValues::NumOf; ++K)
        J.attribute(UnknownValues::name(UnknownValues::Of(K)),
                    R.Unknown.Counts[K]);
    });
}
