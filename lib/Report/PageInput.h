// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a first screen is made of.

#ifndef MEMKIT_LIB_REPORT_PAGEINPUT_H
#define MEMKIT_LIB_REPORT_PAGEINPUT_H

#include "memkit/Analysis/Query.h"
#include "memkit/Analysis/RunTimeline.h"

namespace memkit {

struct JobInput;

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
  llvm::ArrayRef<TimelineSeries> Series{}; ///< of the timeline, for JSON
  /// The ranks of the trace; null: it has none, or one, or some were selected.
  const JobInput *Ranks = nullptr;

  llvm::StringRef heapName(uint32_t Heap) const { return T.heapName(Heap); }
  /// How many of Count rows to show, where Useful rows are worth the space.
  size_t shown(size_t Count, size_t Useful) const {
    return Top ? std::min(Count, std::max(Top, Useful)) : Count;
  }
};

} // namespace memkit

#endif // MEMKIT_LIB_REPORT_PAGEINPUT_H
