// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads and processes.

#include "Sections.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

using Side = Table::Side;

std::optional<PageSection> threadSection(const PageInput &F) {
  ArrayRef<ThreadStats> Threads = F.O.Threads;
  if (Threads.size() < 2)
    return std::nullopt;
  uint64_t Bytes = 0;
  for (const ThreadStats &T : Threads)
    Bytes += T.AllocatedBytes;
  Table T({{"thread", Side::Right},
           {"allocated", Side::Right},
           {"share", Side::Right},
           {"allocations", Side::Right},
           {"name", Side::Left},
           {"process", Side::Left, true}});
  for (const ThreadStats &Sum :
       Threads.take_front(F.shown(Threads.size(), 3))) {
    const Thread &Th = F.T.threads()[Sum.Thread - 1];
    T.add({std::to_string(Th.Tid), formatSize(Sum.AllocatedBytes),
           formatShare(Sum.AllocatedBytes, Bytes), formatCount(Sum.Allocations),
           F.T.string(Th.Name).str(),
           Th.Process ? F.T.processName(Th.Process).str() : ""});
  }
  PageSection Out;
  Out.Title = "Threads";
  Out.Rows = std::move(T);
  if (size_t Left = Threads.size() - F.shown(Threads.size(), 3))
    Out.Notes.push_back(plural(Left, "thread") +
                        " with less; --top=0 shows all");
  return Out;
}

static std::string endText(const ProcessReport &I) {
  if (!I.IsRecorded)
    return ("not recorded: " + I.WhyNot).str();
  const std::optional<ProcessStats> &T = I.Stats;
  if (!T || !T->Ended)
    return "not ended";
  if (T->Signal)
    return "signal " + std::to_string(T->Signal);
  return T->ExitStatus < 0 ? "ended" : "exit " + std::to_string(T->ExitStatus);
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
  std::vector<Table::Column> Columns = {
      {"pid", Side::Right},         {"peak", Side::Right},
      {"live at end", Side::Right}, {"max RSS", Side::Right},
      {"max PSS", Side::Right},     {"process", Side::Left, true},
      {"end", Side::Left}};
  if (HasDevices)
    Columns.insert(Columns.begin() + 2, {"on devices", Side::Left});
  Table T(Columns);
  auto Sampled = [](uint64_t Bytes) {
    return Bytes ? formatSize(Bytes) : std::string();
  };
  for (const ProcessRow &R : ArrayRef(Rows).take_front(Shown)) {
    const ProcessReport &I = F.R.Processes[R.Process - 1];
    const std::optional<ProcessStats> &Sum = I.Stats;
    std::vector<std::string> Cells = {std::to_string(I.Pid),
                                      formatSize(Sum ? Sum->PeakBytes : 0),
                                      Sum ? formatSize(Sum->LiveBytes) : "",
                                      Sum ? Sampled(Sum->RssPeakBytes) : "",
                                      Sum ? Sampled(Sum->PssPeakBytes) : "",
                                      I.Name.str(),
                                      endText(I)};
    if (HasDevices)
      Cells.insert(Cells.begin() + 2, devicePeaks(F.T, Sum));
    T.add(std::move(Cells));
  }
  PageSection Out;
  Out.Title = "Processes";
  Out.Rows = std::move(T);
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
