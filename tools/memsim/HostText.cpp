// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints what programs would take with another malloc, for people.

#include "HostText.h"
#include "Cli/Terminal.h"
#include "Cli/ToolMain.h"
#include "Support/Table.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace memkit;

/// `1.04`, empty for nothing live.
static std::string ratioText(uint64_t Resident, uint64_t Live) {
  if (!Live)
    return "";
  std::string Out;
  raw_string_ostream(Out) << format("%.2f", double(Resident) / double(Live));
  return Out;
}

static std::string hostComparedText(uint64_t Bytes, uint64_t With) {
  if (Bytes == With)
    return "as much as";
  return Bytes < With ? formatSize(With - Bytes) + " less than"
                      : formatSize(Bytes - With) + " more than";
}

/// The allocator with the fewest of some bytes; null: none served all requests.
static const HostResult *leastOf(const HostView &V,
                                 uint64_t wire::ReplayOutcome::*Bytes) {
  const HostResult *Best = nullptr;
  for (const HostResult &R : V.Results)
    if (R.Failure.empty() && !R.Outcome.NumFailed &&
        (!Best || R.Outcome.*Bytes < Best->Outcome.*Bytes))
      Best = &R;
  return Best;
}

/// What is left at the end: an allocator that takes least at the peak may keep
/// most of it.
static std::string atEndText(const HostView &V, const HostResult &AtPeak) {
  if (V.Results.size() == 1)
    return "";
  const HostResult &AtEnd = *leastOf(V, &wire::ReplayOutcome::EndBytes);
  uint64_t Least = AtEnd.Outcome.EndBytes, Its = AtPeak.Outcome.EndBytes;
  if (Its <= Least + Least / 20)
    return "; and least at the end, " + formatSize(Its);
  return "; least at the end with " +
         V.Allocators[&AtEnd - V.Results.begin()].Name + ", " +
         formatSize(Least) + " resident, where " +
         V.Allocators[&AtPeak - V.Results.begin()].Name + " keeps " +
         formatSize(Its);
}

static void printHostAnswer(SimPage &P, const HostView &V) {
  raw_ostream &OS = P.text();
  OS << V.T.processName(V.Target.Process);
  if (size_t Number = V.Target.Processes.size(); Number > 1)
    OS << " (pid " << V.T.processes()[V.Target.Process - 1].Pid << ", with "
       << (V.Target.Processes.front().PeakBytes ? "most memory" : "most events")
       << " of " << formatCount(Number) << " processes)";
  OS << ": ";
  const HostResult *Best = leastOf(V, &wire::ReplayOutcome::PeakBytes);
  if (!Best) {
    OS << "no allocator served all requests\n";
    return;
  }
  OS << "least with " << V.Allocators[Best - V.Results.begin()].Name << ", "
     << formatSize(Best->Outcome.PeakBytes) << " resident at the peak";
  if (V.Target.Recorded.IsKnown && V.Target.Scale == 1)
    OS << ", "
       << hostComparedText(Best->Outcome.PeakBytes, V.Target.Recorded.PeakBytes)
       << " recorded";
  OS << atEndText(V, *Best) << '\n';
  OS << "live: " << formatSize(V.Target.PeakBytes) << " at the peak, "
     << formatSize(V.Target.EndBytes) << " at the end; "
     << formatCount(V.Target.NumRequests) << " requests of "
     << plural(V.Target.NumThreads, "thread") << '\n';
}

static void addReplayed(Table &To, const HostView &V, const HostAllocator &A,
                        const HostResult &R) {
  const wire::ReplayOutcome &O = R.Outcome;
  if (!R.Failure.empty()) {
    To.add({A.Name, "", "", "", "", "", R.Failure});
    return;
  }
  To.add({A.Name, formatSize(O.PeakBytes), formatSize(O.LivePeakBytes),
          ratioText(O.LivePeakBytes, V.Target.PeakBytes),
          formatSize(O.EndBytes), formatTime(O.AllocatorNs),
          O.NumFailed ? plural(O.NumFailed, "request") + " failed" : ""});
}

static void printHostTable(SimPage &P, const HostView &V) {
  using Side = Table::Side;
  Table Rows({{"allocator", Side::Left, true},
              {"resident", Side::Right},
              {"at live peak", Side::Right, false, 2},
              {"per live byte", Side::Right, false, 1},
              {"at the end", Side::Right},
              {"time in it", Side::Right, false, 3},
              {"", Side::Left}});
  const RecordedResident &Was = V.Target.Recorded;
  if (Was.IsKnown && V.Target.Scale == 1)
    Rows.add({"recorded", formatSize(Was.PeakBytes),
              formatSize(Was.LivePeakBytes),
              ratioText(Was.LivePeakBytes, V.Target.PeakBytes),
              formatSize(Was.EndBytes), "", ""});
  for (auto &&[A, R] : zip_equal(V.Allocators, V.Results))
    addReplayed(Rows, V, A, R);
  P.table(Rows, outputWidth());
}

/// How well a replay repeats what was recorded.
static void printHostCheck(SimPage &P, const HostView &V) {
  raw_ostream &OS = P.text();
  const RecordedResident &Was = V.Target.Recorded;
  StringRef Name = recordedHostAllocator(V.T);
  const HostAllocator *At =
      find_if(V.Allocators, [&](const auto &A) { return A.Name == Name; });
  if (!Was.IsKnown || V.Target.Scale != 1 || At == V.Allocators.end())
    return;
  const HostResult &R = V.Results[At - V.Allocators.begin()];
  if (!R.Failure.empty() || !Was.PeakBytes)
    return;
  uint64_t Bytes = R.Outcome.PeakBytes;
  OS << "check: the replay with " << Name << " takes "
     << hostComparedText(Bytes, Was.PeakBytes) << " recorded";
  if (uint64_t Off = AbsoluteDifference(Bytes, Was.PeakBytes))
    OS << format(" (%.1f %%)", double(Off) / double(Was.PeakBytes) * 100);
  OS << '\n';
}

/// The processes that are not replayed, with the most memory first.
static void printOthers(SimPage &P, const HostView &V) {
  raw_ostream &OS = P.text();
  constexpr size_t MaxShown = 5;
  ArrayRef<HostProcess> Others = ArrayRef(V.Target.Processes).drop_front();
  if (Others.empty())
    return;
  OS << "not replayed; --process=#N replays one of them:\n";
  ArrayRef<HostProcess> Shown =
      isVerbose() ? Others : Others.take_front(MaxShown);
  using Side = Table::Side;
  Table Rows({{"process", Side::Left},
              {"pid", Side::Right},
              {"program", Side::Left, true},
              {"live at peak", Side::Right},
              {"events", Side::Right}});
  for (const HostProcess &Of : Shown)
    Rows.add({"#" + std::to_string(Of.Process),
              std::to_string(V.T.processes()[Of.Process - 1].Pid),
              V.T.processName(Of.Process).str(),
              Of.PeakBytes ? formatSize(Of.PeakBytes) : "",
              formatCount(Of.Events)});
  P.table(Rows, outputWidth());
  if (Shown.size() != Others.size())
    OS << "and " << formatCount(Others.size() - Shown.size())
       << " more: -v shows all\n";
}

void memkit::printHost(SimPage &P, const HostView &V) {
  raw_ostream &OS = P.text();
  printHostAnswer(P, V);
  printHostTable(P, V);
  printHostCheck(P, V);
  printOthers(P, V);
  OS << "replays write to each page of a block, also where the program did "
        "not\n";
  if (V.Target.OtherPeakBytes && !V.Target.Recorded.IsOfMalloc)
    OS << "not replayed: up to " << formatSize(V.Target.OtherPeakBytes)
       << " outside of malloc, which are in the recorded values\n";
  if (V.Target.Scale != 1)
    OS << "one block in " << formatCount(V.Target.Scale)
       << " was replayed: all values are of these blocks\n";
  for (auto &&[A, R] : zip_equal(V.Allocators, V.Results))
    if (!R.Messages.empty())
      OS << A.Name << ": " << R.Messages << '\n';
}
