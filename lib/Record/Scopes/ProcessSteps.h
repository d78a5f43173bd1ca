// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps of a process.

#ifndef MEMKIT_LIB_RECORD_PROCESSSTEPS_H
#define MEMKIT_LIB_RECORD_PROCESSSTEPS_H

#include <cstdint>

namespace memkit {

class Recording;

/// Counts steps, and knows who makes them: ranges that match --step, else the
/// program's own reports, else the first range of a framework that asks.
/// Belongs to the recorder's thread.
class ProcessSteps {
public:
  ProcessSteps(Recording &R, uint32_t Process) : R(R), Process(Process) {}

  /// A step has ended at TimeNs. IsOwn: it is the first of the program's own,
  /// and those before were none.
  void add(uint64_t TimeNs, uint32_t Thread, bool IsOwn = false);
  /// The program reports the end of a step.
  void report(uint64_t TimeNs, uint32_t Thread);
  /// Whether the ends of the framework's range Maker, not 0, are steps.
  bool isMadeBy(uint64_t Maker);
  uint64_t count() const { return Count; }

private:
  Recording &R;
  uint32_t Process;
  uint64_t Count = 0;
  uint64_t FirstMaker = 0;  ///< 0: none has asked
  bool HasOwnSteps = false; ///< the program reports its steps
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_PROCESSSTEPS_H
