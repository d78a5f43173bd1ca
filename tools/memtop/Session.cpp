// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// memtop at a terminal.

#include "Session.h"
#include "Cli/Browser.h"
#include "Terminal/Screen.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
using namespace memkit;

static uint64_t nowNs() {
  return uint64_t(std::chrono::duration_cast<std::chrono::nanoseconds>(
                      std::chrono::steady_clock::now().time_since_epoch())
                      .count());
}

Expected<WatchFrame> memkit::frameOf(Feed &S, const WatchState &State,
                                     uint64_t NowNs) {
  WatchFrame F;
  F.W = &S.trace();
  F.Run = S.run();
  F.NowNs = std::min(NowNs, S.trace().endNs());
  F.AtNs = std::min(State.CursorNs.value_or(F.NowNs), F.NowNs);
  if (Error E = fillFrame(F, S.tree(), State))
    return std::move(E);
  return F;
}

namespace {
/// memview, started by a key; ends with this object.
class Viewer {
public:
  ~Viewer() {
    if (Pid > 0)
      kill(Pid, SIGTERM);
  }
  /// Opens the page in the user's browser, at a moment of the trace if one is
  /// given. Result: what to tell the user.
  std::string open(StringRef Trace, std::optional<uint64_t> AtNs);

private:
  pid_t Pid = 0;
  BrowserFile Browser;
};
} // namespace

/// The first line that comes from a descriptor within some seconds.
static std::string firstLine(int Fd) {
  constexpr int TimeoutMs = 5000;
  std::string Out;
  pollfd P = {Fd, POLLIN, 0};
  char Byte = 0;
  while (poll(&P, 1, TimeoutMs) == 1 && read(Fd, &Byte, 1) == 1 && Byte != '\n')
    Out += Byte;
  return Out;
}

std::string Viewer::open(StringRef Trace, std::optional<uint64_t> AtNs) {
  static int Anchor;
  std::string Self = sys::fs::getMainExecutable("memtop", &Anchor);
  SmallString<128> Path(sys::path::parent_path(Self));
  sys::path::append(Path, "memview");
  if (!sys::fs::can_execute(Path))
    return "memview is not beside memtop";
  if (Pid > 0)
    kill(Pid, SIGTERM), waitpid(Pid, nullptr, 0);
  Pid = 0;
  int Pipe[2];
  if (pipe2(Pipe, O_CLOEXEC) != 0)
    return "memview cannot be started";
  auto Close = make_scope_exit([&] { close(Pipe[0]); });
  posix_spawn_file_actions_t Actions;
  posix_spawn_file_actions_init(&Actions);
  posix_spawn_file_actions_addopen(&Actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&Actions, Pipe[1], 1);
  posix_spawn_file_actions_addopen(&Actions, 2, "/dev/null", O_WRONLY, 0);
  std::string Name = Trace.str(), Program(Path), Option = "--no-open";
  char *Argv[] = {Program.data(), Option.data(), Name.data(), nullptr};
  int Problem =
      posix_spawn(&Pid, Program.c_str(), &Actions, nullptr, Argv, environ);
  posix_spawn_file_actions_destroy(&Actions);
  close(Pipe[1]);
  if (Problem != 0) {
    Pid = 0;
    return "memview cannot be started";
  }
  std::string Address = firstLine(Pipe[0]);
  if (Address.empty())
    return "memview cannot open " + Name;
  constexpr uint64_t NsPerS = 1'000'000'000;
  if (AtNs)
    Address +=
        formatv("#view=flame&at={0}.{1,0+9}s", *AtNs / NsPerS, *AtNs % NsPerS);
  Browser.open(Address);
  return "memview: " + Address;
}

namespace {
class Watch {
public:
  Watch(Feed &S, WatchState State, const SessionOptions &O)
      : S(S), State(std::move(State)), O(O) {}
  Error run();

private:
  uint64_t playedNs() const;
  void refresh();
  /// False: the terminal is gone.
  Expected<bool> draw(Screen &To);
  /// Waits and takes what is typed. False: the user leaves, or the terminal is
  /// gone.
  bool takeKeys(Screen &From, uint64_t UntilNs);
  bool take(Key K);
  void act(WatchAction A);

  Feed &S;
  WatchState State;
  const SessionOptions &O;
  Pictured Last;
  Viewer View;
  KeyReader Keys;
  uint64_t RefreshedNs = 0;
  uint64_t PlayedNs = 0; ///< the moment of a replay
  unsigned Marks = 0;
};
} // namespace

/// The moment that counts as now.
uint64_t Watch::playedNs() const { return O.Speed ? PlayedNs : UINT64_MAX; }

void Watch::refresh() {
  uint64_t Now = nowNs();
  uint64_t PassedNs = Now - RefreshedNs;
  RefreshedNs = Now;
  if (State.IsPaused)
    return;
  if (O.Speed)
    PlayedNs = std::min(S.trace().endNs(),
                        PlayedNs + uint64_t(double(PassedNs) * *O.Speed));
  else
    S.refresh();
}

Expected<bool> Watch::draw(Screen &To) {
  Expected<WatchFrame> F = frameOf(S, State, playedNs());
  if (!F)
    return F.takeError();
  if (O.Speed)
    F->Run.Status = PlayedNs < S.trace().endNs() ? "replay" : "replay, at end";
  TerminalSize Size = To.size();
  FrameStyle How{Size.Width, Size.Height, O.Ascii};
  return To.show(drawFrame(*F, State, How, Last));
}

void Watch::act(WatchAction A) {
  switch (A) {
  case WatchAction::None:
  case WatchAction::Quit:
    return;
  case WatchAction::SetMark: {
    State.Message = "marked " + formatTime(*State.MarkNs) +
                    ": the column +mark shows what grows from here on";
    // The recording gets the mark, too, so that other tools find it.
    if (!S.run().IsLive || State.CursorNs)
      return;
    std::string Name = "memtop " + std::to_string(++Marks);
    if (Error E = S.ask("mark " + Name)) {
      consumeError(std::move(E));
      return;
    }
    S.refresh();
    RefreshedNs = nowNs();
    State.MarkNs = S.trace().endNs();
    State.Message = "marked: \"" + Name +
                    "\" in the recording; the column "
                    "+mark shows what grows from here on";
    return;
  }
  case WatchAction::Snapshot:
    if (Error E = S.ask("snapshot"))
      State.Message = toString(std::move(E));
    else
      State.Message = "a snapshot is being written into the trace";
    return;
  case WatchAction::FindNames:
    if (!S.run().IsLive)
      return;
    if (Error E = S.ask("holders"))
      State.Message = toString(std::move(E));
    else
      State.Message = "the program looks for the names that hold its memory";
    return;
  case WatchAction::Open:
    State.Message = View.open(S.run().Source, State.CursorNs);
    return;
  }
}

/// False: the user leaves.
bool Watch::take(Key K) {
  WatchAction A = takeKey(State, Last, K);
  act(A);
  return A != WatchAction::Quit;
}

/// Until then, in ms for Screen::wait().
static int waitMs(uint64_t UntilNs) {
  constexpr uint64_t NsPerMs = 1'000'000, MostMs = 3'600'000;
  uint64_t Now = nowNs();
  return UntilNs > Now ? int(std::min((UntilNs - Now) / NsPerMs + 1, MostMs))
                       : 0;
}

bool Watch::takeKeys(Screen &From, uint64_t UntilNs) {
  // The rest of a key's bytes comes at once, also from far away.
  constexpr int RestMs = 50;
  std::optional<std::string> Typed = From.wait(waitMs(UntilNs));
  while (Typed) {
    bool IsLast = Typed->empty();
    Keys.add(*Typed);
    while (std::optional<Key> K = Keys.next(IsLast))
      if (!take(*K))
        return false;
    if (!Keys.isWithinKey())
      return true;
    Typed = From.wait(RestMs);
  }
  return false;
}

Error Watch::run() {
  Expected<std::unique_ptr<Screen>> To = Screen::open(O.UsesColours);
  if (!To)
    return To.takeError();
  RefreshedNs = nowNs();
  State.CursorNs = O.AtNs;
  while (true) {
    Expected<bool> IsShown = draw(**To);
    if (!IsShown)
      return IsShown.takeError();
    uint64_t DueNs =
        RefreshedNs + (O.Speed ? O.IntervalNs : S.intervalNs(O.IntervalNs));
    if (!*IsShown || !takeKeys(**To, DueNs))
      return Error::success();
    if (nowNs() >= DueNs)
      refresh();
  }
}

Error memkit::watch(Feed &S, WatchState State, const SessionOptions &O) {
  return Watch(S, std::move(State), O).run();
}
