// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where tools ask about a running recording.

#include "Session/Door.h"
#include "Live/Client.h"
#include "Live/Places.h"
#include "Output/Recording.h"
#include "Session/ChildList.h"
#include "Session/RecordOptions.h"
#include "Session/RecordingControl.h"
#include "Session/Requests.h"
#include "Support/CommandText.h"
#include "Support/Failure.h"
#include "llvm/ADT/STLExtras.h"
#include <cerrno>
#include <climits>
#include <cstring>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

using namespace llvm;
using namespace memkit;

//===----------------------------------------------------------------------===//
// The socket
//===----------------------------------------------------------------------===//

/// Connects to a path; an error number, or 0.
static int tryConnect(const sockaddr_un &A) {
  Descriptor Fd(
      socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!Fd)
    return errno;
  return ::connect(Fd.get(), reinterpret_cast<const sockaddr *>(&A),
                   sizeof(A)) == 0
             ? 0
             : errno;
}

static bool setPath(sockaddr_un &A, const std::string &Path) {
  A = sockaddr_un();
  A.sun_family = AF_UNIX;
  if (Path.size() >= sizeof(A.sun_path))
    return false;
  std::memcpy(A.sun_path, Path.data(), Path.size());
  return true;
}

/// Removes sockets of recorders that were killed.
static void removeDead(const std::string &Folder) {
  sockaddr_un A;
  for (const std::string &Path : socketsIn(Folder))
    if (setPath(A, Path) && tryConnect(A) == ECONNREFUSED)
      unlink(Path.c_str());
}

Expected<std::unique_ptr<Door>> Door::open(const RecordOptions &O, Recording &R,
                                           RecordingControl &Control,
                                           ChildList &Children, int TraceFd) {
  std::unique_ptr<Door> D(new Door(O, R, Control, Children, TraceFd));
  Expected<std::string> Folder = makeLiveFolder();
  if (!Folder)
    return Folder.takeError();
  removeDead(*Folder);
  D->Path = *Folder + "/" + std::to_string(getpid()) + ".sock";
  // A socket that does not listen yet looks dead: it gets its name afterwards.
  std::string New = D->Path + ".new";
  sockaddr_un A;
  if (!setPath(A, New))
    return makeError(D->Path + ": the path is too long for a socket");
  unlink(New.c_str());
  D->Listener = Descriptor(
      socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!D->Listener ||
      ::bind(D->Listener.get(), reinterpret_cast<sockaddr *>(&A), sizeof(A)) ||
      ::listen(D->Listener.get(), int(MaxClients)) ||
      ::rename(New.c_str(), D->Path.c_str()))
    return failErrno(D->Path);
  return D;
}

Door::~Door() {
  if (Listener && !Path.empty())
    unlink(Path.c_str());
}

void Door::addPolls(std::vector<pollfd> &To) const {
  To.push_back({Listener.get(), POLLIN, 0});
  for (const Peer &P : Peers)
    To.push_back({P.Socket.get(), POLLIN, 0});
}

void Door::accept() {
  for (;;) {
    Descriptor C(accept4(Listener.get(), nullptr, nullptr,
                         SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!C)
      return;
    ucred Who{};
    socklen_t Size = sizeof(Who);
    bool IsKnown =
        getsockopt(C.get(), SOL_SOCKET, SO_PEERCRED, &Who, &Size) == 0;
    bool IsOurs = IsKnown && (Who.uid == geteuid() || Who.uid == 0);
    if (IsOurs && Peers.size() < MaxClients)
      Peers.push_back({std::move(C)});
    else
      sendMessage(C.get(),
                  IsOurs ? "error the recording has too many readers"
                         : "error the recording is another user's",
                  {});
  }
}

//===----------------------------------------------------------------------===//
// Requests
//===----------------------------------------------------------------------===//

/// Takes the next request of a peer; false: the peer has gone.
bool Door::hear(Peer &P) {
  LiveMessage M;
  switch (receiveMessage(P.Socket.get(), M)) {
  case Received::Nothing:
    return true;
  case Received::End:
    return false;
  case Received::Packet:
    break;
  }
  StringRef Text = M.Text;
  if (Text == "trace" ||
      (Text.consume_front("trace ") && !Text.getAsInteger(10, P.Since))) {
    P.WantsTrace = true;
    if (Text == "trace")
      P.Since = 0;
    return true;
  }
  return sendMessage(P.Socket.get(), answer(M.Text), {});
}

std::string Door::answer(StringRef Request) {
  StringRef Argument = Request;
  if (Request == "hello")
    return hello();
  if (Argument.consume_front("mark ")) {
    mark(Argument);
    return "ok\n";
  }
  if (Request == "start" || Request == "stop") {
    Control.requestRecording(Request == "start");
    return "ok\n";
  }
  if (Request == "snapshot") {
    Control.writeNow();
    return "ok\n";
  }
  if (Request == "holders") {
    Control.askHolders();
    return "ok\n";
  }
  if (Request == "finish") {
    TheRequests.Stop = true;
    return "ok\n";
  }
  return "error an unknown request";
}

/// The path of the trace now; `-`: the trace is in memory, or has no path.
static std::string pathOfTrace(int TraceFd) {
  char Path[PATH_MAX];
  std::string Link = "/proc/self/fd/" + std::to_string(TraceFd);
  ssize_t Size = readlink(Link.c_str(), Path, sizeof(Path));
  StringRef Found(Path, Size > 0 ? size_t(Size) : 0);
  bool IsFile = Found.starts_with("/") && !Found.starts_with("/memfd:") &&
                !Found.ends_with(" (deleted)");
  return IsFile ? Found.str() : "-";
}

std::string Door::hello() const {
  constexpr unsigned MaxCommand = 1000;
  return "ok\nversion " + std::to_string(LiveVersion) + "\npid " +
         std::to_string(getpid()) + "\noutput " +
         oneLine(pathOfTrace(TraceFd)) + "\ntime-ns " +
         std::to_string(R.nowNs()) + "\nrecording " +
         (Control.isRecording() ? "1" : "0") + "\ncommand " +
         StringRef(commandText(O.Command)).take_front(MaxCommand).str() + "\n";
}

void Door::mark(StringRef Name) {
  constexpr size_t MaxName = 256;
  Mark M;
  M.Kind = MarkKind::User;
  M.Process = Children.size() ? Children[0].Process : 1;
  M.TimeNs = R.boundaryNs(R.nowNs());
  M.Name = R.names().Names.string(Name.take_front(MaxName));
  R.addMark(std::move(M));
}

//===----------------------------------------------------------------------===//
// Copies of the trace
//===----------------------------------------------------------------------===//

void Door::failCopy(Error E) {
  std::string Text = "error " + toString(std::move(E));
  Copy.reset();
  for (Peer &P : Peers)
    if (std::exchange(P.GetsCopy, false))
      sendMessage(P.Socket.get(), Text, {});
}

void Door::sendCopy() {
  Descriptor Trace(::open(("/proc/self/fd/" + std::to_string(TraceFd)).c_str(),
                          O_RDONLY | O_CLOEXEC));
  if (!Trace)
    return failCopy(failErrno("the trace"));
  std::string Text = "ok\nbytes " + std::to_string(Copy->bytes()) +
                     "\nevents " + std::to_string(Copy->events()) + "\nsince " +
                     std::to_string(Copy->since()) + "\ncells " +
                     std::to_string(Copy->cells()) + "\n";
  for (Peer &P : Peers)
    if (std::exchange(P.GetsCopy, false))
      sendMessage(P.Socket.get(), Text,
                  {Trace.get(), Copy->totals(), Copy->rows(), Copy->index()});
  Copy.reset();
}

void Door::goOnCopying(uint64_t NowNs) {
  if (!Copy) {
    // An alert may read the moment.
    if (none_of(Peers, [](const Peer &P) { return P.WantsTrace; }) ||
        R.stats().isInMoment())
      return;
    uint64_t Since = UINT64_MAX;
    for (Peer &P : Peers) {
      if (P.WantsTrace)
        Since = std::min(Since, P.Since);
      P.GetsCopy |= std::exchange(P.WantsTrace, false);
    }
    Expected<std::unique_ptr<LiveCopy>> New = LiveCopy::begin(R, NowNs, Since);
    if (!New)
      return failCopy(New.takeError());
    Copy = std::move(*New);
    OnCopy();
    return;
  }
  // As long as a read of the rings may take.
  for (uint64_t EndNs = NowNs + Recording::WorkNs / 2; R.nowNs() < EndNs;) {
    Expected<bool> Done = Copy->step();
    if (!Done)
      return failCopy(Done.takeError());
    if (*Done)
      return sendCopy();
    if (Copy->isWaiting())
      return;
  }
}

void Door::take(uint64_t NowNs, bool IsReady) {
  if (IsReady) {
    accept();
    erase_if(Peers, [this](Peer &P) { return !hear(P); });
  }
  goOnCopying(NowNs);
}
