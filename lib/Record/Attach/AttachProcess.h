// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The process of memrec that traces programs.

#ifndef MEMKIT_LIB_RECORD_ATTACH_ATTACHPROCESS_H
#define MEMKIT_LIB_RECORD_ATTACH_ATTACHPROCESS_H

#include "Attach/Attacher.h"
#include <memory>
#include <optional>

namespace memkit {

/// Attaches and detaches in a process of its own, while the recorder answers
/// the library. The process keeps the rights that memrec had at its start, and
/// detaches from all programs by itself when memrec dies.
class AttachProcess {
public:
  /// Forks; only before other threads. Library: as for Attacher. WithPrivate:
  /// as for checkTarget().
  static llvm::Expected<std::unique_ptr<AttachProcess>>
  start(const std::string &Library, bool WithPrivate);
  /// The process ends; it detaches first if it has attached.
  ~AttachProcess();
  AttachProcess(const AttachProcess &) = delete;
  AttachProcess &operator=(const AttachProcess &) = delete;

  pid_t pid() const { return Pid; }
  /// One request at a time: the answer comes by take().
  /// Check: whether checkTarget() decides first; then errors are sentences.
  void requestAttach(pid_t Target, llvm::StringRef Socket, bool Check);
  void requestDetach(pid_t Target);
  /// The answer to the last request; none: it has not come yet. Errors: as of
  /// Attacher, or that the process was killed. Of a target that is recorded
  /// already, no Processes.
  std::optional<llvm::Expected<AttachResult>> take();

private:
  AttachProcess(pid_t Pid, int Fd) : Pid(Pid), Fd(Fd) {}
  pid_t Pid;
  int Fd;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_ATTACH_ATTACHPROCESS_H
