// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The clock marks of a recording.

#ifndef MEMKIT_LIB_RECORD_SESSION_CLOCKMARKS_H
#define MEMKIT_LIB_RECORD_SESSION_CLOCKMARKS_H

#include "Output/Recording.h"
#include "Session/SampleInterval.h"

namespace memkit {

/// Adds clock marks to the trace, rarer in long recordings.
class ClockMarks {
public:
  explicit ClockMarks(Recording &R) : R(R) {}

  /// Adds a clock mark if one is due.
  void add(uint64_t Now) {
    if (Now < NextNs)
      return;
    R.addClockMark();
    NextNs = Now + stretchedInterval(1000000000, ++Count);
  }

private:
  Recording &R;
  uint64_t NextNs = 0;
  uint32_t Count = 0;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_SESSION_CLOCKMARKS_H
