// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads and processes.

#include "Export/TableText.h"
#include "Sections.h"
#include "Tables/Columns.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

std::optional<PageSection> threadSection(const PageInput &F) {
  ArrayRef<ThreadStats> Threads = F.O.Threads;
  if (Threads.size() < 2)
    return std::nullopt;
  uint64_t Bytes = 0;
  for (const ThreadStats &T : Threads)
    Bytes += T.AllocatedBytes;
  size_t Shown = F.shown(Threads.size(), 3);
  PageSection Out;
  Out.Title = "Threads";
  Out.Rows = tableOf(
      *threadColumns(F.T)
           .text("share",
                 [=](const ThreadStats &T) {
                   return formatShare(T.AllocatedBytes, Bytes);
                 })
           .pick("thread, allocated_bytes, right whole share, allocations, "
                 "whole kept name, kept process_name titled process")
           .rows(Threads.take_front(Shown).vec()));
  if (size_t Left = Threads.size() - Shown)
    Out.Notes.push_back(plural(Left, "thread") +
                        " with less; --top=0 shows all");
  return Out;
}

void writeThreadJson(json::OStream &J, const PageInput &F) {
  writeRowsJson(
      J, "thread_list",
      *threadColumns(F.T)
           .pick("thread_id as id, thread as tid, process_id as process, name, "
                 "allocations, allocated_bytes, nested_bytes")
           .rows(F.O.Threads));
}

std::optional<PageSection> processSection(const PageInput &F) {
  struct ProcessRow {
    uint32_t Process;
    uint64_t Peak; ///< the highest of any memory space
  };
  std::vector<ProcessRow> Rows;
  bool HasDevices = false;
  size_t Launchers = 0;
  uint64_t MostLaunched = 0;
  for (const ProcessReport &I : F.R.Processes) {
    const std::optional<ProcessStats> &T = I.Stats;
    if (!F.Sel.hasProcess(I.Id))
      continue;
    // --top=0 shows all.
    if (I.OnlyLaunched && F.Top) {
      MostLaunched = std::max(MostLaunched, T->PeakBytes);
      ++Launchers;
      continue;
    }
    uint64_t Highest = T ? T->PeakBytes : 0;
    if (T)
      for (const SpaceShare &D : T->Shares)
        Highest = std::max(Highest, D.PeakBytes);
    HasDevices |= T && !T->Shares.empty();
    Rows.push_back({I.Id, Highest});
  }
  if (Rows.size() + Launchers < 2)
    return std::nullopt;
  stable_sort(Rows, [](ProcessRow A, ProcessRow B) { return A.Peak > B.Peak; });
  size_t Shown = F.shown(Rows.size(), 5);
  std::vector<ProcessReport> Reports;
  for (const ProcessRow &R : ArrayRef(Rows).take_front(Shown))
    Reports.push_back(F.R.Processes[R.Process - 1]);
  std::vector<ColumnPick> Picks =
      picksOf("process titled pid, peak_or_0_bytes titled peak");
  if (HasDevices)
    Picks.push_back({"on_devices", "", "", CS_Whole | CS_Kept});
  append_range(
      Picks,
      picksOf("kept live_bytes titled live at end, kept rss_if_any_bytes "
              "titled max RSS, kept pss_if_any_bytes titled max PSS, kept name "
              "titled process, whole kept end_or_reason titled end"));
  PageSection Out;
  Out.Title = "Processes";
  Out.Rows = tableOf(*processColumns(F.T).pick(Picks).rows(std::move(Reports)));
  if (size_t Left = Rows.size() - Shown)
    Out.Notes.push_back(formatCount(Left) + " more; --top=0 shows all");
  if (Launchers)
    Out.Notes.push_back(formatCount(Launchers) + " more only launched " +
                        F.R.Processes[F.R.Program - 1].Name.str() + ", of " +
                        formatSize(MostLaunched) +
                        " at most; --top=0 shows all");
  return Out;
}

} // namespace memkit
