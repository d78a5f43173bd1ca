// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// memstat's output, section by section.

#ifndef MEMKIT_TOOLS_MEMSTAT_SECTIONS_H
#define MEMKIT_TOOLS_MEMSTAT_SECTIONS_H

#include "Page.h"
#include "Report/FirstScreen.h"
#include "memkit/Analysis/RunTimeline.h"
#include "llvm/Support/JSON.h"

namespace memkit {

/// The pages that have a section.
enum class SectionPage {
  First,   ///< the first screen, and -v
  Verbose, ///< -v
  Asked,   ///< none: only --show names the section
};

/// A section of the page for people and of the object for scripts.
struct StatSection {
  llvm::StringLiteral Name; ///< in --show
  SectionPage Page;
  /// The section is not about chosen heaps, and absent if heaps were chosen.
  bool OfAllHeaps;
  /// Empty: the trace has nothing to show there.
  std::vector<PageSection> (*Make)(const PageInput &F);
  /// Writes attributes into the open object, or null.
  void (*WriteJson)(llvm::json::OStream &J, const PageInput &F) = nullptr;
  /// What queryOverview() reads for this section alone, or null.
  bool OverviewOptions::*Reads = nullptr;
};

/// All sections, in the order of the page. A new section is a row of this list.
llvm::ArrayRef<StatSection> statSections();
/// The names of all sections.
std::vector<llvm::StringRef> sectionNames();
/// The sections of the first screen, then, with Everything, all others. Shown:
/// names of sections to show in place of these.
std::vector<PageSection> makePage(const PageInput &F, bool Everything,
                                  llvm::ArrayRef<std::string> Shown);

// FirstPage.cpp
PageSection headSection(const PageInput &F);
/// The lines of the peak of each subject.
std::vector<PageSection> placeSections(const PageInput &F);
std::optional<PageSection> noteSection(const PageInput &F);
void writePlacesJson(llvm::json::OStream &J, const PageInput &F);
// Curve.cpp
/// The largest subject's curve; nothing if the curve is not known.
std::optional<PageSection> curveSection(const PageInput &F);

// HeapSections.cpp
std::string heapOrSpace(const PageInput &F, const HeapOverview &H);
PageSection heapSection(const PageInput &F);
std::optional<PageSection> sizeSection(const PageInput &F);

// PeakSections.cpp
std::vector<PageSection> peakSections(const PageInput &F);
/// Returns nothing if no heap is of a device.
std::optional<PageSection> librarySection(const PageInput &F);
void writeLibraryJson(llvm::json::OStream &J, const PageInput &F);

// WorkSections.cpp
/// Nothing without device time.
std::optional<PageSection> workSection(const PageInput &F);
void writeWorkJson(llvm::json::OStream &J, const PageInput &F);

// ReservedSections.cpp
std::optional<PageSection> reservedSection(const PageInput &F);

// ResidentSections.cpp
/// What resident memory consists of; empty without samples.
std::vector<PageSection> residentSections(const PageInput &F);
void writeResidentJson(llvm::json::OStream &J, const PageInput &F);

// AllocatorSections.cpp
/// What the allocators said of themselves; empty without --malloc-info.
std::vector<PageSection> allocatorSections(const PageInput &F);
/// `12 samples of resident memory took 8.4 ms of processor time, ...`.
std::string sampleCostText(const SampleCosts &C);
std::string recorderText(llvm::ArrayRef<RecorderPoint> Of);
/// The attributes of allocators, and of the cost of samples.
void writeAllocatorJson(llvm::json::OStream &J, const PageInput &F);

// GapSections.cpp
std::vector<PageSection> gapSections(const PageInput &F);

// RunSections.cpp
std::vector<PageSection> categorySections(const PageInput &F);
std::optional<PageSection> stepSection(const PageInput &F);
std::optional<PageSection> layerSection(const PageInput &F);
std::optional<PageSection> operatorSection(const PageInput &F);
void writeStepJson(llvm::json::OStream &J, const PageInput &F);
void writeLayerJson(llvm::json::OStream &J, const PageInput &F);
void writeOperatorJson(llvm::json::OStream &J, const PageInput &F);

// ProgramSections.cpp
/// Compiled programs of JAX; nothing without heaps of JAX.
std::optional<PageSection> programSection(const PageInput &F);
/// Live arrays at the mark with most bytes, and at the last mark.
std::vector<PageSection> arraySections(const PageInput &F);
/// The attributes of both.
void writeProgramJson(llvm::json::OStream &J, const PageInput &F);

// ParameterSections.cpp
/// Parameters and buffers by layer and dtype; nothing without any.
std::optional<PageSection> parameterSection(const PageInput &F);
void writeParameterJson(llvm::json::OStream &J, const PageInput &F);

// DtypeSections.cpp
/// Tensors by dtype, if --show asks for them.
std::optional<PageSection> dtypeSection(const PageInput &F);
/// `dtype_list`, likewise.
void writeDtypeJson(llvm::json::OStream &J, const PageInput &F);

// RoundingSections.cpp
/// What allocators add to requested sizes; nothing without requested sizes.
std::optional<PageSection> roundingSection(const PageInput &F);
/// The attribute of these rows; none unless they were read.
void writeRoundingJson(llvm::json::OStream &J, const PageInput &F);

// ProcessSections.cpp
std::optional<PageSection> threadSection(const PageInput &F);
void writeThreadJson(llvm::json::OStream &J, const PageInput &F);
std::optional<PageSection> processSection(const PageInput &F);
std::optional<PageSection> machineSection(const PageInput &F);

// Advice.cpp
/// `expandable-segments`, ...
llvm::StringRef adviceName(Advice A);
std::optional<PageSection> adviceSection(const PageInput &F);

// Explain.cpp
/// A section for each line that grows, with its stack. If nothing grows, one
/// section says so. Empty: memstat did not look for growth.
std::vector<PageSection> growthSections(const PageInput &F);
/// The names of Python that hold most.
std::optional<PageSection> holderSection(const PageInput &F);
/// Suggestions, and what would tell more.
std::optional<PageSection> trySection(const PageInput &F);
/// The command; nothing for traces that were not recorded by one command.
std::optional<PageSection> againSection(const PageInput &F);

// Timeline.cpp
/// Nothing if the overview has no curves.
std::optional<PageSection> timelineSection(const PageInput &F);
// TimelineSvg.cpp
inline constexpr unsigned PictureColumns = 544; ///< of PageInput's curves
void writeTimelineSvg(llvm::raw_ostream &OS, const PageInput &F);
// TimelineData.cpp
/// A row `series,unit,time_ns,value` for each point.
void writeTimelineCsv(llvm::raw_ostream &OS, const PageInput &F);
void writeTimelineJson(llvm::json::OStream &J, const PageInput &F);

// StatJson.cpp
void writeVersionsJson(llvm::json::OStream &J, const PageInput &F);
void writeRanksJson(llvm::json::OStream &J, const PageInput &F);
void writeNamesJson(llvm::json::OStream &J, const PageInput &F);
void writeOomJson(llvm::json::OStream &J, const PageInput &F);
void writeSuggestionJson(llvm::json::OStream &J, const PageInput &F);
void writeHeapJson(llvm::json::OStream &J, const PageInput &F);
void writeFragmentationJson(llvm::json::OStream &J, const PageInput &F);
void writeGapJson(llvm::json::OStream &J, const PageInput &F);
/// Writes the machine interface: docs/CommandGuide/memstat.md.
void writeStatJson(llvm::raw_ostream &OS, const PageInput &F);

} // namespace memkit

#endif // MEMKIT_TOOLS_MEMSTAT_SECTIONS_H
