// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// memrec beside memtop, for a program that nobody records yet.

#ifndef MEMKIT_TOOLS_MEMTOP_ATTACHEDRECORDER_H
#define MEMKIT_TOOLS_MEMTOP_ATTACHEDRECORDER_H

#include "llvm/Support/Error.h"
#include <memory>
#include <string>
#include <sys/types.h>

namespace memkit {

struct AttachWish {
  std::string Target;        ///< a process's number or name; empty: none
  bool WithChildren = false; ///< and the processes that descend from it
  std::string Output;        ///< empty: the recording is not kept
};

/// A memrec that has attached to a program. Detaches with this object.
class AttachedRecorder {
public:
  /// Returns when memrec has attached. Errors: what memrec says.
  static llvm::Expected<std::unique_ptr<AttachedRecorder>>
  start(const AttachWish &W);
  ~AttachedRecorder();
  AttachedRecorder(const AttachedRecorder &) = delete;
  AttachedRecorder &operator=(const AttachedRecorder &) = delete;

  /// The recording, for other tools: `live:PID` of memrec.
  std::string name() const { return "live:" + std::to_string(Pid); }

private:
  AttachedRecorder() = default;
  llvm::Error spawn(const AttachWish &W);
  llvm::Error waitUntilAttached();
  std::string said() const;

  pid_t Pid = 0;
  int Messages = -1;  ///< a file in memory with what memrec says
  std::string Trace;  ///< the recording
  std::string Folder; ///< to be removed with the recording; empty: none
};

} // namespace memkit

#endif // MEMKIT_TOOLS_MEMTOP_ATTACHEDRECORDER_H
