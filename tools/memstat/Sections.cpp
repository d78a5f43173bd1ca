// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The run, and the order of sections.

#include "Sections.h"
#include "Support/CommandText.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

std::string plural(uint64_t Count, StringRef What) {
  return formatCount(Count) + " " + What.str() + (Count == 1 ? "" : "s");
}

//===----------------------------------------------------------------------===//
// The run
//===----------------------------------------------------------------------===//

static std::string commandLine(const TraceSummary &S) {
  std::string Line = commandText(S.Header.Command);
  return Line.empty() ? "(no command)" : Line;
}

/// Ranks of a distributed run, the machine, what was counted.
static std::string runLine(const PageInput &F) {
  const TraceSummary &S = F.S;
  std::string Line = formatTime(S.Stats.EndNs);
  if (!S.Header.Host.empty())
    Line += " on " + S.Header.Host;
  if (S.Header.Rank >= 0)
    Line += ", rank " + std::to_string(S.Header.Rank) + " of " +
            std::to_string(S.Header.WorldSize);
  uint64_t Allocations = 0, Frees = 0;
  for (const ProcessStats &I : S.Stats.Processes) {
    Allocations += I.Allocations;
    Frees += I.Frees;
  }
  Line += ", " + plural(Allocations, "allocation") + ", " +
          plural(Frees, "free") + ", " + formatCount(S.lost()) + " lost";
  if (S.Processes.size() > 1)
    Line += ", " + formatCount(S.Processes.size()) + " processes";
  if (!S.Complete)
    Line += ", not complete";
  return Line;
}

static std::string peakLine(const PageInput &F) {
  std::string Line;
  auto Add = [&](const Twine &Text) {
    Line += ((Line.empty() ? "" : "; ") + Text).str();
  };
  for (uint32_t Id = 0; Id <= F.S.Devices.size(); ++Id) {
    TotalStats D = F.S.spaceStats(Id);
    if (!D.PeakBytes)
      continue;
    std::optional<uint64_t> Step = stepAt(F.T, D.PeakTimeNs);
    Add(F.S.space(Id) + " peak " + formatSize(D.PeakBytes) + " at " +
        formatTime(D.PeakTimeNs) +
        (Step ? ", step " + std::to_string(*Step) : "") + ", " +
        formatSize(D.LiveBytes) +
        // What each held at its own end may be more than all held at once.
        (D.LiveBytes > D.PeakBytes ? " live at the ends of processes"
                                   : " live at the end"));
  }
  uint64_t Rss = 0, Pss = 0;
  for (const ProcessStats &I : F.S.Stats.Processes) {
    Rss = std::max(Rss, I.RssPeakBytes);
    Pss = std::max(Pss, I.PssPeakBytes);
  }
  if (Rss)
    Add("resident at most " + formatSize(Rss));
  if (Pss)
    Add("proportional share at most " + formatSize(Pss));
  return Line;
}

static PageSection headSection(const PageInput &F) {
  PageSection Out;
  if (uint64_t Lost = F.S.lost())
    Out.Lines.push_back(plural(Lost, "event") + " lost: figures may be wrong");
  Out.Lines.push_back(commandLine(F.S));
  Out.Lines.push_back(runLine(F));
  if (std::string Peak = peakLine(F); !Peak.empty())
    Out.Lines.push_back(Peak);
  uint64_t Failures = 0;
  for (const OomRecord &O : F.S.Stats.Ooms)
    Failures += 1 + O.Skipped;
  if (Failures)
    Out.Lines.push_back("out of memory " +
                        (Failures == 1 ? std::string("once")
                                       : formatCount(Failures) + " times") +
                        "; memdump --oom shows what lived then");
  return Out;
}

std::vector<PageSection> makePage(const PageInput &F) {
  std::vector<PageSection> Page = {headSection(F)};
  auto Add = [&](std::optional<PageSection> S) {
    if (S)
      Page.push_back(std::move(*S));
  };
  Add(adviceSection(F));
  if (F.Curves)
    Page.push_back(timelineSection(F));
  Page.push_back(heapSection(F));
  append_range(Page, peakSections(F));
  append_range(Page, categorySections(F));
  Add(librarySection(F));
  Add(reservedSection(F));
  append_range(Page, gapSections(F));
  Add(sizeSection(F));
  // These are of all heaps.
  if (F.OfHeaps)
    return Page;
  Add(stepSection(F));
  Add(layerSection(F));
  Add(threadSection(F));
  Add(processSection(F));
  return Page;
}

} // namespace memkit
