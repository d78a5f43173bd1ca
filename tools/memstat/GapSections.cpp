// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory that devices use beyond blocks.

#include "Report/GapSentences.h"
#include "Sections.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/STLExtras.h"
#include <utility>

using namespace llvm;

namespace memkit {

using Side = Table::Side;

static PageSection usedSection(const PageInput &F) {
  Table T({{"used of", Side::Left},
           {"when", Side::Left, true},
           {"at", Side::Right},
           {"used", Side::Right},
           {"accounted for", Side::Right},
           {"gap", Side::Right}});
  for (const DeviceGap &G : F.O.Gaps) {
    std::string Name = F.T.spaceName(G.Device).str();
    if (G.TotalBytes)
      Name += " (" + formatSize(G.TotalBytes) +
              (G.SharesMemory ? " of the machine)" : ")");
    auto Add = [&](StringRef When, const DeviceGap::GapTimePoint &M) {
      T.add({std::exchange(Name, ""), When.str(), formatTime(M.TimeNs),
             formatSize(M.Used), formatSize(M.Accounted), formatSize(M.gap())});
    };
    Add("most used", G.MaxUsed);
    Add("largest gap", G.Largest);
    Add("last sample", G.Now);
  }
  PageSection Out;
  Out.Title = "Memory that devices report as used";
  Out.Rows = std::move(T);
  return Out;
}

/// Where the memory of the machine is that devices share; nothing if none does.
static std::optional<PageSection> machineUseSection(const PageInput &F) {
  Table T({{"memory of the machine", Side::Left},
           {"when", Side::Left, true},
           {"available", Side::Right},
           {"on the device", Side::Right},
           {"resident", Side::Right},
           {"rest", Side::Right}});
  PageSection Out;
  for (const DeviceGap &G : F.O.Gaps) {
    if (!G.SharesMemory)
      continue;
    std::string Device = F.T.spaceName(G.Device).str();
    Out.Notes.push_back(
        Device + " has no memory of its own: on the device is what its "
                 "processes hold there, by NVML; resident is what the recorded "
                 "processes hold beside it; modules are a part of the "
                 "unknown");
    std::string Name = Device + " (" + formatSize(G.TotalBytes) + ")";
    auto Add = [&](StringRef When, const DeviceGap::GapTimePoint &M) {
      if (M.Available)
        T.add({std::exchange(Name, ""), When.str(), formatSize(*M.Available),
               formatSize(M.Used), M.Resident ? formatSize(*M.Resident) : "",
               formatSize(M.restOfMachine(G.TotalBytes))});
    };
    Add("most used", G.MaxUsed);
    Add("last sample", G.Now);
  }
  if (T.empty())
    return std::nullopt;
  Out.Title = "The machine's memory that devices share";
  Out.Rows = std::move(T);
  return Out;
}

static std::string sizeOrNothing(std::optional<uint64_t> Bytes) {
  return Bytes ? formatSize(*Bytes) : "";
}

/// The parts of a gap that are not known at every time point.
static std::string notKnown(const DeviceGap &G) {
  std::string Text;
  auto Add = [&](const char *What, std::optional<uint64_t> GapParts::*Part) {
    if (!(G.MaxUsed.Parts.*Part && G.Largest.Parts.*Part && G.Now.Parts.*Part))
      Text += (Text.empty() ? "" : ", ") + std::string(What);
  };
  Add("contexts", &GapParts::Contexts);
  // Nobody measures modules in memory that all of the machine uses.
  if (!G.SharesMemory)
    Add("modules", &GapParts::Modules);
  Add("other processes", &GapParts::Others);
  return Text;
}

/// Returns nothing if the recorder reported no parts.
static std::optional<PageSection> partsSection(const PageInput &F) {
  Table T({{"gap of", Side::Left},
           {"when", Side::Left, true},
           {"contexts", Side::Right},
           {"modules", Side::Right},
           {"other processes", Side::Right},
           {"unknown", Side::Right}});
  PageSection Out;
  for (const DeviceGap &G : F.O.Gaps) {
    if (!G.Now.IsReported)
      continue;
    std::string Name = F.T.spaceName(G.Device).str();
    if (std::string Not = notKnown(G); !Not.empty())
      Out.Notes.push_back(Name + ": unknown at some samples: " + Not +
                          "; see the alert in memdump");
    auto Add = [&](StringRef When, const DeviceGap::GapTimePoint &M) {
      T.add({std::exchange(Name, ""), When.str(),
             sizeOrNothing(M.Parts.Contexts), sizeOrNothing(M.Parts.Modules),
             sizeOrNothing(M.Parts.Others), formatSize(M.unknown())});
    };
    Add("most used", G.MaxUsed);
    Add("largest gap", G.Largest);
    Add("last sample", G.Now);
  }
  if (T.empty())
    return std::nullopt;
  Out.Title = "Parts of the gap";
  Out.Rows = std::move(T);
  return Out;
}

/// The part of a gap with the most growth.
static std::string mostly(const DeviceGap::Rise &R) {
  std::string Name;
  uint64_t Max = 0;
  auto Try = [&](const char *What, std::optional<uint64_t> From,
                 std::optional<uint64_t> To) {
    if (From && To && *To > *From && *To - *From > Max) {
      Max = *To - *From;
      Name = What;
    }
  };
  const GapParts &A = R.From.Parts, &B = R.To.Parts;
  Try("contexts", A.Contexts, B.Contexts);
  Try("modules", A.Modules, B.Modules);
  Try("other processes", A.Others, B.Others);
  Try("unknown", R.From.unknown(), R.To.unknown());
  return Name.empty() ? "" : Name + " " + formatSize(Max);
}

static std::optional<PageSection> growthSection(const PageInput &F) {
  Table T({{"gap grew of", Side::Left},
           {"from", Side::Right},
           {"to", Side::Right},
           {"step", Side::Right},
           {"by", Side::Right},
           {"mostly", Side::Left, true}});
  for (const DeviceGap &G : F.O.Gaps) {
    std::vector<uint64_t> Sizes;
    for (const DeviceGap::Rise &R : G.Rises)
      Sizes.push_back(R.bytes());
    sort(Sizes, std::greater<>());
    size_t Shown = F.shown(Sizes.size(), 5);
    std::string Name = F.T.spaceName(G.Device).str();
    for (const DeviceGap::Rise &R : G.Rises) {
      if (R.bytes() < Sizes[Shown - 1])
        continue;
      std::optional<uint64_t> Step = stepAt(F.T, R.To.TimeNs);
      T.add({std::exchange(Name, ""), formatTime(R.From.TimeNs),
             formatTime(R.To.TimeNs), Step ? std::to_string(*Step) : "",
             formatSize(R.bytes()), R.To.IsReported ? mostly(R) : ""});
    }
  }
  if (T.empty())
    return std::nullopt;
  PageSection Out;
  Out.Title = "When the gap grew";
  Out.Rows = std::move(T);
  return Out;
}

/// Why there is a gap, and what helps.
static std::optional<PageSection> causeSection(const PageInput &F) {
  Table T({{"not in tensors of", Side::Left},
           {"cause", Side::Left, true},
           {"severity", Side::Left},
           {"at most", Side::Right},
           {"of the device", Side::Right},
           {"since", Side::Right},
           {"step", Side::Right},
           {"times", Side::Right}});
  PageSection Out;
  bool IsTold[NumGapCauses] = {};
  for (const DeviceGap &G : F.O.Gaps) {
    std::string Name = F.T.spaceName(G.Device).str();
    for (const GapFinding &C : G.Causes) {
      std::optional<uint64_t> Step = stepAt(F.T, C.SinceNs);
      T.add({std::exchange(Name, ""), gapCauseName(C.Cause).str(),
             gapSeverityName(C.Severity).str(), formatSize(C.Bytes),
             G.TotalBytes ? formatShare(C.Bytes, G.TotalBytes) : "",
             formatTime(C.SinceNs), Step ? std::to_string(*Step) : "",
             C.Times ? std::to_string(C.Times) : ""});
      if (!std::exchange(IsTold[unsigned(C.Cause)], true))
        Out.Notes.push_back(gapCauseName(C.Cause).str() + ": " +
                            gapHelp(C.Cause).str());
    }
  }
  if (T.empty())
    return std::nullopt;
  Out.Title = "Why, and what helps";
  Out.Rows = std::move(T);
  return Out;
}

std::vector<PageSection> gapSections(const PageInput &F) {
  std::vector<PageSection> Out;
  if (F.O.Gaps.empty())
    return Out;
  Out.push_back(usedSection(F));
  for (std::optional<PageSection> S : {causeSection(F), partsSection(F),
                                       machineUseSection(F), growthSection(F)})
    if (S)
      Out.push_back(std::move(*S));
  return Out;
}

} // namespace memkit
