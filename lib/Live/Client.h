// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asks a running recording.
//
// A recording is named `live:PID`: the process id of memrec or of a process
// that memrec records; `live:` is the only recording of the user.

#ifndef MEMKIT_LIB_LIVE_CLIENT_H
#define MEMKIT_LIB_LIVE_CLIENT_H

#include "Live/Descriptors.h"
#include "llvm/Support/Error.h"

namespace memkit {

/// What a recording says of itself: `name value` lines.
///
/// hello     version, pid, output (the absolute path of the trace, as the
///           recorder has it; `-`: no file), time-ns, recording (1, 0), command
/// trace [N] bytes: the part of the first descriptor that is the trace; events:
///           the last event before the copy; since: rows without an event after
///           event N are left out; cells: the number of MomentCells before the
///           rows; descriptors: the trace, the totals, cells and rows, the
///           index (Trace/LiveTrace.h)
/// mark NAME, start, stop, snapshot, holders, finish   nothing
///
/// The first line of a reply is `ok`, or `error TEXT`.
inline constexpr int LiveVersion = 2;

/// Whether a name of a trace is that of a recording.
inline bool isLive(llvm::StringRef Name) { return Name.starts_with("live:"); }

/// A connection to a recording. Belongs to one thread.
class LiveClient {
public:
  /// Connects to Target, `live:PID` or `live:`. Errors say how to record, which
  /// recordings there are, or who owns the recording.
  static llvm::Expected<LiveClient> connect(llvm::StringRef Target);

  /// The recordings of this user that answer.
  static std::vector<LiveClient> all();

  /// Sends a request and waits for the reply.
  llvm::Expected<LiveMessage> ask(llvm::StringRef Request);
  /// The recording's name: as it was asked for; of `live:`, with its process
  /// id.
  const std::string &name() const { return Name; }
  /// The answer to `hello`.
  llvm::StringRef hello() const { return Hello; }

private:
  LiveClient(Descriptor Socket, std::string Name)
      : Socket(std::move(Socket)), Name(std::move(Name)) {}
  static llvm::Expected<LiveClient> open(const std::string &Path,
                                         llvm::StringRef Name, int MaxMs);
  static llvm::Expected<LiveClient> only(llvm::StringRef Name);

  Descriptor Socket;
  std::string Name, Hello;
  int WaitMs = 0; ///< for a reply
};

/// The value of a line `Key VALUE` of a reply; empty: none.
llvm::StringRef replyValue(llvm::StringRef Reply, llvm::StringRef Key);

} // namespace memkit

#endif // MEMKIT_LIB_LIVE_CLIENT_H
