// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Symbols from a process of its own.

#include "NameProcess.h"
#include "Support/Failure.h"
#include "llvm/ADT/Twine.h"
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <optional>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
using namespace memkit;

/// Maximum of addresses without an answer: enough that the worker never waits
/// for the next question.
static constexpr size_t MaxOpen = 2 * NameQuestion::MaxAddresses;
/// Time without an answer. The index of some GiB of debug information takes a
/// minute.
static constexpr uint64_t MaxSilenceMs = 360'000;
/// Time for the process to end by itself.
static constexpr int MaxEndMs = 3000;
/// Time between two looks at IsCut.
static constexpr int LookMs = 100;

/// One call of resolve().
class NameProcess::Exchange {
public:
  Exchange(const SymbolFiles &Files, ArrayRef<uint64_t> Addresses,
           AnswerCallback OnAnswer, uint32_t First)
      : Addresses(Addresses), OnAnswer(OnAnswer), First(First) {
    Question.Debug = Files.Debug;
    Question.Symbols = Files.Symbols;
    Question.Alt = Files.Alt;
  }

  bool isDone() const { return Done == Addresses.size(); }
  bool wantsToSend() const {
    return Sent != Addresses.size() &&
           Sent - Done <= MaxOpen - NameQuestion::MaxAddresses;
  }
  void take(PipeReader &R);

  ArrayRef<uint64_t> Addresses;
  AnswerCallback OnAnswer;
  uint32_t First; ///< number of the first address
  size_t Sent = 0, Done = 0;
  NameQuestion Question;
  std::string Problem;
  std::optional<wire::DetourReply> Detours;
};

void NameProcess::Exchange::take(PipeReader &R) {
  // An answer to a question of an earlier call that was cut, or a second one.
  size_t I = R.Number - First;
  if (I >= Sent || I < Done)
    return;
  bool IsText = R.Kind == PipeRecord::Damage || R.Kind == PipeRecord::Fatal;
  if (IsText && Problem.empty())
    Problem = R.Text;
  if (R.Kind == PipeRecord::Damage)
    return;
  Done = I + 1;
  if (R.Kind == PipeRecord::Answer)
    OnAnswer(I, std::move(R.Locations));
  else if (R.Kind == PipeRecord::Detours)
    Detours = R.Found;
}

NameProcess::~NameProcess() {
  end();
  if (Patience)
    munmap(Patience, sizeof(NamePatience));
}

void NameProcess::setPatience(uint32_t FileMs) {
  if (Patience)
    Patience->FileMs = FileMs;
}

void NameProcess::start() {
  if (std::exchange(IsStarted, true))
    return;
  void *Shared = mmap(nullptr, sizeof(NamePatience), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (Shared == MAP_FAILED)
    return fail(std::string("shared memory: ") + std::strerror(errno));
  Patience = new (Shared) NamePatience;
  int Ends[2], Sockets[2];
  if (pipe2(Ends, O_CLOEXEC) != 0)
    return fail(std::string("a pipe: ") + std::strerror(errno));
  Pipe = Ends[0];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, Sockets) == 0) {
    Socket = Sockets[0];
    fork(Sockets[1], Ends[1]);
    close(Sockets[1]);
  } else {
    fail(std::string("a socket: ") + std::strerror(errno));
  }
  close(Ends[1]);
}

/// Starts the process with its ends of both channels.
void NameProcess::fork(int Questions, int Answers) {
  // The caller's handlers, which may remove the caller's output, must not run
  // in the process: serveNames() replaces the handlers and unblocks the
  // signals.
  sigset_t All, Old;
  sigfillset(&All);
  pthread_sigmask(SIG_SETMASK, &All, &Old);
  Pid = ::fork();
  if (Pid == 0) {
    close(Pipe);
    close(Socket);
    serveNames(Questions, Answers, Limits, *Patience);
  }
  pthread_sigmask(SIG_SETMASK, &Old, nullptr);
  if (Pid < 0)
    return fail(std::string("a process: ") + std::strerror(errno));
  setpgid(Pid, Pid);
}

void NameProcess::fail(const std::string &Why) {
  Failure = Why;
  end();
}

void NameProcess::end() {
  for (int *Fd : {&Socket, &Pipe})
    if (*Fd >= 0)
      close(std::exchange(*Fd, -1));
  if (Pid <= 0)
    return;
  // Ends the worker; the process waits for the worker's end, and finds that
  // there will be no question.
  kill(-Pid, SIGTERM);
  for (int Ms = 0; Ms != MaxEndMs; ++Ms) {
    pid_t Ended = waitpid(Pid, nullptr, WNOHANG);
    if (Ended == Pid || (Ended < 0 && errno != EINTR)) {
      Pid = -1;
      return;
    }
    usleep(1000);
  }
  kill(-Pid, SIGKILL);
  while (waitpid(Pid, nullptr, 0) < 0 && errno == EINTR)
    ;
  Pid = -1;
}

/// Sends the next question. False: there is no room, or the question cannot be
/// sent.
bool NameProcess::send(Exchange &E) {
  NameQuestion &Q = E.Question;
  Q.Number = E.First + uint32_t(E.Sent);
  Q.Addresses = E.Addresses.drop_front(E.Sent)
                    .take_front(NameQuestion::MaxAddresses)
                    .vec();
  std::string Bytes = Q.encode();
  if (Bytes.empty()) {
    E.Problem = "the paths of the files are too long";
    E.Done = E.Addresses.size();
    return false;
  }
  ssize_t N =
      ::send(Socket, Bytes.data(), Bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  if (N >= 0) {
    E.Sent += Q.Addresses.size();
    return true;
  }
  if (errno != EAGAIN && errno != EINTR && errno != ENOBUFS)
    fail(std::string("the reader's socket: ") + std::strerror(errno));
  return false;
}

/// Takes what the process has written. False: the process has ended.
bool NameProcess::read(Exchange &E) {
  char Piece[65536];
  ssize_t N = ::read(Pipe, Piece, sizeof(Piece));
  if (N < 0 && errno == EINTR)
    return true;
  if (N <= 0) {
    fail("the process that reads symbols has ended");
    return false;
  }
  SilentMs = 0;
  Reader.feed(StringRef(Piece, size_t(N)));
  for (;;) {
    switch (Reader.next()) {
    case PipeReader::PipeStep::More:
      return true;
    case PipeReader::PipeStep::Broken:
      fail("the reader's answers are damaged");
      return false;
    case PipeReader::PipeStep::Record:
      E.take(Reader);
    }
  }
}

/// Waits for something to do, at most LookMs. Whether there is an answer.
bool NameProcess::wait(bool WantsToSend) {
  pollfd Polls[] = {{Pipe, POLLIN, 0}, {Socket, POLLOUT, 0}};
  int Ready = poll(Polls, WantsToSend ? 2 : 1, LookMs);
  if (Ready == 0 && (SilentMs += LookMs) >= MaxSilenceMs)
    fail("no answer in " + std::to_string(MaxSilenceMs / 1000) + " s");
  return Ready > 0 && Polls[0].revents != 0;
}

std::string NameProcess::resolve(const SymbolFiles &Files,
                                 ArrayRef<uint64_t> Addresses,
                                 AnswerCallback OnAnswer, CutCallback IsCut) {
  if (Addresses.empty())
    return "";
  Exchange E(Files, Addresses, OnAnswer, Next);
  return run(E, IsCut);
}

Expected<wire::DetourReply> NameProcess::plan(const std::string &File,
                                              StringRef Name) {
  const uint64_t None = 0;
  auto Ignore = [](size_t, std::vector<SourceLocation>) {};
  Exchange E({}, None, Ignore, Next);
  E.Question.WantsDetours = true;
  E.Question.Symbols = File;
  E.Question.Debug = Name.str();
  std::string Problem = run(E, {});
  if (!E.Detours)
    return makeError(Problem.empty() ? "no answer" : Problem);
  return *E.Detours;
}

/// Exchanges all questions and answers. Returns as resolve().
std::string NameProcess::run(Exchange &E, CutCallback IsCut) {
  start();
  Next += uint32_t(E.Addresses.size());
  SilentMs = 0;
  while (Failure.empty() && !E.isDone()) {
    if (IsCut && IsCut())
      return E.Problem;
    if (wait(E.wantsToSend()) ? !read(E) : !Failure.empty())
      break;
    while (E.wantsToSend() && send(E))
      ;
  }
  return E.Problem.empty() ? Failure : E.Problem;
}

std::string NameProcess::resolveOrTable(const SymbolFiles &Files,
                                        ArrayRef<uint64_t> Addresses,
                                        AnswerCallback OnAnswer,
                                        CutCallback IsCut) {
  std::vector<bool> HasAnswer(Addresses.size());
  std::string Problem = resolve(
      Files, Addresses,
      [&](size_t I, std::vector<SourceLocation> Locations) {
        HasAnswer[I] = true;
        OnAnswer(I, std::move(Locations));
      },
      IsCut);
  if (Problem.empty() || Files.Debug.empty() || Files.Symbols.empty())
    return Problem;
  std::vector<uint64_t> Open;
  std::vector<size_t> Numbers;
  for (size_t I = 0; I != Addresses.size(); ++I)
    if (!HasAnswer[I]) {
      Open.push_back(Addresses[I]);
      Numbers.push_back(I);
    }
  SymbolFiles Table = Files;
  Table.Debug.clear();
  resolve(
      Table, Open,
      [&](size_t I, std::vector<SourceLocation> Locations) {
        OnAnswer(Numbers[I], std::move(Locations));
      },
      IsCut);
  return Problem;
}
