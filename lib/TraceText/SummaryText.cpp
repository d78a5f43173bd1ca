// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The summary for people.

#include "Support/CommandText.h"
#include "Support/Table.h"
#include "TraceSummary.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/STLExtras.h"
#include <utility>

using namespace llvm;
using namespace memkit;

using Side = Table::Align;

static std::string counted(uint64_t N, StringRef One, StringRef Many) {
  return formatCount(N) + " " + (N == 1 ? One : Many).str();
}

static void printEvents(raw_ostream &OS, const TraceSummary &S) {
  uint64_t Allocations = 0, Frees = 0, Inherited = 0;
  for (const ProcessStats &I : S.Stats.Processes) {
    Allocations += I.Allocations;
    Frees += I.Frees;
    Inherited += I.InheritedFrees;
  }
  OS << "events    " << counted(Allocations, "allocation", "allocations")
     << ", " << counted(Frees, "free", "frees");
  if (Inherited)
    OS << ", " << counted(Inherited, "inherited free", "inherited frees");
  OS << ", " << counted(S.lost(), "lost", "lost") << '\n';
}

static void printHeaps(raw_ostream &OS, const TraceSummary &S, unsigned Width) {
  Table T({{"heap", Side::Left, true},
           {"allocations", Side::Right},
           {"frees", Side::Right},
           {"allocated", Side::Right},
           {"live", Side::Right},
           {"blocks", Side::Right},
           {"peak", Side::Right},
           {"at", Side::Right}});
  auto Add = [&](StringRef Name, const TotalStats &R, double Allocated,
                 double Live, double Peak) {
    auto Size = [](uint64_t Bytes, double Variance) {
      return formatEstimate(Bytes, standardError(Variance));
    };
    T.add({Name.str(), formatCount(R.Allocations), formatCount(R.Frees),
           Size(R.AllocatedBytes, Allocated), Size(R.LiveBytes, Live),
           formatCount(R.LiveBlocks), Size(R.PeakBytes, Peak),
           formatTime(R.PeakTimeNs)});
  };
  for (uint32_t Space = 0; Space <= S.Devices.size(); ++Space) {
    SampleVariances V = S.spaceVariances(Space);
    Add(S.space(Space), S.spaceStats(Space), V.Allocated, V.LiveExclusive,
        V.SpacePeak);
    auto AddHeaps = [&](uint32_t Outside, StringRef Title) {
      for (uint32_t Id = 1; Id <= S.Heaps.size(); ++Id) {
        const Heap &H = S.Heaps[Id - 1];
        if (H.Space != Space || (H.Flags & HF_OutsideTotals) != Outside)
          continue;
        if (!Title.empty())
          T.add({std::exchange(Title, "").str(), "", "", "", "", "", "", ""});
        SampleVariances V = S.heapVariances(Id);
        Add(("  " + S.string(H.Name)).str(), S.heapStats(Id), V.Allocated,
            V.Live, V.HeapPeak);
      }
    };
    AddHeaps(HF_None, "");
    AddHeaps(HF_OutsideTotals, "not in the totals");
  }
  OS << '\n';
  T.print(OS, Width);
  for (const Heap &H : S.Heaps)
    if (H.estimateBytes())
      OS << S.string(H.Name) << " is a sample, one byte in "
         << formatSize(H.SampleBytes)
         << ": estimates, ± their standard error\n";
}

/// What allocators hold, and how much of it is no live block.
static void printReserved(raw_ostream &OS, const TraceSummary &S,
                          unsigned Width) {
  Table T({{"reserved by", Side::Left, true},
           {"now", Side::Right},
           {"free", Side::Right},
           {"at the peak", Side::Right},
           {"free", Side::Right},
           {"at most", Side::Right},
           {"free at most", Side::Right}});
  bool IsAny = false;
  auto Share = [](uint64_t Reserved, uint32_t Ppm) {
    return Reserved ? formatShare(Ppm) : "";
  };
  for (uint32_t Id = 1; Id <= S.Heaps.size(); ++Id) {
    HeapStats H = S.heapStats(Id);
    if (!H.ReservedKnown)
      continue;
    IsAny = true;
    T.add(
        {S.string(S.Heaps[Id - 1].Name).str(), formatSize(H.ReservedBytes),
         Share(H.ReservedBytes, fragmentationPpm(H.ReservedBytes, H.LiveBytes)),
         H.ReservedAtPeakBytes ? formatSize(H.ReservedAtPeakBytes) : "",
         Share(H.ReservedAtPeakBytes,
               fragmentationPpm(H.ReservedAtPeakBytes, H.PeakBytes)),
         formatSize(H.ReservedPeakBytes),
         Share(H.ReservedPeakBytes, H.GrowthFragmentationPpm)});
  }
  if (!IsAny)
    return;
  OS << '\n';
  T.print(OS, Width);
}

static std::string ending(const ProcessStats *T) {
  if (!T || !T->Ended)
    return "not ended";
  if (T->Signal)
    return "signal " + std::to_string(T->Signal);
  return T->ExitStatus < 0 ? "ended" : "exit " + std::to_string(T->ExitStatus);
}

static std::string status(const TraceSummary &S, uint32_t Id) {
  const ProcessRecord &I = S.Processes[Id - 1];
  const ProcessStats *T = S.processStats(Id);
  if (I.Recorded)
    return ending(T);
  std::string Why = ("not recorded: " + S.string(I.WhyNot)).str();
  return T && T->ExitStatus >= 0 ? ending(T) + ", " + Why : Why;
}

void memkit::printProcesses(raw_ostream &OS, const TraceSummary &S,
                            unsigned Width) {
  bool HasRoles =
      any_of(S.Processes, [](const ProcessRecord &I) { return I.Role; });
  std::vector<Table::Column> Columns = {{"process", Side::Right},
                                        {"pid", Side::Right},
                                        {"parent", Side::Right},
                                        {"peak", Side::Right},
                                        {"end", Side::Left}};
  bool HasRss = any_of(S.Stats.Processes, [](const ProcessStats &T) {
    return T.RssPeakBytes != 0;
  });
  bool HasPss = any_of(S.Stats.Processes, [](const ProcessStats &T) {
    return T.PssPeakBytes != 0;
  });
  if (HasPss)
    Columns.insert(Columns.begin() + 4, {"max PSS", Side::Right});
  if (HasRss)
    Columns.insert(Columns.begin() + 4, {"max RSS", Side::Right});
  bool HasDevices = any_of(S.Stats.Processes, [](const ProcessStats &T) {
    return !T.Shares.empty();
  });
  if (HasDevices)
    Columns.insert(Columns.begin() + 4, {"on devices", Side::Left});
  if (HasRoles)
    Columns.push_back({"name", Side::Left});
  Columns.push_back({"command", Side::Left, true});
  Table T(Columns);
  for (uint32_t Id = 1; Id <= S.Processes.size(); ++Id) {
    const ProcessRecord &I = S.Processes[Id - 1];
    std::string Command = I.Command.empty() ? S.string(I.Exe).str() : "";
    for (uint32_t Word : I.Command)
      Command += (Command.empty() ? "" : " ") + S.string(Word).str();
    const ProcessStats *Stats = S.processStats(Id);
    std::vector<std::string> Row = {std::to_string(Id), std::to_string(I.Pid),
                                    I.Parent ? std::to_string(I.Parent) : "",
                                    Stats ? formatSize(Stats->PeakBytes) : ""};
    auto Sampled = [](uint64_t Bytes) {
      return Bytes ? formatSize(Bytes) : std::string();
    };
    if (HasDevices)
      Row.push_back(devicePeaks(S, Stats));
    if (HasRss)
      Row.push_back(Stats ? Sampled(Stats->RssPeakBytes) : "");
    if (HasPss)
      Row.push_back(Stats ? Sampled(Stats->PssPeakBytes) : "");
    Row.push_back(status(S, Id));
    if (HasRoles)
      Row.push_back(oneLine(S.string(I.Role)));
    Row.push_back(oneLine(Command));
    T.add(Row);
  }
  T.print(OS, Width);
}

void memkit::printSummary(raw_ostream &OS, const TraceSummary &S,
                          unsigned Width, StringRef OomHint) {
  OS << "command   " << commandText(S.Header.Command) << '\n';
  if (!S.Header.Host.empty())
    OS << "host      " << S.Header.Host << '\n';
  if (S.Header.Rank >= 0)
    OS << "rank      " << S.Header.Rank << " of " << S.Header.WorldSize << '\n';
  OS << "duration  " << formatTime(S.Stats.EndNs)
     << (S.Complete ? "" : ", not complete") << '\n';
  printEvents(OS, S);
  OS << "names     " << counted(S.NumStacks, "stack", "stacks") << ", "
     << counted(S.NumThreads, "thread", "threads") << ", "
     << counted(S.Stats.Steps.size(), "step", "steps") << ", "
     << counted(S.layers().size(), "layer", "layers") << '\n';
  if (S.Unknown.any())
    OS << "unknown   " << S.Unknown.list() << ", written by a newer memkit\n";
  printHeaps(OS, S, Width);
  printReserved(OS, S, Width);
  printCategoryLines(OS, S, OomHint);
  OS << '\n';
  printProcesses(OS, S, Width);
}
