// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Single pieces of device work of a process that are not written yet.

#ifndef MEMKIT_LIB_RECORD_DEVICESPANLOG_H
#define MEMKIT_LIB_RECORD_DEVICESPANLOG_H

#include "memkit/Trace/Sections.h"
#include <utility>

namespace memkit {

/// Takes the first MaxSpans of a process and counts the others: timelines show
/// the begin of a long run, and sums have all of it. Belongs to the recorder's
/// thread.
class DeviceSpanLog {
public:
  void add(const DeviceSpan &S) {
    if (Taken == MaxSpans) {
      ++Cut;
    } else if (TakesSpans) {
      Rows.push_back(S);
      ++Taken;
    }
  }
  /// Whether the spans should be written: no more fit into a section.
  bool isFull() const { return Rows.size() >= MaxSectionRows; }
  /// The spans since the last call.
  DeviceSpans take(uint32_t Process) {
    return {Process, std::exchange(Rows, {})};
  }
  /// The number of spans left out for MaxSpans since the last call.
  uint64_t takeCut() { return std::exchange(Cut, 0); }
  /// From now on the trace takes no events, and no spans.
  void end() { TakesSpans = false; }

  /// Some 10 MB of a file.
  static constexpr uint64_t MaxSpans = 1 << 20;

private:
  std::vector<DeviceSpan> Rows;
  uint64_t Taken = 0, Cut = 0;
  bool TakesSpans = true;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_DEVICESPANLOG_H
