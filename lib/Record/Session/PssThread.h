// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads how much memory a process shares with others.

#ifndef MEMKIT_LIB_RECORD_PSSTHREAD_H
#define MEMKIT_LIB_RECORD_PSSTHREAD_H

#include "Shared/ProcFs.h"
#include "Shared/SideThread.h"

namespace memkit {

/// Reads a process's proportional set size (PSS) on a thread of its own. The
/// kernel walks all pages of the process, about 10 ms per GiB, too long for the
/// recorder's thread, which must drain the rings.
///
/// Only the recorder's thread may call the members.
class PssThread {
public:
  struct PssAnswer {
    uint32_t Process = 0;
    uint64_t TookNs = 0; ///< of the processor
    /// None: the process is gone, or the recorder may not read its PSS.
    std::optional<procfs::Shares> Shares;
  };
  /// Starts to read the PSS of Process; not while isBusy().
  void ask(uint32_t Process, pid_t Pid) {
    Answer = {Process, 0, std::nullopt};
    Thread.start([this, Pid] { Answer.Shares = procfs::sharesOf(Pid); });
  }
  bool isBusy() const { return Thread.isBusy(); }
  /// The answer to ask(), once the thread has it.
  std::optional<PssAnswer> take() {
    std::optional<uint64_t> Ns = Thread.takeDone();
    if (!Ns)
      return std::nullopt;
    Answer.TookNs = *Ns;
    return Answer;
  }

private:
  PssAnswer Answer; ///< of the thread while isBusy()
  SideThread Thread;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_PSSTHREAD_H
