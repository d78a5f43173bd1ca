// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The summary for scripts.

#include "EnumNames.h"
#include "TraceSummary.h"

using namespace llvm;
using namespace memkit;

/// Names may hold any bytes; JSON holds UTF-8.
static json::Value text(StringRef S) {
  return json::isUTF8(S) ? S.str() : json::fixUTF8(S);
}

static json::Value textOrNull(StringRef S) {
  return S.empty() ? json::Value(nullptr) : text(S);
}

template <class T> static json::Value numberOrNull(bool Known, T N) {
  return Known ? json::Value(N) : json::Value(nullptr);
}

/// Of estimates; what is exact has none.
static void errors(json::OStream &J, double Allocated, double Live,
                   double Peak) {
  J.attribute("allocated_stderr_bytes", standardError(Allocated));
  J.attribute("live_stderr_bytes", standardError(Live));
  J.attribute("peak_stderr_bytes", standardError(Peak));
}

static void totals(json::OStream &J, const TotalStats &T) {
  J.attribute("allocated_bytes", T.AllocatedBytes);
  J.attribute("freed_bytes", T.FreedBytes);
  J.attribute("live_bytes", T.LiveBytes);
  J.attribute("live_blocks", T.LiveBlocks);
  J.attribute("peak_bytes", T.PeakBytes);
  J.attribute("peak_time_ns", T.PeakTimeNs);
}

static void events(json::OStream &J, const TraceSummary &S) {
  uint64_t Allocations = 0, Frees = 0, Inherited = 0;
  for (const ProcessStats &I : S.Stats.Processes) {
    Allocations += I.Allocations;
    Frees += I.Frees;
    Inherited += I.InheritedFrees;
  }
  J.attribute("allocations", Allocations);
  J.attribute("frees", Frees);
  J.attribute("marks", S.Stats.Marks);
  J.attribute("lost", S.lost());
  J.attribute("inherited_frees", Inherited);
}

static void losses(json::OStream &J, const TraceSummary &S) {
  uint64_t Counts[NumLossCounts] = {};
  for (const Loss &L : S.Stats.Losses)
    Counts[lossIndex(L.Kind)] += L.Count;
  for (size_t K = 0; K < NumLossCounts; ++K) {
    LossKind Kind = lossKindAt(K);
    if (Kind == LossKind::Unknown && !Counts[K])
      continue;
    std::string Name = enumName(Kind).str();
    std::replace(Name.begin(), Name.end(), '-', '_');
    J.attribute(Name, Counts[K]);
  }
}

static void heap(json::OStream &J, const TraceSummary &S, uint32_t Id) {
  const Heap &H = S.Heaps[Id - 1];
  HeapStats T = S.heapStats(Id);
  J.attribute("name", text(S.string(H.Name)));
  J.attribute("space", text(S.space(H.Space)));
  J.attribute("parent",
              H.Parent ? text(S.string(S.Heaps[H.Parent - 1].Name)) : nullptr);
  J.attribute("allocations", T.Allocations);
  J.attribute("frees", T.Frees);
  totals(J, T);
  J.attribute("reserved_peak_bytes",
              numberOrNull(T.ReservedKnown, T.ReservedPeakBytes));
  auto Fragmentation = [&](const char *Key, uint64_t Reserved, uint32_t Ppm) {
    J.attribute(Key, numberOrNull(T.ReservedKnown && Reserved, Ppm));
  };
  J.attribute("reserved_bytes", numberOrNull(T.ReservedKnown, T.ReservedBytes));
  Fragmentation("fragmentation_ppm", T.ReservedBytes,
                fragmentationPpm(T.ReservedBytes, T.LiveBytes));
  Fragmentation("fragmentation_at_peak_ppm", T.ReservedAtPeakBytes,
                fragmentationPpm(T.ReservedAtPeakBytes, T.PeakBytes));
  Fragmentation("fragmentation_at_growth_ppm", T.ReservedPeakBytes,
                T.GrowthFragmentationPpm);
  J.attribute("sample_bytes", numberOrNull(H.SampleBytes, H.SampleBytes));
  J.attribute("in_totals", !(H.Flags & HF_OutsideTotals));
  if (!S.isSampled(Id))
    return;
  SampleVariances V = S.heapVariances(Id);
  errors(J, V.Allocated, V.Live, V.HeapPeak);
  J.attribute("allocations_stderr",
              numberOrNull(V.Allocations != 0, standardError(V.Allocations)));
}

/// The totals of a memory space.
static void space(json::OStream &J, const TraceSummary &S, uint32_t Id) {
  totals(J, S.spaceStats(Id));
  if (!S.isSpaceSampled(Id))
    return;
  SampleVariances V = S.spaceVariances(Id);
  errors(J, V.Allocated, V.LiveExclusive, V.SpacePeak);
  J.attribute("allocations_stderr",
              numberOrNull(V.Allocations != 0, standardError(V.Allocations)));
}

static void process(json::OStream &J, const TraceSummary &S, uint32_t Id) {
  const ProcessRecord &I = S.Processes[Id - 1];
  const ProcessStats *T = S.processStats(Id);
  J.attribute("id", Id);
  J.attribute("pid", I.Pid);
  J.attribute("parent_id", numberOrNull(I.Parent, I.Parent));
  J.attributeArray("command", [&] {
    for (uint32_t Word : I.Command)
      J.value(text(S.string(Word)));
  });
  J.attribute("role", textOrNull(S.string(I.Role)));
  J.attribute("exit_status",
              numberOrNull(T && T->ExitStatus >= 0, T ? T->ExitStatus : 0));
  J.attribute("signal", numberOrNull(T && T->Signal, T ? T->Signal : 0));
  J.attribute("recorded", I.Recorded);
  J.attribute("why_not", textOrNull(S.string(I.WhyNot)));
  uint64_t Rss = T ? T->RssPeakBytes : 0, Pss = T ? T->PssPeakBytes : 0;
  J.attribute("peak_bytes", T ? T->PeakBytes : 0);
  J.attribute("rss_peak_bytes", numberOrNull(Rss, Rss));
  J.attribute("pss_peak_bytes", numberOrNull(Pss, Pss));
  SpaceShares Shares;
  if (T) {
    SpaceShare &Host = Shares.emplace_back();
    Host.LiveBytes = T->LiveBytes;
    Host.PeakBytes = T->PeakBytes;
    Shares.insert(Shares.end(), T->Shares.begin(), T->Shares.end());
  }
  writeSpaces(J, S, Shares, SO_Process);
}

void memkit::writeProcessesJson(json::OStream &J, const TraceSummary &S) {
  J.attributeArray("processes", [&] {
    for (uint32_t Id = 1; Id <= S.Processes.size(); ++Id)
      J.object([&] { process(J, S, Id); });
  });
}

void memkit::writeSummaryJson(json::OStream &J, const TraceSummary &S) {
  J.attribute("format_version", S.Header.Format);
  J.attributeArray("command", [&] {
    for (const std::string &Word : S.Header.Command)
      J.value(text(Word));
  });
  J.attribute("duration_ns", S.Stats.EndNs);
  J.attribute("complete", S.Complete);
  J.attribute("rank", numberOrNull(S.Header.Rank >= 0, S.Header.Rank));
  J.attribute("host", text(S.Header.Host));
  J.attributeObject("events", [&] { events(J, S); });
  J.attributeObject("losses", [&] { losses(J, S); });
  J.attributeObject("totals", [&] { space(J, S, 0); });
  J.attributeArray("spaces", [&] {
    for (uint32_t Id = 0; Id <= S.Devices.size(); ++Id)
      J.object([&] {
        J.attribute("name", text(S.space(Id)));
        space(J, S, Id);
      });
  });
  J.attributeArray("heaps", [&] {
    for (uint32_t Id = 1; Id <= S.Heaps.size(); ++Id)
      J.object([&] { heap(J, S, Id); });
  });
  writeProcessesJson(J, S);
  J.attribute("stacks", S.NumStacks);
  J.attribute("nodes", S.NumNodes);
  J.attribute("threads", S.NumThreads);
  J.attribute("steps", S.Stats.Steps.size());
  J.attribute("layers", S.layers().size());
  writeCategoriesJson(J, S, /*WithLayers=*/false);
  J.attribute("ooms", S.Stats.Ooms.size());
  if (S.Unknown.any())
    J.attributeObject("unknown", [&] {
      for (size_t K = 0; K != UnknownValues::NumOf; ++K)
        J.attribute(UnknownValues::name(UnknownValues::Of(K)),
                    S.Unknown.Counts[K]);
    });
}
