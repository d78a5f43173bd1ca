// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asks a running recording.

#include "Live/Client.h"
#include "Live/Places.h"
#include "Support/CommandText.h"
#include "Support/Failure.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

using namespace llvm;
using namespace memkit;

/// A recorder answers between two passes, a large trace after seconds.
static constexpr int LongestWaitMs = 30000;
/// For the first answers of all recordings that are asked at once.
static constexpr std::chrono::seconds LongestGreeting(5);

StringRef memkit::replyValue(StringRef Reply, StringRef Key) {
  for (StringRef Line : split(Reply, '\n'))
    if (Line.consume_front(Key) && Line.consume_front(" "))
      return Line;
  return "";
}

/// An error about a recording: `live:7: ...`, and `live: ...`.
static std::string about(StringRef Name, const Twine &What) {
  return (Name.rtrim(':') + ": " + What).str();
}

namespace {
using GreetingClock = std::chrono::steady_clock;

/// A recorder that has not answered yet.
struct Greeting {
  explicit Greeting(LiveSocket To) : To(std::move(To)) {}
  /// Connects if the recorder takes connections now, and says hello.
  void connect();
  /// Takes an answer that has come.
  void take();
  bool isWaiting() const { return Problem.empty() && !Reply; }

  LiveSocket To;
  Descriptor Socket;
  bool IsConnected = false;
  std::string Problem; ///< why this is no recording; empty: none yet
  std::optional<LiveMessage> Reply;
};
} // namespace

/// Whether the process at the other end belongs to the owner of the folder.
static bool isOf(uid_t Owner, int Socket) {
  ucred Who{};
  socklen_t Size = sizeof(Who);
  return getsockopt(Socket, SOL_SOCKET, SO_PEERCRED, &Who, &Size) == 0 &&
         Who.uid == Owner;
}

void Greeting::connect() {
  sockaddr_un A{};
  A.sun_family = AF_UNIX;
  if (To.Path.size() >= sizeof(A.sun_path)) {
    Problem = To.Path + ": the path is too long for a socket";
    return;
  }
  std::memcpy(A.sun_path, To.Path.data(), To.Path.size());
  if (!Socket)
    Socket = Descriptor(
        socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!Socket ||
      ::connect(Socket.get(), reinterpret_cast<sockaddr *>(&A), sizeof(A))) {
    if (errno != EAGAIN) // no room for one more connection
      Problem = std::strerror(errno);
    return;
  }
  IsConnected = true;
  if (!isOf(To.Owner, Socket.get()))
    Problem = "the recording is another user's";
  else if (!sendMessage(Socket.get(), "hello", {}))
    Problem = std::strerror(errno);
}

void Greeting::take() {
  LiveMessage M;
  Received What = receiveMessage(Socket.get(), M);
  if (What == Received::End)
    Problem = "the recording has ended";
  if (What == Received::Packet)
    Reply = std::move(M);
}

static constexpr const char *NoAnswer =
    "the recorder does not answer (is it stopped?)";

/// Waits some time for answers. False: nobody is left to wait for.
static bool awaitSome(std::vector<Greeting> &All, int WaitMs) {
  constexpr int RetryMs = 10;
  std::vector<pollfd> Polls;
  std::vector<Greeting *> Of;
  for (Greeting &G : All) {
    if (G.isWaiting() && !G.IsConnected)
      G.connect();
    if (!G.isWaiting())
      continue;
    if (!G.IsConnected)
      WaitMs = std::min(WaitMs, RetryMs);
    Polls.push_back({G.IsConnected ? G.Socket.get() : -1, POLLIN, 0});
    Of.push_back(&G);
  }
  if (Polls.empty())
    return false;
  if (poll(Polls.data(), Polls.size(), WaitMs) > 0)
    for (size_t I = 0; I != Polls.size(); ++I)
      if (Polls[I].revents)
        Of[I]->take();
  return true;
}

/// The recordings that answer, in the order of Sockets. Name: as asked for.
/// Why: why one of the others is left out; first of all that it does not
/// answer.
std::vector<LiveClient> LiveClient::greet(std::vector<LiveSocket> Sockets,
                                          StringRef Name, std::string &Why) {
  std::vector<Greeting> All;
  for (LiveSocket &S : Sockets)
    All.emplace_back(std::move(S));
  auto End = GreetingClock::now() + LongestGreeting;
  auto LeftMs = [&] {
    return int(std::chrono::duration_cast<std::chrono::milliseconds>(
                   End - GreetingClock::now())
                   .count());
  };
  for (int Ms = LeftMs(); Ms > 0 && awaitSome(All, Ms); Ms = LeftMs())
    ;
  std::vector<LiveClient> Out;
  for (Greeting &G : All) {
    if (G.isWaiting())
      G.Problem = NoAnswer;
    if (!G.Problem.empty()) {
      if (!StringRef(Why).ends_with(NoAnswer))
        Why = about(Name, G.Problem);
      continue;
    }
    LiveClient C(std::move(G.Socket), Name.str(), G.To.Owner == geteuid());
    if (Error E = C.takeHello(std::move(*G.Reply)))
      Why = toString(std::move(E));
    else
      Out.push_back(std::move(C));
  }
  return Out;
}

Error LiveClient::takeHello(LiveMessage Reply) {
  Expected<LiveMessage> M = checked(std::move(Reply));
  if (!M)
    return M.takeError();
  Hello = std::move(M->Text);
  if (Name == "live:")
    Name += oneLine(replyValue(Hello, "pid"));
  if (int Version = 0; !to_integer(replyValue(Hello, "version"), Version, 10) ||
                       Version != LiveVersion)
    return makeError(about(Name, "recorded by another version of memkit; use "
                                 "the tools of that version"));
  return Error::success();
}

Expected<LiveMessage> LiveClient::ask(StringRef Request) {
  if (!sendMessage(Socket.get(), Request, {}))
    return failErrno(StringRef(Name).rtrim(':'));
  pollfd P{Socket.get(), POLLIN, 0};
  LiveMessage Reply;
  for (;;) {
    int N = poll(&P, 1, LongestWaitMs);
    if (N < 0 && errno == EINTR)
      continue;
    if (N <= 0)
      return makeError(about(Name, NoAnswer));
    Received What = receiveMessage(Socket.get(), Reply);
    if (What == Received::End)
      return makeError(about(Name, "the recording has ended"));
    if (What == Received::Packet)
      return checked(std::move(Reply));
  }
}

/// A reply without its first line, if that is `ok`.
Expected<LiveMessage> LiveClient::checked(LiveMessage Reply) const {
  StringRef Text = Reply.Text;
  if (Text.consume_front("error "))
    return makeError(about(Name, oneLine(Text)));
  if (!Text.consume_front("ok\n"))
    return makeError(about(Name, "an answer that is not memrec's"));
  Reply.Text = Text.str();
  return Reply;
}

//===----------------------------------------------------------------------===//
// Which recording
//===----------------------------------------------------------------------===//

static constexpr const char *HowToRecord =
    "memrec PROGRAM records a program from its start";

std::vector<LiveClient> LiveClient::all() {
  std::string Why;
  return greet(socketsOfUser(), "live:", Why);
}

/// The only recording of this user.
Expected<LiveClient> LiveClient::only(StringRef Name) {
  std::string Why;
  std::vector<LiveClient> All = greet(socketsOfUser(), "live:", Why);
  // The sockets of recorders that were killed say nothing.
  if (All.empty() && StringRef(Why).ends_with(NoAnswer))
    return makeError(Why);
  if (All.empty())
    return makeError(
        about(Name, Twine("nothing is being recorded; ") + HowToRecord));
  if (All.size() == 1)
    return std::move(All.front());
  std::string Text = about(Name, "several programs are being recorded:");
  for (const LiveClient &C : All)
    Text += "\n  " + C.Name + "  " + oneLine(replyValue(C.Hello, "command"));
  return makeError(Text);
}

/// Why no recording answers for a process.
static Error noRecording(StringRef Name, pid_t Pid) {
  std::string Proc = "/proc/" + std::to_string(Pid);
  struct stat S;
  if (stat(Proc.c_str(), &S) != 0)
    return makeError(about(Name, "no such process"));
  if (S.st_uid != geteuid() && geteuid() != 0)
    return makeError(about(Name, "the process is another user's"));
  return makeError(
      about(Name, Twine("the process is not being recorded; ") + HowToRecord));
}

Expected<LiveClient> LiveClient::connect(StringRef Target) {
  StringRef Number = Target;
  if (!Number.consume_front("live:"))
    return makeError(about(Target, "should be live:PID or live:"));
  if (Number.empty())
    return only(Target);
  pid_t Pid;
  if (!to_integer(Number, Pid, 10) || Pid <= 0)
    return makeError(about(Target, "should be live:PID or live:"));
  std::string Why;
  std::vector<LiveClient> Found = greet(socketsFor(Pid), Target, Why);
  if (!Found.empty())
    return std::move(Found.front());
  // A socket without a recorder is left by one that was killed.
  if (!Why.empty() && !StringRef(Why).ends_with(std::strerror(ECONNREFUSED)))
    return makeError(Why);
  return noRecording(Target, Pid);
}
