// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ranks of a distributed job.

#include "Questions.h"
#include "TableMaker.h"
#include "memkit/Analysis/JobRanks.h"

using namespace llvm;

namespace memkit {

static std::optional<uint64_t> ifPlace(int32_t Number) {
  return Number >= 0 ? std::optional<uint64_t>(Number) : std::nullopt;
}

static StringRef endName(RankEnd E) {
  static constexpr StringLiteral Names[] = {"exited", "failed", "killed",
                                            "not ended", "recording"};
  return Names[size_t(E)];
}

using RankTable = TableMaker<JobRank>;

static void addPlace(RankTable &To) {
  To.maybe("rank", [](const JobRank &R) { return ifPlace(R.Rank); })
      .maybe("world_size",
             [](const JobRank &R) { return ifPlace(R.WorldSize); })
      .maybe("local_rank",
             [](const JobRank &R) { return ifPlace(R.LocalRank); })
      .maybe("node", [](const JobRank &R) { return ifPlace(R.Node); })
      .maybe("attempt", [](const JobRank &R) { return ifPlace(R.Attempt); })
      .text("job", [](const JobRank &R) { return R.Job; })
      .text("host", [](const JobRank &R) { return R.Host; })
      .text("program", [](const JobRank &R) { return R.Program; })
      .id("process", [](const JobRank &R) { return R.Pid; })
      .number("processes", [](const JobRank &R) { return R.Processes.size(); });
}

static void addDevice(RankTable &To) {
  auto Bytes = [](uint64_t RankSpace::*Field) {
    return [Field](const JobRank &R) -> std::optional<uint64_t> {
      const RankSpace *D = R.device();
      return D && D->*Field ? std::optional(D->*Field) : std::nullopt;
    };
  };
  To.text("device",
          [](const JobRank &R) {
            return R.device() ? R.device()->Name : std::string();
          })
      .maybe("device_peak_bytes", Bytes(&RankSpace::PeakBytes))
      .maybe("device_peak_step",
             [](const JobRank &R) {
               return R.device() ? R.device()->PeakStep : std::nullopt;
             })
      .maybe("device_live_bytes", Bytes(&RankSpace::LiveBytes))
      .maybe("device_reserved_bytes", Bytes(&RankSpace::ReservedPeakBytes))
      .maybe("device_used_bytes", Bytes(&RankSpace::UsedPeakBytes))
      .maybe("device_unexplained_bytes", Bytes(&RankSpace::UnexplainedBytes))
      .maybe("device_bytes", Bytes(&RankSpace::TotalBytes))
      .real("device_growth_per_step",
            [](const JobRank &R) -> std::optional<double> {
              return R.device() && R.NumSteps
                         ? std::optional(R.device()->GrowthPerStep)
                         : std::nullopt;
            });
}

static void addHost(RankTable &To) {
  To.number("host_peak_bytes",
            [](const JobRank &R) { return R.host().PeakBytes; })
      .flag("host_peak_is_upper_bound",
            [](const JobRank &R) { return R.host().IsUpperBound; })
      .number("host_live_bytes",
              [](const JobRank &R) { return R.host().LiveBytes; })
      .real("host_growth_per_step",
            [](const JobRank &R) -> std::optional<double> {
              return R.NumSteps ? std::optional(R.host().GrowthPerStep)
                                : std::nullopt;
            })
      .maybe("rss_peak_bytes", [](const JobRank &R) -> std::optional<uint64_t> {
        return R.RssPeakBytes ? std::optional(R.RssPeakBytes) : std::nullopt;
      });
}

static void addEnd(RankTable &To) {
  To.number("steps", [](const JobRank &R) { return R.NumSteps; })
      .maybe("last_step", [](const JobRank &R) { return R.LastStep; })
      .number("ooms", [](const JobRank &R) { return R.Oom ? R.Oom->Count : 0; })
      .maybe(
          "oom_step",
          [](const JobRank &R) { return R.Oom ? R.Oom->Step : std::nullopt; })
      .maybe("oom_requested_bytes",
             [](const JobRank &R) {
               return R.Oom ? std::optional(R.Oom->Requested) : std::nullopt;
             })
      .text("end", [](const JobRank &R) { return endName(R.End).str(); })
      .maybe("exit_status",
             [](const JobRank &R) {
               bool Known =
                   R.End == RankEnd::Exited || R.End == RankEnd::Failed;
               return ifPlace(Known ? R.EndValue : -1);
             })
      .maybe("signal",
             [](const JobRank &R) {
               return ifPlace(R.End == RankEnd::Killed ? R.EndValue : -1);
             })
      .number("lost", [](const JobRank &R) { return R.Lost; })
      .flag("recording_is_cut",
            [](const JobRank &R) { return R.CutNs.has_value(); });
}

TableAnswer ranksTable(const Trace &T) {
  Expected<std::vector<JobRank>> Rows = queryRanks(T);
  if (!Rows)
    return Rows.takeError();
  RankTable M;
  addPlace(M);
  addDevice(M);
  addHost(M);
  addEnd(M);
  return M.make(*Rows);
}

} // namespace memkit
