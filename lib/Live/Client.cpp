// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asks a running recording.

#include "Live/Client.h"
#include "Live/Places.h"
#include "Support/CommandText.h"
#include "Support/Failure.h"
#include "llvm/ADT/StringExtras.h"
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

using namespace llvm;
using namespace memkit;

/// A recorder answers between two passes, a large trace after seconds.
static constexpr int LongestWaitMs = 30000;
/// All recordings of a user together are asked for so long who they are.
static constexpr int AllWaitMs = 10000;

StringRef memkit::replyValue(StringRef Reply, StringRef Key) {
  for (StringRef Line : split(Reply, '\n'))
    if (Line.consume_front(Key) && Line.consume_front(" "))
      return Line;
  return "";
}

/// The begin of an error about a recording: `live:7: `, and `live: `.
static std::string about(StringRef Name) {
  return Name.rtrim(':').str() + ": ";
}

/// Whether the process at the other end is the user's own, or root's. Root asks
/// other users' recordings only by the name of a process.
static bool isOurs(int Socket, bool IsNamed) {
  ucred Who{};
  socklen_t Size = sizeof(Who);
  return getsockopt(Socket, SOL_SOCKET, SO_PEERCRED, &Who, &Size) == 0 &&
         (Who.uid == geteuid() || Who.uid == 0 || (geteuid() == 0 && IsNamed));
}

Expected<LiveClient> LiveClient::open(const std::string &Path, StringRef Name,
                                      int MaxMs) {
  sockaddr_un A{};
  A.sun_family = AF_UNIX;
  if (Path.size() >= sizeof(A.sun_path))
    return makeError(Path + ": the path is too long for a socket");
  std::memcpy(A.sun_path, Path.data(), Path.size());
  // Who never accepts must not hold up a tool: a full queue is an error.
  Descriptor Fd(
      socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!Fd || ::connect(Fd.get(), reinterpret_cast<sockaddr *>(&A), sizeof(A)))
    return failErrno(Name.rtrim(':'));
  if (!isOurs(Fd.get(), /*IsNamed=*/Name != "live:"))
    return makeError(about(Name) + "the recording is another user's");
  LiveClient C(std::move(Fd), Name.str());
  C.WaitMs = MaxMs;
  Expected<LiveMessage> Hello = C.ask("hello");
  C.WaitMs = LongestWaitMs;
  if (!Hello)
    return Hello.takeError();
  C.Hello = std::move(Hello->Text);
  if (Name == "live:")
    C.Name += replyValue(C.Hello, "pid");
  if (int Version = 0;
      !to_integer(replyValue(C.Hello, "version"), Version, 10) ||
      Version != LiveVersion)
    return makeError(about(Name) +
                     "recorded by another version of memkit; use the "
                     "tools of that version");
  return C;
}

Expected<LiveMessage> LiveClient::ask(StringRef Request) {
  if (!sendMessage(Socket.get(), Request, {}))
    return failErrno(StringRef(Name).rtrim(':'));
  pollfd P{Socket.get(), POLLIN, 0};
  LiveMessage Reply;
  for (;;) {
    int N = poll(&P, 1, WaitMs);
    if (N < 0 && errno == EINTR)
      continue;
    if (N <= 0)
      return makeError(about(Name) + "the recorder does not answer");
    Received What = receiveMessage(Socket.get(), Reply);
    if (What == Received::End)
      return makeError(about(Name) + "the recording has ended");
    if (What == Received::Packet)
      break;
  }
  StringRef Text = Reply.Text;
  if (Text.consume_front("error "))
    return makeError(about(Name) + Text);
  if (!Text.consume_front("ok\n"))
    return makeError(about(Name) + "an answer that is not memrec's");
  Reply.Text = Text.str();
  return Reply;
}

//===----------------------------------------------------------------------===//
// Which recording
//===----------------------------------------------------------------------===//

static constexpr const char *HowToRecord =
    "memrec PROGRAM records a program from its start";

std::vector<LiveClient> LiveClient::all() {
  const char *Runtime = std::getenv("XDG_RUNTIME_DIR");
  std::vector<LiveClient> All;
  using LiveClock = std::chrono::steady_clock;
  LiveClock::time_point End =
      LiveClock::now() + std::chrono::milliseconds(AllWaitMs);
  for (const std::string &Folder :
       liveFolders("", Runtime ? Runtime : "", geteuid(), {geteuid()}))
    for (const std::string &Path : socketsIn(Folder)) {
      auto Left = std::chrono::duration_cast<std::chrono::milliseconds>(
          End - LiveClock::now());
      if (Left.count() <= 0)
        return All;
      Expected<LiveClient> C = open(Path, "live:", int(Left.count()));
      if (C)
        All.push_back(std::move(*C));
      else // left by a recorder that was killed
        consumeError(C.takeError());
    }
  return All;
}

/// The only recording of this user.
Expected<LiveClient> LiveClient::only(StringRef Name) {
  std::vector<LiveClient> All = all();
  if (All.empty())
    return makeError(about(Name) + "nothing is being recorded; " + HowToRecord);
  if (All.size() == 1)
    return std::move(All.front());
  std::string Text = about(Name) + "several programs are being recorded:";
  for (const LiveClient &C : All)
    Text += "\n  live:" + oneLine(replyValue(C.Hello, "pid")) + "  " +
            oneLine(replyValue(C.Hello, "command"));
  return makeError(Text);
}

/// Why no recording answers for a process.
static Error noRecording(StringRef Name, pid_t Pid) {
  std::string Proc = "/proc/" + std::to_string(Pid);
  struct stat S;
  if (stat(Proc.c_str(), &S) != 0)
    return makeError(about(Name) + "no such process");
  if (S.st_uid != geteuid() && geteuid() != 0)
    return makeError(about(Name) + "the process is another user's");
  return makeError(about(Name) + "the process is not being recorded; " +
                   HowToRecord);
}

Expected<LiveClient> LiveClient::connect(StringRef Target) {
  StringRef Number = Target;
  if (!Number.consume_front("live:"))
    return makeError(about(Target) + "should be live:PID or live:");
  if (Number.empty())
    return only(Target);
  pid_t Pid;
  if (!to_integer(Number, Pid, 10) || Pid <= 0)
    return makeError(about(Target) + "should be live:PID or live:");
  std::string Why;
  for (const std::string &Path : socketsFor(Pid)) {
    Expected<LiveClient> C = open(Path, Target, LongestWaitMs);
    if (C)
      return C;
    Why = toString(C.takeError());
  }
  // A socket without a recorder is left by one that was killed.
  if (!Why.empty() && !StringRef(Why).ends_with(std::strerror(ECONNREFUSED)))
    return makeError(Why);
  return noRecording(Target, Pid);
}
