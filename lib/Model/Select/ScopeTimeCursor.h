// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The changes of a process's scopes, in order of time.

#ifndef MEMKIT_LIB_MODEL_SCOPETIMECURSOR_H
#define MEMKIT_LIB_MODEL_SCOPETIMECURSOR_H

#include "memkit/Model/Trace.h"

namespace memkit {

/// Whether the trace has times of scopes of any process, or of Process.
bool hasScopeTimes(const Trace &T, uint32_t Process = 0);

/// Reads one section at a time.
class ScopeTimeCursor {
public:
  /// T must outlive the cursor.
  ScopeTimeCursor(const Trace &T, uint32_t Process) : T(T), Process(Process) {}

  /// The change that next() goes behind; null: none is left. Valid until
  /// next(). Errors: TraceError.
  llvm::Expected<const ScopeChange *> peek();
  void next() { ++At; }

private:
  const Trace &T;
  uint32_t Process;
  size_t Section = 0; ///< the next to read
  std::vector<ScopeChange> Changes;
  size_t At = 0;
};

} // namespace memkit

#endif // MEMKIT_LIB_MODEL_SCOPETIMECURSOR_H
