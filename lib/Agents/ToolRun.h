// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A run of one of memkit's tools, whose output is an answer.

#ifndef MEMKIT_TOOLS_MEMMCP_TOOLRUN_H
#define MEMKIT_TOOLS_MEMMCP_TOOLRUN_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <poll.h>
#include <string>
#include <sys/types.h>
#include <vector>

namespace memkit {

/// A child process. A trace is untrusted input: what goes wrong in its reader
/// ends the child alone. One thread.
class ToolRun {
public:
  /// Starts the tool beside this program. Errors: it cannot be started.
  static llvm::Expected<ToolRun> start(llvm::StringRef Tool,
                                       llvm::ArrayRef<std::string> Arguments);
  ToolRun(ToolRun &&Other);
  ToolRun &operator=(ToolRun &&) = delete;
  /// Kills a child that still runs.
  ~ToolRun();

  /// What to wait for: two entries.
  void addPolls(std::vector<pollfd> &To) const;
  /// Takes what there is. True: the child has closed its output.
  bool take();
  /// Waits for the end of the child. The exit status; 128 and more: a signal.
  int finish();
  void kill();

  /// Of the first bytes of the output, and of the messages.
  const std::string &output() const { return Texts[0]; }
  const std::string &messages() const { return Texts[1]; }
  /// Whether the child has written more than is kept.
  bool isCut() const { return IsCut; }

  /// What is kept of the output: more than any answer shows.
  static constexpr size_t MaxOutput = 64 << 20, MaxMessages = 4096;

private:
  ToolRun() = default;
  pid_t Pid = -1;
  int Fds[2] = {-1, -1}; ///< output and messages; -1: closed
  std::string Texts[2];
  bool IsCut = false;
};

} // namespace memkit

#endif // MEMKIT_TOOLS_MEMMCP_TOOLRUN_H
