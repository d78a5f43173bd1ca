// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a recording tells to those who listen.

#ifndef MEMKIT_LIB_RECORD_RECORDINGLISTENER_H
#define MEMKIT_LIB_RECORD_RECORDINGLISTENER_H

#include "memkit/Trace/Marks.h"
#include <string>

namespace memkit {

/// Each function is called by the recorder's thread, at once, and does nothing
/// by default. A listener outlives its registration (Recording::addListener).
class RecordingListener {
public:
  virtual ~RecordingListener() = default;

  /// A process asks for an alert. Number: of its alerts, from 1.
  virtual void askedForAlert(uint32_t Process, uint32_t Number,
                             const std::string &Condition) {}
  /// A mark is about to be added.
  virtual void addingMark(const Mark &M) {}
  /// A binary is new in the trace. Process: has loaded it.
  virtual void foundBinary(uint32_t Id, const std::string &Path,
                           const std::vector<uint8_t> &BuildId,
                           uint32_t Process) {}
  /// A process has run code of a binary: once for each load.
  virtual void ranBinary(uint32_t Process, const std::string &Path) {}
  /// A process's code has a Python function; may be told again.
  virtual void foundPythonFunction(uint32_t Function, const std::string &File) {
  }
  /// A process's code has a line of a Python function; may be told again.
  virtual void foundPythonLine(uint32_t Process, uint32_t Function,
                               uint32_t Line) {}
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_RECORDINGLISTENER_H
