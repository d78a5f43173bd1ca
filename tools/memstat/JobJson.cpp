// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A job as JSON.

#include "JobPage.h"
#include "Support/Json.h"
#include "TraceText/EnumNames.h"

using namespace llvm;

namespace memkit {

static json::Value numberIfKnown(int32_t Number) {
  return jsonIfKnown(Number >= 0, Number);
}

static json::Value stepIfKnown(std::optional<uint64_t> Step) {
  return Step ? json::Value(*Step) : json::Value(nullptr);
}

static void space(json::OStream &J, const JobRank &R, const RankSpace &S) {
  auto Known = [](uint64_t Bytes) { return jsonIfKnown(Bytes != 0, Bytes); };
  J.attribute("name", jsonText(S.Name));
  J.attribute("peak_bytes", S.PeakBytes);
  J.attribute("peak_is_upper_bound", S.IsUpperBound);
  J.attribute("peak_is_lower_bound", R.CutNs.has_value());
  J.attribute("peak_step", stepIfKnown(S.PeakStep));
  J.attribute("live_bytes", S.LiveBytes);
  J.attribute("growth_bytes_per_step", S.GrowthPerStep);
  J.attribute("leak_bytes_per_second", S.LeakPerSecond);
  J.attribute("reserved_peak_bytes", Known(S.ReservedPeakBytes));
  J.attribute("used_peak_bytes", Known(S.UsedPeakBytes));
  J.attribute("unexplained_bytes",
              jsonIfKnown(S.UsedPeakBytes != 0, S.UnexplainedBytes));
  J.attribute("total_bytes", Known(S.TotalBytes));
}

static void oom(json::OStream &J, const JobReport &Of, const JobRank &R) {
  if (!R.Oom) {
    J.attribute("oom", nullptr);
    return;
  }
  J.attributeObject("oom", [&] {
    J.attribute("time_ns", R.Oom->TimeNs);
    J.attribute("space", jsonText(R.Oom->Space));
    J.attribute("step", stepIfKnown(R.Oom->Step));
    J.attribute("requested_bytes",
                jsonIfKnown(R.Oom->Requested != 0, R.Oom->Requested));
    J.attribute("events", R.Oom->Count);
  });
}

static StringRef endName(RankEnd E) {
  static constexpr StringLiteral Names[] = {"exited", "failed", "killed",
                                            "not_ended", "recording"};
  return Names[size_t(E)];
}

/// The fields of a rank; without the corrected clock, which the last attempts
/// alone have.
static void rank(json::OStream &J, const JobReport &Of, const JobRank &R) {
  J.attribute("rank", numberIfKnown(R.Rank));
  J.attribute("trace", jsonText(Of.Files[R.File].Path));
  J.attribute("process_id", R.Main);
  J.attribute("pid", R.Pid);
  J.attribute("program", jsonTextOrNull(R.Program));
  J.attribute("local_rank", numberIfKnown(R.LocalRank));
  J.attribute("world_size", numberIfKnown(R.WorldSize));
  J.attribute("node", numberIfKnown(R.Node));
  J.attribute("attempt", numberIfKnown(R.Attempt));
  J.attribute("job", jsonTextOrNull(R.Job));
  J.attribute("host", jsonTextOrNull(R.Host));
  J.attribute("processes", R.Processes.size());
  J.attributeArray("spaces", [&] {
    for (const RankSpace &S : R.Spaces)
      J.object([&] { space(J, R, S); });
  });
  J.attribute("rss_peak_bytes",
              jsonIfKnown(R.RssPeakBytes != 0, R.RssPeakBytes));
  J.attribute("steps", R.NumSteps);
  J.attribute("last_step", stepIfKnown(R.LastStep));
  oom(J, Of, R);
  J.attribute("end", endName(R.End));
  J.attribute("exit_status",
              jsonIfKnown(R.End == RankEnd::Failed || R.End == RankEnd::Exited,
                          R.EndValue));
  J.attribute("signal", jsonIfKnown(R.End == RankEnd::Killed, R.EndValue));
  J.attribute("recording_is_cut", R.CutNs.has_value());
  J.attribute("recording_cut_after_ns",
              jsonIfKnown(R.CutNs.has_value(), R.CutNs ? R.cutAfterNs() : 0));
  J.attribute("lost_events", R.Lost);
}

static StringRef metricField(RankMetric M) {
  static constexpr StringLiteral Names[NumRankMetrics] = {
      "device_peak",   "device_reserved", "device_unexplained",
      "device_growth", "host_peak",       "host_growth",
      "rss_peak"};
  return Names[size_t(M)];
}

static void outliers(json::OStream &J, const JobInput &In) {
  for (const RankOutlier &O : In.J.Outliers)
    J.object([&] {
      J.attribute("rank", numberIfKnown(In.J.Ranks[O.Rank].Rank));
      J.attribute("trace", jsonText(In.J.Files[In.J.Ranks[O.Rank].File].Path));
      J.attribute("metric", metricField(O.Metric));
      J.attribute("value", O.Value);
      J.attribute("median", O.Median);
      J.attribute("ranks_compared", O.Compared);
      J.attribute("typical_rank", numberIfKnown(In.J.Ranks[O.Typical].Rank));
    });
}

static void differences(json::OStream &J, const JobInput &In) {
  for (const JobDetail &D : In.Details)
    for (const RankDifference &X : D.More)
      J.object([&] {
        J.attribute("rank", numberIfKnown(In.J.Ranks[D.Rank].Rank));
        J.attribute("of", D.OfGrowth ? "live" : "peak");
        J.attribute("kind", X.Part == RankPart::Line    ? "line"
                            : X.Part == RankPart::Layer ? "layer"
                                                        : "category");
        J.attribute("name", jsonText(X.Part == RankPart::Category
                                         ? categoryName(X.Category)
                                         : X.Name));
        J.attribute("bytes", X.Bytes);
        J.attribute("typical_bytes", X.Typical);
      });
}

static void groups(json::OStream &J, const JobReport &Of) {
  for (const JobGroup &G : Of.Groups)
    J.object([&] {
      J.attribute("program", jsonTextOrNull(G.Program));
      J.attribute("layer", jsonTextOrNull(G.Layer));
      J.attribute("layers", G.NumLayers);
      J.attributeArray("ranks", [&] {
        for (size_t I : G.Ranks)
          J.value(numberIfKnown(Of.Ranks[I].Rank));
      });
      J.attributeObject("medians", [&] {
        for (unsigned M = 0; M != NumRankMetrics; ++M)
          J.attribute(metricField(RankMetric(M)), G.Median[M]);
      });
    });
}

static void groupOutliers(json::OStream &J, const JobReport &Of) {
  for (const GroupOutlier &G : Of.GroupOutliers)
    J.object([&] {
      J.attribute("dimension", jsonText(Of.Dimensions[G.Dimension].Name));
      J.attribute("place", G.Place);
      J.attribute("metric", metricField(G.Metric));
      J.attributeArray("ranks", [&] {
        for (size_t I : G.Ranks)
          J.value(numberIfKnown(Of.Ranks[I].Rank));
      });
      J.attribute("median", G.Value);
      J.attribute("others_median", G.Others);
      J.attribute("typical_rank", numberIfKnown(Of.Ranks[G.Typical].Rank));
      J.attribute("typical_other_rank",
                  numberIfKnown(Of.Ranks[G.TypicalOther].Rank));
    });
}

static void nodes(json::OStream &J, const JobInput &In) {
  for (size_t I = 0; I != In.J.Nodes.size(); ++I)
    J.object([&] {
      const JobNode &N = In.J.Nodes[I];
      J.attribute("host", jsonTextOrNull(N.Host));
      J.attribute("ranks", N.Ranks.size());
      J.attribute("device_peak_bytes", N.DevicePeak);
      J.attribute("host_peak_sum_bytes", N.HostPeakSum);
      bool IsKnown = I < In.Together.size() && In.Together[I].Bytes;
      TogetherPeak Together = IsKnown ? In.Together[I] : TogetherPeak();
      J.attribute("host_together_bytes", jsonIfKnown(IsKnown, Together.Bytes));
      J.attribute("host_together_ns", jsonIfKnown(IsKnown, Together.TimeNs));
      J.attribute("host_together_age_ns", jsonIfKnown(IsKnown, Together.AgeNs));
      J.attribute("rss_sum_bytes", N.RssSum);
    });
}

static void firstOom(json::OStream &J, const JobReport &Of) {
  if (!Of.Oom) {
    J.attribute("first_oom", nullptr);
    return;
  }
  J.attributeObject("first_oom", [&] {
    const FirstOom &O = *Of.Oom;
    J.attribute("rank", numberIfKnown(Of.Ranks[O.Rank].Rank));
    J.attribute("realtime_ns", O.RealtimeNs);
    J.attribute("ranks_out_of_memory", O.NumRanks);
    J.attribute("others", O.NumOthers);
    J.attribute("others_median_bytes",
                jsonIfKnown(O.NumOthers != 0, O.MedianHeld));
    J.attribute("others_max_bytes", jsonIfKnown(O.NumOthers != 0, O.MaxHeld));
  });
}

void writeJobJson(json::OStream &J, const JobInput &In) {
  const JobReport &Of = In.J;
  auto Rows = [&](StringRef Name, ArrayRef<JobRank> Ranks) {
    J.attributeArray(Name, [&] {
      for (const JobRank &R : Ranks)
        J.object([&] { rank(J, Of, R); });
    });
  };
  J.attribute("job", jsonTextOrNull(Of.Job));
  J.attribute("world_size", numberIfKnown(Of.WorldSize));
  J.attribute("verdict", jsonText(jobVerdict(In)));
  Rows("ranks", Of.Ranks);
  J.attributeArray("missing_ranks", [&] {
    for (int32_t Rank : Of.Missing)
      J.value(Rank);
  });
  J.attributeArray("outliers", [&] { outliers(J, In); });
  J.attributeArray("group_outliers", [&] { groupOutliers(J, Of); });
  J.attributeArray("differences", [&] { differences(J, In); });
  J.attributeArray("groups", [&] { groups(J, Of); });
  J.attributeArray("machines", [&] { nodes(J, In); });
  firstOom(J, Of);
  J.attribute("first_failed_rank",
              Of.FirstFailure ? numberIfKnown(Of.Ranks[*Of.FirstFailure].Rank)
                              : json::Value(nullptr));
  J.attributeArray("clocks", [&] {
    for (const JobClock &C : Of.Clocks)
      J.object([&] {
        J.attribute("host", jsonTextOrNull(C.Host));
        J.attribute("ahead_ns", C.AheadNs);
        J.attribute("error_ns", C.ErrorNs);
        J.attribute("steps", C.NumSteps);
        J.attribute("collectives", C.NumCollectives);
      });
  });
  Rows("earlier_attempts", Of.Earlier);
  Rows("ranks_twice", Of.Twice);
  Rows("other_jobs", Of.OtherJobs);
  J.attributeArray("traces", [&] {
    for (const JobFile &F : Of.Files)
      J.object([&] {
        J.attribute("path", jsonText(F.Path));
        J.attribute("error", jsonTextOrNull(F.Error));
      });
  });
}

} // namespace memkit
