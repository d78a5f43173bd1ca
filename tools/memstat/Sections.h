// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What memstat says, section by section.

#ifndef MEMKIT_TOOLS_MEMSTAT_SECTIONS_H
#define MEMKIT_TOOLS_MEMSTAT_SECTIONS_H

#include "Page.h"
#include "memkit/Analysis/HeapCurves.h"
#include "memkit/Analysis/Overview.h"
#include "memkit/TraceText/TraceSummary.h"

namespace memkit {

/// What all sections are made from.
struct Facts {
  const Trace &T;
  const TraceSummary &S;
  const Overview &O;
  const Selection &Sel;
  bool Whole = true;    ///< nothing was selected
  bool OfHeaps = false; ///< heaps were
  size_t Top = 3;       ///< stacks, layers, steps, threads, processes; 0: all
  bool Ascii = false;
  const HeapCurves *Curves = nullptr; ///< what --timeline asks for

  llvm::StringRef heapName(uint32_t Heap) const { return T.heapName(Heap); }
  /// How many of Count are shown where so many are useful.
  size_t shown(size_t Count, size_t Useful) const {
    return Top ? std::min(Count, std::max(Top, Useful)) : Count;
  }
};

/// The page, with the graphs of F.Curves.
std::vector<PageSection> makePage(const Facts &F);

/// `3 steps`.
std::string plural(uint64_t Count, llvm::StringRef What);

// HeapSections.cpp
std::string heapOrSpace(const Facts &F, const HeapOverview &H);
PageSection heapSection(const Facts &F);
std::optional<PageSection> sizeSection(const Facts &F);

// PeakSections.cpp
std::vector<PageSection> peakSections(const Facts &F);
/// A stack in one line, three frames of it: of Python the innermost function
/// and the innermost lines of the program's own files, else the innermost
/// functions that are no allocator's.
std::string stackInShort(const Trace &T, uint32_t Stack);

/// Nothing where no heap is of a device.
std::optional<PageSection> librarySection(const Facts &F);

// ReservedSections.cpp
std::optional<PageSection> reservedSection(const Facts &F);

// GapSections.cpp
std::vector<PageSection> gapSections(const Facts &F);

// RunSections.cpp
std::vector<PageSection> categorySections(const Facts &F);
std::optional<PageSection> stepSection(const Facts &F);
std::optional<PageSection> layerSection(const Facts &F);

// ProcessSections.cpp
std::optional<PageSection> threadSection(const Facts &F);
std::optional<PageSection> processSection(const Facts &F);

// Advice.cpp
/// `expandable-segments`, ...
llvm::StringRef adviceName(Advice A);
/// A sentence or two with the evidence.
std::string adviceText(const Facts &F, const Suggestion &S);
std::optional<PageSection> adviceSection(const Facts &F);

// Timeline.cpp
PageSection timelineSection(const Facts &F);

/// The machine interface: docs/CommandGuide/memstat.md.
void writeStatJson(llvm::raw_ostream &OS, const Facts &F);

} // namespace memkit

#endif // MEMKIT_TOOLS_MEMSTAT_SECTIONS_H
