// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A run for people.

#include "ReportPrinters.h"
#include "Support/CommandText.h"
#include "Support/Table.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/STLExtras.h"
#include <utility>

using namespace llvm;
using namespace memkit;

using Side = Table::Side;

static std::string counted(uint64_t N, StringRef One, StringRef Many) {
  return formatCount(N) + " " + (N == 1 ? One : Many).str();
}

static void printEvents(raw_ostream &OS, const RunReport &R) {
  OS << "events    " << counted(R.Allocations, "allocation", "allocations")
     << ", " << counted(R.Frees, "free", "frees");
  if (R.InheritedFrees)
    OS << ", "
       << counted(R.InheritedFrees, "inherited free", "inherited frees");
  OS << ", " << counted(R.Lost, "lost", "lost") << '\n';
}

static void printHeaps(raw_ostream &OS, const RunReport &R, unsigned Width) {
  Table T({{"heap", Side::Left, true},
           {"allocations", Side::Right},
           {"frees", Side::Right},
           {"allocated", Side::Right},
           {"live", Side::Right},
           {"blocks", Side::Right},
           {"peak", Side::Right},
           {"at", Side::Right}});
  auto Add = [&](StringRef Name, const TotalStats &S, double Allocated,
                 double Live, double Peak) {
    auto Size = [](uint64_t Bytes, double Variance) {
      return formatEstimate(Bytes, standardError(Variance));
    };
    T.add({Name.str(), formatCount(S.Allocations), formatCount(S.Frees),
           Size(S.AllocatedBytes, Allocated), Size(S.LiveBytes, Live),
           formatCount(S.LiveBlocks), Size(S.PeakBytes, Peak),
           formatTime(S.PeakTimeNs)});
  };
  for (const SpaceReport &S : R.Spaces) {
    const SampleVariances &V = S.Variances;
    Add(S.Name, S.Stats, V.Allocated, V.LiveExclusive, V.SpacePeak);
    auto AddHeaps = [&](bool InTotals, StringRef Title) {
      for (const HeapReport &H : R.Heaps) {
        if (H.Space != S.Id || H.InTotals != InTotals)
          continue;
        if (!Title.empty())
          T.add({std::exchange(Title, "").str(), "", "", "", "", "", "", ""});
        const SampleVariances &V = H.Variances;
        Add(("  " + H.Name).str(), H.Stats, V.Allocated, V.Live, V.HeapPeak);
      }
    };
    AddHeaps(true, "");
    AddHeaps(false, "not in the totals");
  }
  OS << '\n';
  T.print(OS, Width);
  for (const HeapReport &H : R.Heaps)
    if (H.IsEstimate)
      OS << H.Name << " is sampled, one byte in " << formatSize(H.SampleBytes)
         << ": estimates, ± their standard error\n";
}

/// Prints the memory that allocators hold, and the part without live blocks.
static void printReserved(raw_ostream &OS, const RunReport &R, unsigned Width) {
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
  for (const HeapReport &Of : R.Heaps) {
    const HeapStats &H = Of.Stats;
    if (!H.ReservedKnown)
      continue;
    IsAny = true;
    T.add(
        {Of.Name.str(), formatSize(H.ReservedBytes),
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

static std::string ending(const std::optional<ProcessStats> &T) {
  if (!T || !T->Ended)
    return "not ended";
  if (T->Signal)
    return "signal " + std::to_string(T->Signal);
  return T->ExitStatus < 0 ? "ended" : "exit " + std::to_string(T->ExitStatus);
}

static std::string status(const ProcessReport &I) {
  if (I.IsRecorded)
    return ending(I.Stats);
  std::string Why = ("not recorded: " + I.WhyNot).str();
  return I.Stats && I.Stats->ExitStatus >= 0 ? ending(I.Stats) + ", " + Why
                                             : Why;
}

void memkit::printProcesses(raw_ostream &OS, const RunReport &R,
                            const Trace &Of, unsigned Width) {
  bool HasRoles = any_of(
      R.Processes, [](const ProcessReport &I) { return !I.Role.empty(); });
  std::vector<Table::Column> Columns = {{"process", Side::Right},
                                        {"pid", Side::Right},
                                        {"parent", Side::Right},
                                        {"peak", Side::Right},
                                        {"end", Side::Left}};
  if (R.MaxPss)
    Columns.insert(Columns.begin() + 4, {"max PSS", Side::Right});
  if (R.MaxRss)
    Columns.insert(Columns.begin() + 4, {"max RSS", Side::Right});
  bool HasDevices = any_of(R.Processes, [](const ProcessReport &I) {
    return I.Stats && !I.Stats->Shares.empty();
  });
  if (HasDevices)
    Columns.insert(Columns.begin() + 4, {"on devices", Side::Left});
  bool HasRanks = any_of(
      R.Processes, [](const ProcessReport &I) { return I.Place.Rank >= 0; });
  if (HasRanks)
    Columns.insert(Columns.begin() + 3, {"rank", Side::Right});
  if (HasRoles)
    Columns.push_back({"name", Side::Left});
  Columns.push_back({"command", Side::Left, true});
  Table T(Columns);
  for (const ProcessReport &I : R.Processes) {
    std::string Command = I.Command.empty() ? I.Exe.str() : "";
    for (StringRef Word : I.Command)
      Command += (Command.empty() ? "" : " ") + Word.str();
    const std::optional<ProcessStats> &Stats = I.Stats;
    std::vector<std::string> Row = {std::to_string(I.Id), std::to_string(I.Pid),
                                    I.Parent ? std::to_string(I.Parent) : ""};
    if (HasRanks)
      Row.push_back(I.Place.Rank >= 0 ? std::to_string(I.Place.Rank) : "");
    Row.push_back(Stats ? formatSize(Stats->PeakBytes) : "");
    auto Sampled = [](uint64_t Bytes) {
      return Bytes ? formatSize(Bytes) : std::string();
    };
    if (HasDevices)
      Row.push_back(devicePeaks(Of, Stats));
    if (R.MaxRss)
      Row.push_back(Stats ? Sampled(Stats->RssPeakBytes) : "");
    if (R.MaxPss)
      Row.push_back(Stats ? Sampled(Stats->PssPeakBytes) : "");
    Row.push_back(status(I));
    if (HasRoles)
      Row.push_back(oneLine(I.Role));
    Row.push_back(oneLine(Command));
    T.add(Row);
  }
  T.print(OS, Width);
}

void memkit::printRun(raw_ostream &OS, const RunReport &R, const Trace &T,
                      ArrayRef<CategorySum> Categories, unsigned Width,
                      StringRef OomHint) {
  OS << "command   " << commandText(R.Run.Command) << '\n';
  if (!R.Run.Host.empty())
    OS << "host      " << R.Run.Host << '\n';
  if (R.Run.Rank >= 0)
    OS << "rank      " << R.Run.Rank << " of " << R.Run.WorldSize << '\n';
  OS << "duration  " << formatTime(R.EndNs)
     << (R.IsComplete ? "" : ", not complete") << '\n';
  printEvents(OS, R);
  OS << "names     " << counted(R.Stacks, "stack", "stacks") << ", "
     << counted(R.Threads, "thread", "threads") << ", "
     << counted(R.Steps, "step", "steps") << ", "
     << counted(R.Layers, "layer", "layers") << '\n';
  if (R.Unknown.any())
    OS << "unknown   " << R.Unknown.list() << ", written by a newer memkit\n";
  printHeaps(OS, R, Width);
  printReserved(OS, R, Width);
  printCategoryLines(OS, T, Categories);
  if (R.OomFailures)
    OS << '\n'
       << counted(R.OomFailures, "out-of-memory event", "out-of-memory events")
       << OomHint << '\n';
  OS << '\n';
  printProcesses(OS, R, T, Width);
}
