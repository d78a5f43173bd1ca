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

static std::string commandLine(const RunReport &R) {
  std::string Line = commandText(R.Run.Command);
  return Line.empty() ? "(no command)" : Line;
}

/// The ranks of a distributed run, the machine, the counts.
static std::string runLine(const PageInput &F) {
  const RunReport &R = F.R;
  std::string Line = formatTime(R.EndNs);
  if (!R.Run.Host.empty())
    Line += " on " + R.Run.Host;
  if (R.Run.Rank >= 0)
    Line += ", rank " + std::to_string(R.Run.Rank) + " of " +
            std::to_string(R.Run.WorldSize);
  Line += ", " + plural(R.Allocations, "allocation") + ", " +
          plural(R.Frees, "free") + ", " + formatCount(R.Lost) + " lost";
  if (R.Processes.size() > 1)
    Line += ", " + formatCount(R.Processes.size()) + " processes";
  if (!R.IsComplete)
    Line += ", not complete";
  return Line;
}

static std::string peakLine(const PageInput &F) {
  std::string Line;
  auto Add = [&](const Twine &Text) {
    Line += ((Line.empty() ? "" : "; ") + Text).str();
  };
  for (const SpaceReport &Of : F.R.Spaces) {
    const TotalStats &D = Of.Stats;
    if (!D.PeakBytes)
      continue;
    std::optional<uint64_t> Step = stepAt(F.T, D.PeakTimeNs);
    Add(Of.Name + " peak " + formatSize(D.PeakBytes) + " at " +
        formatTime(D.PeakTimeNs) +
        (Step ? ", step " + std::to_string(*Step) : "") + ", " +
        formatSize(D.LiveBytes) +
        // Processes end at different times, so the sum of the bytes that were
        // live at their ends may be above the peak.
        (D.LiveBytes > D.PeakBytes ? " live at the ends of processes"
                                   : " live at the end"));
  }
  if (F.R.MaxRss)
    Add("resident at most " + formatSize(F.R.MaxRss));
  if (F.R.MaxPss)
    Add("proportional share at most " + formatSize(F.R.MaxPss));
  return Line;
}

static PageSection headSection(const PageInput &F) {
  PageSection Out;
  if (uint64_t Lost = F.R.Lost)
    Out.Lines.push_back(plural(Lost, "event") + " lost: figures may be wrong");
  Out.Lines.push_back(commandLine(F.R));
  Out.Lines.push_back(runLine(F));
  if (std::string Peak = peakLine(F); !Peak.empty())
    Out.Lines.push_back(Peak);
  if (uint64_t Failures = F.R.OomFailures)
    Out.Lines.push_back(plural(Failures, "out-of-memory event") +
                        "; memdump --oom shows " +
                        (Failures == 1 ? "it" : "them"));
  return Out;
}

std::vector<PageSection> makePage(const PageInput &F) {
  std::vector<PageSection> Page = {headSection(F)};
  auto Add = [&](std::optional<PageSection> S) {
    if (S)
      Page.push_back(std::move(*S));
  };
  Add(adviceSection(F));
  if (F.O.Curves)
    Page.push_back(timelineSection(F));
  Page.push_back(heapSection(F));
  append_range(Page, peakSections(F));
  append_range(Page, categorySections(F));
  Add(librarySection(F));
  Add(reservedSection(F));
  append_range(Page, gapSections(F));
  Add(sizeSection(F));
  // The sections below are about all heaps.
  if (F.OfHeaps)
    return Page;
  Add(stepSection(F));
  Add(layerSection(F));
  Add(threadSection(F));
  Add(processSection(F));
  return Page;
}

} // namespace memkit
