// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A run of one of memkit's tools, whose output is an answer.

#ifndef MEMKIT_LIB_AGENTS_TOOLRUN_H
#define MEMKIT_LIB_AGENTS_TOOLRUN_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <poll.h>
#include <string>
#include <sys/types.h>
#include <vector>

namespace memkit {

/// What becomes of a tool's output.
enum class ToolOutput : uint8_t {
  Kept,  ///< to its first MaxOutput bytes; then the tool is killed
  Begin, ///< its first bytes are kept: of memrec, whose command ends with it
  File,  ///< goes into a file of at most MaxImport bytes
};

/// How a tool runs.
struct ToolPlan {
  std::string Tool; ///< beside this program
  std::vector<std::string> Arguments;
  ToolOutput Output = ToolOutput::Kept;
  int File = -1;      ///< of ToolOutput::File
  std::string Folder; ///< empty: this program's
};

/// A child process. A trace is untrusted input: what goes wrong in its reader
/// ends the child alone. One thread.
class ToolRun {
public:
  /// Starts the tool beside this program. Errors: it cannot be started.
  static llvm::Expected<ToolRun> start(const ToolPlan &Plan);
  ToolRun(ToolRun &&Other);
  ToolRun &operator=(ToolRun &&) = delete;
  /// Ends a child that still runs, of ToolOutput::Begin also its group.
  ~ToolRun();

  /// What to wait for: two entries.
  void addPolls(std::vector<pollfd> &To) const;
  /// Takes what there is. True: the child has closed its output, or, of
  /// ToolOutput::Begin, has ended: other processes may have its output, too.
  bool take();
  /// Waits for the end of the child. The exit status; 128 and more: a signal.
  int finish();
  void kill();
  /// Asks the child to end.
  void interrupt();

  /// Of the first bytes of the output, and of the messages.
  const std::string &output() const { return Texts[0]; }
  const std::string &messages() const { return Texts[1]; }
  /// Whether the child has written more than is kept.
  bool isCut() const { return IsCut; }

  /// What is kept of the output: more than any answer shows.
  static constexpr size_t MaxOutput = 64 << 20, MaxMessages = 4096;
  static constexpr size_t MaxImport = size_t(1) << 30;

private:
  ToolRun() = default;
  size_t maxBytes(int Of) const;
  bool hasEnded();
  void endRecording();
  pid_t Pid = -1;
  std::optional<int> Status; ///< of a child that was waited for
  ToolOutput Output = ToolOutput::Kept;
  int Fds[2] = {-1, -1}; ///< output and messages; -1: closed
  std::string Texts[2];
  bool IsCut = false;
};

} // namespace memkit

#endif // MEMKIT_LIB_AGENTS_TOOLRUN_H
