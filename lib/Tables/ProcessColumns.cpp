// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Columns of threads and processes.

#include "Columns.h"
#include "ShareColumns.h"
#include "Support/CommandText.h"
#include "Values.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace memkit {

static RowListRef processShares(const Trace &T, const ProcessReport &R) {
  SpaceShares Shares;
  if (R.Stats) {
    SpaceShare &Host = Shares.emplace_back();
    Host.LiveBytes = R.Stats->LiveBytes;
    Host.PeakBytes = R.Stats->PeakBytes;
    append_range(Shares, R.Stats->Shares);
  }
  return shareRows(T, Shares, ShareOf::Process);
}

TableMaker<ThreadStats> threadColumns(const Trace &T) {
  using R = ThreadStats;
  auto Of = [&T](const R &S) -> const memkit::Thread & {
    return T.threads()[S.Thread - 1];
  };
  TableMaker<R> M;
  M.id("thread", [=](const R &S) { return Of(S).Tid; })
      .id("thread_id", [](const R &S) { return S.Thread; })
      .text("name", [=, &T](const R &S) { return T.string(Of(S).Name).str(); })
      .id("process", [=, &T](const R &S) { return pidOf(T, Of(S).Process); })
      .id("process_id", [=](const R &S) { return Of(S).Process; })
      .text("process_name",
            [=, &T](const R &S) {
              uint32_t Process = Of(S).Process;
              return Process ? T.processName(Process).str() : std::string();
            })
      .field("allocations", &R::Allocations)
      .field("allocated_bytes", &R::AllocatedBytes)
      .field("nested_bytes", &R::NestedBytes);
  return M;
}

static RowListRef wordRows(ArrayRef<StringRef> Words) {
  TableMaker<StringRef> M;
  M.name("", [](const StringRef &Word) { return Word.str(); });
  return M.rows({Words.begin(), Words.end()});
}

static std::string endText(const std::optional<ProcessStats> &T) {
  if (!T || !T->Ended)
    return "not ended";
  if (T->Signal)
    return "signal " + std::to_string(T->Signal);
  return T->ExitStatus < 0 ? "ended" : "exit " + std::to_string(T->ExitStatus);
}

/// `not recorded: ...` for a process that is not recorded.
static std::string endOrReason(const ProcessReport &R) {
  return R.IsRecorded ? endText(R.Stats) : ("not recorded: " + R.WhyNot).str();
}

/// The same, behind the exit status.
static std::string endAndReason(const ProcessReport &R) {
  bool HasStatus = R.Stats && R.Stats->ExitStatus >= 0;
  return (!R.IsRecorded && HasStatus ? endText(R.Stats) + ", " : "") +
         endOrReason(R);
}

static std::string devicePeaks(const Trace &T, const ProcessReport &R) {
  std::string Text;
  if (R.Stats)
    for (const SpaceShare &D : R.Stats->Shares)
      Text += (Text.empty() ? "" : ", ") + formatSize(D.PeakBytes) + " " +
              T.spaceName(D.Space).str();
  return Text;
}

/// Who a process is.
static void addIdentity(const Trace &T, TableMaker<ProcessReport> &To) {
  using R = ProcessReport;
  auto Place = [](int32_t JobPlace::*Field) {
    return [Field](const R &P) { return numberOf(P.Place.*Field); };
  };
  To.id("process", [](const R &P) { return P.Pid; })
      .id("process_id", [](const R &P) { return P.Id; })
      .maybe("parent", [&T](const R &P) { return ifAny(pidOf(T, P.Parent)); })
      .maybe("parent_id", [](const R &P) { return ifAny(P.Parent); })
      .text("name", [](const R &P) { return P.Name.str(); })
      .text("role", [](const R &P) { return oneLine(P.Role); })
      .text("command", [](const R &P) { return join(P.Command, " "); })
      .text("command_or_file",
            [](const R &P) {
              return oneLine(P.Command.empty() ? P.Exe.str()
                                               : join(P.Command, " "));
            })
      .list("words", [](const R &P) { return wordRows(P.Command); })
      .maybe("rank", Place(&JobPlace::Rank))
      .maybe("local_rank", Place(&JobPlace::LocalRank))
      .maybe("world_size", Place(&JobPlace::WorldSize))
      .maybe("node", Place(&JobPlace::Node))
      .maybe("attempt", Place(&JobPlace::Attempt))
      .text("job", [](const R &P) { return P.Job.str(); })
      .text("host", [](const R &P) { return P.Host.str(); });
}

TableMaker<ProcessReport> processColumns(const Trace &T) {
  using R = ProcessReport;
  using Stats = ProcessStats;
  auto Stat = [](uint64_t Stats::*Field) {
    return [Field](const R &P) {
      return P.Stats ? MaybeNumber((*P.Stats).*Field) : std::nullopt;
    };
  };
  auto Sampled = [](uint64_t Stats::*Field) {
    return
        [Field](const R &P) { return ifAny(P.Stats ? (*P.Stats).*Field : 0); };
  };
  auto Status = [](const R &P) {
    return P.Stats ? P.Stats->ExitStatus : int32_t(-1);
  };
  TableMaker<R> M;
  addIdentity(T, M);
  M.flag("recorded", [](const R &P) { return P.IsRecorded; })
      .text("why_not", [](const R &P) { return P.WhyNot.str(); })
      .maybe("end_ns", Stat(&Stats::EndNs))
      .text("end_or_reason", endOrReason)
      .text("end_and_reason", endAndReason)
      .maybe("exit_status", [=](const R &P) { return numberOf(Status(P)); })
      .maybe("exit_status_if_ended",
             [=](const R &P) {
               return P.Stats && P.Stats->Ended ? numberOf(Status(P))
                                                : std::nullopt;
             })
      .maybe("signal",
             [](const R &P) { return ifAny(P.Stats ? P.Stats->Signal : 0); })
      .maybe("allocations", Stat(&Stats::Allocations))
      .maybe("frees", Stat(&Stats::Frees))
      .maybe("lost", Stat(&Stats::Lost))
      .maybe("live_bytes", Stat(&Stats::LiveBytes))
      .maybe("peak_bytes", Stat(&Stats::PeakBytes))
      .number("live_or_0_bytes",
              [](const R &P) { return P.Stats ? P.Stats->LiveBytes : 0; })
      .number("peak_or_0_bytes",
              [](const R &P) { return P.Stats ? P.Stats->PeakBytes : 0; })
      .text("on_devices", [&T](const R &P) { return devicePeaks(T, P); })
      .maybe("rss_peak_bytes", Stat(&Stats::RssPeakBytes))
      .maybe("pss_peak_bytes", Stat(&Stats::PssPeakBytes))
      .maybe("rss_if_any_bytes", Sampled(&Stats::RssPeakBytes))
      .maybe("pss_if_any_bytes", Sampled(&Stats::PssPeakBytes))
      .list("spaces", [&T](const R &P) { return processShares(T, P); });
  return M;
}

} // namespace memkit
