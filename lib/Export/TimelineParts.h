// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What timelines of a run show, in the order of the trace.

#ifndef MEMKIT_LIB_EXPORT_TIMELINEPARTS_H
#define MEMKIT_LIB_EXPORT_TIMELINEPARTS_H

#include "ScopeTimeline.h"
#include "memkit/Model/Intervals.h"
#include <algorithm>

namespace memkit {

/// The name of the counter to which a mark with a measured number of bytes
/// belongs, `resident`, `proportional share`, `HEAP reserved` or `SPACE used`;
/// the bytes are the mark's first value. Empty: M is no such mark.
std::string sampleName(const Trace &T, const Mark &M);

/// Reads the parts of a selected run for a timeline, each part in one pass. The
/// window of the selection (--since to --until or --at) cuts all parts. Errors:
/// TraceError.
class TimelineParts {
public:
  /// S must outlive the object.
  explicit TimelineParts(const SelectedStats &S)
      : S(S), T(S.trace()), Sel(S.selection()) {}

  bool isInWindow(uint64_t TimeNs) const {
    const TimeWindow &W = Sel.times();
    return (!W.Since || TimeNs >= W.Since->TimeNs) &&
           (!W.last() || TimeNs <= W.last()->TimeNs);
  }
  /// Process: any number of a trace.
  bool isChosen(uint32_t Process) const {
    return Process && Process <= T.processes().size() &&
           Sel.hasProcess(Process);
  }
  /// The end of the window, or of the run.
  uint64_t endNs() const {
    const TimePoint *Last = Sel.times().last();
    return Last ? std::min(T.endNs(), Last->TimeNs) : T.endNs();
  }

  /// Calls Do for each heap whose live bytes changed in an interval, with the
  /// bytes at the interval's end. Also: another taker of the same pass, or
  /// null; Also gets an interval's rows before Do gets the heaps.
  using HeapBytes = llvm::function_ref<void(uint32_t Process, uint32_t Heap,
                                            uint64_t TimeNs, uint64_t Bytes)>;
  llvm::Error liveBytes(IntervalSeries &Series, HeapBytes Do,
                        IntervalSeries::Taker Also = nullptr) const;

  /// Calls Do for the marks of the chosen processes.
  llvm::Error marks(llvm::function_ref<void(const Mark &)> Do) const;

  /// Calls Do at the begin and at the end of each scope of the chosen threads.
  /// Peaks: at the end of a layer, the highest live bytes of tensors in each
  /// memory space. Of a trace without times of scopes, the end of a scope comes
  /// when a later allocation shows the end, and there are no peaks. Scopes that
  /// begin after Max scopes are left out; returns their number.
  llvm::Expected<uint64_t> scopes(uint64_t Max,
                                  ScopeTimeline::OccurrenceCallback Do) const;

  /// Calls Do for single pieces of device work of the chosen processes, by
  /// process, device, stream and begin. Work after the first Max pieces is left
  /// out; returns its number.
  using WorkCallback =
      llvm::function_ref<void(uint32_t Process, const DeviceSpan &Work)>;
  llvm::Expected<uint64_t> deviceWork(uint64_t Max, WorkCallback Do) const;
  /// The name of a piece of work, and of its stream: `cuda:0 stream 7`.
  std::string workText(const DeviceSpan &Work) const;
  std::string streamText(const DeviceSpan &Work) const;

private:
  llvm::Error scopesOf(const SectionInfo &B, ScopeOccurrences &Spans,
                       ScopeOccurrences::ScopeCallback Do) const;
  llvm::Error scopesByAllocations(ScopeTimeline::OccurrenceCallback Do) const;

  const SelectedStats &S;
  const Trace &T;
  const Selection &Sel;
};

} // namespace memkit

#endif // MEMKIT_LIB_EXPORT_TIMELINEPARTS_H
