// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A picture on a terminal.

#include "Screen.h"
#include "Support/Failure.h"
#include <cerrno>
#include <csignal>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

using namespace llvm;
using namespace memkit;

//===----------------------------------------------------------------------===//
// Sequences
//===----------------------------------------------------------------------===//

static void appendStyle(std::string &To, uint8_t Style, bool UsesColours) {
  To += "\x1b[0";
  if (Style & CS_Bold)
    To += ";1";
  if (Style & CS_Dim)
    To += ";2";
  if (Style & CS_Reverse)
    To += ";7";
  if (UsesColours) {
    if (Style & CS_Red)
      To += ";31";
    if (Style & CS_Green)
      To += ";32";
  }
  To += 'm';
}

std::string memkit::screenChanges(const Cells *Before, const Cells &Now,
                                  bool UsesColours) {
  if (Before &&
      (Before->width() != Now.width() || Before->height() != Now.height()))
    Before = nullptr;
  std::string Out = "\x1b[?2026h";
  if (!Before)
    Out += "\x1b[0m\x1b[2J";
  std::optional<uint8_t> Style;
  for (unsigned Row = 0; Row != Now.height(); ++Row) {
    bool IsHere = false; // the terminal's cursor is at this cell
    for (unsigned Column = 0; Column != Now.width(); ++Column) {
      const ScreenCell &C = Now.at(Row, Column);
      bool IsSame = Before ? Before->at(Row, Column) == C : C == ScreenCell();
      // The right half of a wide character comes with its left half.
      if (IsSame || !C.CodePoint) {
        IsHere = IsHere && !C.CodePoint;
        continue;
      }
      if (!IsHere)
        Out += "\x1b[" + std::to_string(Row + 1) + ";" +
               std::to_string(Column + 1) + "H";
      IsHere = true;
      if (Style != C.Style) {
        Style = C.Style;
        appendStyle(Out, *Style, UsesColours);
      }
      appendCodePoint(Out, C.CodePoint);
    }
  }
  return Out + "\x1b[0m\x1b[?2026l";
}

//===----------------------------------------------------------------------===//
// The terminal
//===----------------------------------------------------------------------===//

/// Own page, no cursor, no wrapping at the right edge.
static constexpr StringLiteral Enter = "\x1b[?1049h\x1b[?25l\x1b[?7l";
static constexpr StringLiteral Leave = "\x1b[?7h\x1b[?25h\x1b[?1049l";

static volatile sig_atomic_t HasResized = 0, AsksToEnd = 0, AsksToStop = 0;

static void noteSignal(int Signal) {
  if (Signal == SIGWINCH)
    HasResized = 1;
  else if (Signal == SIGTSTP)
    AsksToStop = 1;
  else
    AsksToEnd = 1;
}

static constexpr int HandledSignals[] = {SIGWINCH, SIGTSTP, SIGINT, SIGTERM,
                                         SIGHUP};

static void setHandlers(void (*Handler)(int)) {
  for (int Signal : HandledSignals) {
    struct sigaction A = {};
    A.sa_handler = Handler;
    sigaction(Signal, &A, nullptr);
  }
}

/// False: the terminal is gone. Waits for a terminal that takes no bytes, until
/// a signal asks to end.
static bool writeAll(StringRef Bytes) {
  while (!Bytes.empty()) {
    ssize_t N = write(STDOUT_FILENO, Bytes.data(), Bytes.size());
    if (N < 0 && errno == EINTR && !AsksToEnd)
      continue;
    if (N < 0 && errno == EAGAIN) {
      constexpr int TimeoutMs = 100;
      pollfd P = {STDOUT_FILENO, POLLOUT, 0};
      poll(&P, 1, TimeoutMs);
      if (AsksToEnd)
        return false;
      continue;
    }
    if (N <= 0)
      return false;
    Bytes = Bytes.drop_front(size_t(N));
  }
  return true;
}

Expected<std::unique_ptr<Screen>> Screen::open(bool UsesColours) {
  termios Usual = {};
  if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) ||
      tcgetattr(STDIN_FILENO, &Usual) != 0)
    return makeError("standard input and output are no terminal");
  std::unique_ptr<Screen> S(new Screen(UsesColours, Usual));
  HasResized = 0;
  AsksToEnd = 0;
  AsksToStop = 0;
  setHandlers(noteSignal);
  S->enter();
  return S;
}

Screen::~Screen() {
  leave();
  setHandlers(SIG_DFL);
}

void Screen::enter() {
  termios Raw = Usual;
  Raw.c_lflag &= ~tcflag_t(ICANON | ECHO);
  Raw.c_iflag &= ~tcflag_t(IXON | ICRNL);
  Raw.c_cc[VMIN] = 0;
  Raw.c_cc[VTIME] = 0;
  tcsetattr(STDIN_FILENO, TCSADRAIN, &Raw);
  writeAll(Enter);
  Shown.reset();
}

void Screen::leave() {
  writeAll(Leave);
  tcsetattr(STDIN_FILENO, TCSADRAIN, &Usual);
}

/// Stops this program as Ctrl-Z does, until the shell lets it go on.
void Screen::stop() {
  leave();
  std::signal(SIGTSTP, SIG_DFL);
  raise(SIGTSTP);
  setHandlers(noteSignal);
  enter();
}

TerminalSize Screen::size() const {
  winsize W = {};
  constexpr unsigned UsualWidth = 80, UsualHeight = 24, Most = 1000;
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &W) != 0 || !W.ws_col || !W.ws_row)
    return {UsualWidth, UsualHeight};
  return {std::min<unsigned>(W.ws_col, Most),
          std::min<unsigned>(W.ws_row, Most)};
}

bool Screen::show(const Cells &Picture) {
  if (!writeAll(screenChanges(Shown ? &*Shown : nullptr, Picture, UsesColours)))
    return false;
  Shown = Picture;
  return true;
}

/// Waits for input; a signal ends the wait, also one that comes just before.
static int pollInput(int TimeoutMs) {
  sigset_t Ours, Usual;
  sigemptyset(&Ours);
  for (int Signal : HandledSignals)
    sigaddset(&Ours, Signal);
  sigprocmask(SIG_BLOCK, &Ours, &Usual);
  constexpr int MsPerS = 1000, NsPerMs = 1'000'000;
  timespec Timeout = {TimeoutMs / MsPerS, long(TimeoutMs % MsPerS) * NsPerMs};
  pollfd P = {STDIN_FILENO, POLLIN, 0};
  bool HasSignal = AsksToEnd || AsksToStop || HasResized;
  int N = HasSignal ? 0 : ppoll(&P, 1, &Timeout, &Usual);
  sigprocmask(SIG_SETMASK, &Usual, nullptr);
  return N;
}

std::optional<std::string> Screen::wait(int TimeoutMs) {
  int N = pollInput(TimeoutMs);
  if (AsksToEnd)
    return std::nullopt;
  if (AsksToStop) {
    AsksToStop = 0;
    stop();
    return "";
  }
  if (HasResized) {
    HasResized = 0;
    Shown.reset();
  }
  if (N <= 0)
    return "";
  char Buffer[256];
  ssize_t Bytes = read(STDIN_FILENO, Buffer, sizeof Buffer);
  if (Bytes > 0)
    return std::string(Buffer, size_t(Bytes));
  if (Bytes < 0 && (errno == EINTR || errno == EAGAIN))
    return "";
  return std::nullopt;
}
