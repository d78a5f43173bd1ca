// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asks a running recording.
//
// A recording is named `live:PID`: the process id of memrec or of a process
// that memrec records; `live:` is the only recording of the user.

#ifndef MEMKIT_LIB_LIVE_CLIENT_H
#define MEMKIT_LIB_LIVE_CLIENT_H

#include "Live/Descriptors.h"
#include "Live/Places.h"
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
///           index (LiveTrace.h); the last three are sealed memory
/// mark NAME, start, stop, snapshot, holders, finish   nothing
///
/// The first line of a reply is `ok`, or `error TEXT`.
inline constexpr int LiveVersion = 3;

/// A connection to a recording. Belongs to one thread.
class LiveClient {
public:
  /// Connects to Target, `live:PID` or `live:`. Errors say how to record, which
  /// recordings there are, or who owns the recording.
  static llvm::Expected<LiveClient> connect(llvm::StringRef Target);

  /// The recordings of this user that answer within some seconds, all of them
  /// together. Other users' recordings are not asked, also by root.
  static std::vector<LiveClient> all();

  /// Sends a request and waits for the reply.
  llvm::Expected<LiveMessage> ask(llvm::StringRef Request);
  /// The recording's name: as it was asked for; of `live:`, with its process
  /// id.
  const std::string &name() const { return Name; }
  /// The answer to `hello`.
  llvm::StringRef hello() const { return Hello; }
  /// Whether the recorder is a process of this user. Root may ask recorders of
  /// other users, who may tell anything.
  bool isOwn() const { return IsOwn; }

private:
  LiveClient(Descriptor Socket, std::string Name, bool IsOwn)
      : Socket(std::move(Socket)), Name(std::move(Name)), IsOwn(IsOwn) {}
  static std::vector<LiveClient> greet(std::vector<LiveSocket> Sockets,
                                       llvm::StringRef Name, std::string &Why);
  llvm::Error takeHello(LiveMessage Reply);
  llvm::Expected<LiveMessage> checked(LiveMessage Reply) const;
  static llvm::Expected<LiveClient> only(llvm::StringRef Name);

  Descriptor Socket;
  std::string Name, Hello;
  bool IsOwn;
};

/// The value of a line `Key VALUE` of a reply; empty: none.
llvm::StringRef replyValue(llvm::StringRef Reply, llvm::StringRef Key);

} // namespace memkit

#endif // MEMKIT_LIB_LIVE_CLIENT_H
