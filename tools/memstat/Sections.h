// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// memstat's output, section by section.

#ifndef MEMKIT_TOOLS_MEMSTAT_SECTIONS_H
#define MEMKIT_TOOLS_MEMSTAT_SECTIONS_H

#include "Page.h"
#include "TraceText/ReportPrinters.h"
#include "memkit/Analysis/Query.h"
#include "memkit/Analysis/RunTimeline.h"
#include "llvm/Support/JSON.h"

namespace memkit {

/// The input of all sections.
struct PageInput {
  const Trace &T;
  const RunReport &R;
  const Overview &O;
  const Selection &Sel;
  bool Whole = true;    ///< nothing was selected
  bool OfHeaps = false; ///< heaps were selected
  size_t Top = 3;       ///< stacks, layers, steps, threads, processes; 0: all
  bool Ascii = false;
  llvm::ArrayRef<TimelineSeries> Series{}; ///< of --timeline, for JSON

  llvm::StringRef heapName(uint32_t Heap) const { return T.heapName(Heap); }
  /// How many of Count rows to show, where Useful rows are worth the space.
  size_t shown(size_t Count, size_t Useful) const {
    return Top ? std::min(Count, std::max(Top, Useful)) : Count;
  }
};

/// What the first screen is about: a memory space; with chosen heaps or
/// processes, their part of each memory space.
struct Subject {
  std::string Name;
  uint32_t Space = 0;
  uint64_t PeakBytes = 0, LiveBytes = 0;
  std::optional<uint64_t> PeakTimeNs; ///< if the part has one peak
  llvm::ArrayRef<uint64_t> Curve;     ///< empty: not known
};
/// Those with memory, by memory space.
std::vector<Subject> subjectsOf(const PageInput &F);

/// The names of all sections, in order.
llvm::ArrayRef<llvm::StringLiteral> sectionNames();
/// The sections of the first screen, then, with Everything, all others. Shown:
/// names of sections to show in place of these.
std::vector<PageSection> makePage(const PageInput &F, bool Everything,
                                  llvm::ArrayRef<std::string> Shown);

/// `3 steps`.
std::string plural(uint64_t Count, llvm::StringRef What);

// FirstScreen.cpp
std::vector<PageSection> firstScreen(const PageInput &F);
/// `+1.13 MiB per step`.
std::string rateText(const LineGrowth &L);
// Curve.cpp
/// Nothing if the subject's curve is not known.
std::optional<PageSection> curveSection(const PageInput &F, const Subject &S);

// HeapSections.cpp
std::string heapOrSpace(const PageInput &F, const HeapOverview &H);
PageSection heapSection(const PageInput &F);
std::optional<PageSection> sizeSection(const PageInput &F);

// PeakSections.cpp
std::vector<PageSection> peakSections(const PageInput &F);
/// A stack in one line of three frames. For Python stacks: the innermost
/// function and the innermost lines of the program's own files. For other
/// stacks: the innermost functions outside allocators.
std::string stackInShort(const Trace &T, uint32_t Stack);

/// Returns nothing if no heap is of a device.
std::optional<PageSection> librarySection(const PageInput &F);

// ReservedSections.cpp
std::optional<PageSection> reservedSection(const PageInput &F);

// GapSections.cpp
std::vector<PageSection> gapSections(const PageInput &F);

// RunSections.cpp
std::vector<PageSection> categorySections(const PageInput &F);
std::optional<PageSection> stepSection(const PageInput &F);
std::optional<PageSection> layerSection(const PageInput &F);

// ProcessSections.cpp
std::optional<PageSection> threadSection(const PageInput &F);
std::optional<PageSection> processSection(const PageInput &F);

// Advice.cpp
/// `expandable-segments`, ...
llvm::StringRef adviceName(Advice A);
/// One or two sentences with the evidence.
std::string adviceText(const PageInput &F, const Suggestion &S);
std::optional<PageSection> adviceSection(const PageInput &F);

// Timeline.cpp
PageSection timelineSection(const PageInput &F);
// TimelineSvg.cpp
inline constexpr unsigned PictureColumns = 544; ///< of PageInput's curves
void writeTimelineSvg(llvm::raw_ostream &OS, const PageInput &F,
                      llvm::ArrayRef<TimelineSeries> Series);
// TimelineData.cpp
/// A row `series,unit,time_ns,value` for each point.
void writeTimelineCsv(llvm::raw_ostream &OS,
                      llvm::ArrayRef<TimelineSeries> Series);
/// The elements of an array, an object with arrays for each series.
void writeTimelineSeries(llvm::json::OStream &J,
                         llvm::ArrayRef<TimelineSeries> Series);

/// Writes the machine interface: docs/CommandGuide/memstat.md.
void writeStatJson(llvm::raw_ostream &OS, const PageInput &F);

} // namespace memkit

#endif // MEMKIT_TOOLS_MEMSTAT_SECTIONS_H
