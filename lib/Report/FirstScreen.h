// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sentences and rows of a first screen.
//
// memstat prints them, and memview draws them: the same words from one place.

#ifndef MEMKIT_LIB_REPORT_FIRSTSCREEN_H
#define MEMKIT_LIB_REPORT_FIRSTSCREEN_H

#include "Report/PageInput.h"
#include "memkit/Analysis/Query.h"
#include "memkit/Analysis/RunTimeline.h"

namespace memkit {

struct JobInput;

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

/// The subject with the highest peak. All: not empty.
const Subject &largest(llvm::ArrayRef<Subject> All);
/// Whether a peak needs the name of its subject.
bool isNamed(const PageInput &F, llvm::ArrayRef<Subject> All);

/// The answer in one sentence: `train.py: peak 343 MiB at 9.8 s, step 59`.
std::string verdictText(const PageInput &F);

/// A row below the verdict: `peak`, `host 343 MiB at 9.8 s, step 59`.
struct HeadRow {
  std::string Label, Text;
  bool NeedsLook = false; ///< growth, losses, memory that ran out, a cut trace
};
std::vector<HeadRow> headRows(const PageInput &F);

/// What holds a part of a peak: a place, or all imports.
struct PlaceRow {
  std::string Text;
  std::string Source; ///< the line's text
  uint64_t Bytes = 0;
  PlaceKind Kind = PlaceKind::Library;
};
/// The rows of a memory space, largest first.
std::vector<PlaceRow> placeRows(const PageInput &F, uint32_t Space);
/// What the rows are: `, by line of your code`.
llvm::StringRef byWhat(const PageInput &F);

/// A line each: tensors, layers, most allocations, suggestions.
std::vector<std::string> noteLines(const PageInput &F);
/// `+1.13 MiB per step`.
/// One or two sentences with the evidence.
std::string adviceText(const PageInput &F, const Suggestion &S);
/// A stack in one line of three frames. For Python stacks: the innermost
/// function and the innermost lines of the program's own files. For other
/// stacks: the innermost functions outside allocators.
std::string stackInShort(const Trace &T, uint32_t Stack);

} // namespace memkit

#endif // MEMKIT_LIB_REPORT_FIRSTSCREEN_H
