// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Resolves addresses in a process of its own.
//
// LLVM's readers of ELF and DWARF expect the output of compilers. The readers
// report most damage, but some damaged files crash them. So a child process
// reads the files, and the parent reads the child's answers.

#include "AnswerPipe.h"
#include "BinarySymbols.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/ErrorHandling.h"
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
using namespace memkit;

/// Maximum of addresses that crash a child; the remaining addresses then have
/// no symbols.
static constexpr unsigned MaxCrashes = 8;
/// Time of the child without an answer, and its processor time. The index of
/// some GiB of debug information takes a minute.
static constexpr int MaxSilenceMs = 300'000;
static constexpr rlim_t MaxCpuSeconds = 3600;
/// The child's own memory, besides what the parent has.
static constexpr uint64_t MaxChildBytes = uint64_t(24) << 30;
/// At this much private memory the child opens the files again: LLVM keeps all
/// entries of each unit.
static constexpr uint64_t RestartBytes = uint64_t(2) << 30;
static constexpr unsigned AddressesPerLook = 256;
/// Bytes of all answers of a binary.
static constexpr uint64_t MaxAnswerBytes = uint64_t(1) << 30;

//===----------------------------------------------------------------------===//
// The child
//===----------------------------------------------------------------------===//

namespace {

/// Pages of this process.
struct ProcessPages {
  uint64_t All = 0;      ///< of the address space
  uint64_t Resident = 0; ///< in memory
  uint64_t OfFiles = 0;  ///< of Resident
};

} // namespace

static ProcessPages pagesOfProcess() {
  ProcessPages Pages;
  if (FILE *F = fopen("/proc/self/statm", "re")) {
    unsigned long All, Resident, OfFiles;
    if (fscanf(F, "%lu %lu %lu", &All, &Resident, &OfFiles) == 3)
      Pages = {All, Resident, OfFiles};
    fclose(F);
  }
  return Pages;
}

static void setLimits() {
  // At the second limit the kernel gives no reason.
  rlimit Cores = {0, 0}, Cpu = {MaxCpuSeconds, MaxCpuSeconds + 5};
  setrlimit(RLIMIT_CORE, &Cores);
  setrlimit(RLIMIT_CPU, &Cpu);
  uint64_t Own = pagesOfProcess().All * uint64_t(sysconf(_SC_PAGESIZE));
  rlimit Memory = {Own + MaxChildBytes, Own + MaxChildBytes};
  setrlimit(RLIMIT_AS, &Memory);
}

static bool isTooLarge() {
  ProcessPages P = pagesOfProcess();
  return P.Resident > P.OfFiles &&
         (P.Resident - P.OfFiles) * uint64_t(sysconf(_SC_PAGESIZE)) >
             RestartBytes;
}

/// Writes all of Bytes. Ends the child if the parent reads no more.
static void send(int Pipe, StringRef Bytes) {
  while (!Bytes.empty()) {
    ssize_t N = write(Pipe, Bytes.data(), Bytes.size());
    if (N < 0 && errno == EINTR)
      continue;
    if (N <= 0)
      _exit(1);
    Bytes = Bytes.drop_front(size_t(N));
  }
}

/// The child's work: an answer for each address.
static void resolveAll(int Pipe, const SymbolFiles &Files,
                       ArrayRef<uint64_t> Addresses) {
  std::unique_ptr<BinarySymbols> Symbols;
  std::string Damage;
  for (size_t I = 0; I != Addresses.size(); ++I) {
    if (I % AddressesPerLook == AddressesPerLook - 1 && isTooLarge())
      Symbols.reset();
    if (!Symbols) {
      auto Opened = BinarySymbols::open(Files);
      if (!Opened)
        return send(
            Pipe, encodeText(PipeRecord::Damage, toString(Opened.takeError())));
      Symbols = std::move(*Opened);
      send(Pipe, encodeText(PipeRecord::Ready, ""));
    }
    // Not buffered: the first address without an answer has crashed the child.
    send(Pipe, encodeAnswer(Symbols->resolve(Addresses[I])));
    if (Damage.empty() && !Symbols->damage().empty())
      Damage = Symbols->damage().str();
  }
  if (!Damage.empty())
    send(Pipe, encodeText(PipeRecord::Damage, Damage));
  send(Pipe, encodeText(PipeRecord::End, ""));
}

/// LLVM calls giveUp() for an error without a way to report it. Does not
/// return: LLVM would remove the parent's output.
static void giveUp(void *Pipe, const char *Reason, bool) {
  send(*static_cast<int *>(Pipe),
       encodeText(PipeRecord::Fatal, Reason ? Reason : "no reason known"));
  _exit(1);
}

[[noreturn]] static void runChild(int Pipe, const SymbolFiles &Files,
                                  ArrayRef<uint64_t> Addresses) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // The parent's handlers would remove its output, too.
  for (int Signal = 1; Signal != NSIG; ++Signal)
    signal(Signal, SIG_DFL);
  // LLVM prints some errors.
  if (int Null = open("/dev/null", O_RDWR | O_CLOEXEC); Null >= 0) {
    dup2(Null, STDOUT_FILENO);
    dup2(Null, STDERR_FILENO);
  }
  install_fatal_error_handler(giveUp, &Pipe);
  install_bad_alloc_error_handler(giveUp, &Pipe);
  setLimits();
  resolveAll(Pipe, Files, Addresses);
  _exit(0);
}

//===----------------------------------------------------------------------===//
// The parent
//===----------------------------------------------------------------------===//

namespace {

/// One child, from its start to its end.
class ResolvingChild {
public:
  using AnswerCallback =
      function_ref<void(size_t I, std::vector<SourceLocation> Locations)>;
  ~ResolvingChild();
  /// Starts the child and reads its answers.
  void run(const SymbolFiles &Files, ArrayRef<uint64_t> Addresses,
           AnswerCallback OnAnswer);

  size_t Answers = 0;
  bool HasEnded = false; ///< every address has an answer
  bool CanGoOn = false;  ///< another child may answer the remaining addresses
  std::string Problem;

private:
  bool start(const SymbolFiles &Files, ArrayRef<uint64_t> Addresses);
  void read(AnswerCallback OnAnswer, size_t Count);
  bool takeRecords(AnswerCallback OnAnswer, size_t Count);
  void fail(const Twine &Why);
  void wait();
  bool IsReady = false;

  pid_t Pid = -1;
  int Pipe = -1;
  PipeReader Reader;
};

} // namespace

ResolvingChild::~ResolvingChild() {
  if (Pipe >= 0)
    close(Pipe);
}

void ResolvingChild::fail(const Twine &Why) {
  if (Problem.empty())
    Problem = Why.str();
}

bool ResolvingChild::start(const SymbolFiles &Files,
                           ArrayRef<uint64_t> Addresses) {
  int Ends[2];
  if (pipe2(Ends, O_CLOEXEC) != 0) {
    fail(Twine("a pipe: ") + std::strerror(errno));
    return false;
  }
  Pid = fork();
  if (Pid == 0) {
    close(Ends[0]);
    runChild(Ends[1], Files, Addresses);
  }
  if (Pid < 0)
    fail(Twine("a process: ") + std::strerror(errno));
  close(Ends[1]);
  Pipe = Ends[0];
  return Pid > 0;
}

/// False: the child has sent its last record, or a wrong record.
bool ResolvingChild::takeRecords(AnswerCallback OnAnswer, size_t Count) {
  for (;;) {
    switch (Reader.next()) {
    case PipeReader::PipeStep::More:
      return true;
    case PipeReader::PipeStep::Broken:
      fail("the reader's answers are damaged");
      return false;
    case PipeReader::PipeStep::Record:
      break;
    }
    if (Reader.Kind == PipeRecord::Ready) {
      IsReady = true;
    } else if (Reader.Kind == PipeRecord::Damage) {
      Problem = Reader.Text;
    } else if (Reader.Kind == PipeRecord::Fatal) {
      Problem = "damaged: LLVM's reader gave up: " + Reader.Text;
      CanGoOn = IsReady;
      return false;
    } else if (Reader.Kind == PipeRecord::End || Answers == Count) {
      HasEnded = Reader.Kind == PipeRecord::End && Answers == Count;
      return false;
    } else {
      if (!Reader.Locations.empty())
        OnAnswer(Answers, std::move(Reader.Locations));
      ++Answers;
    }
  }
}

void ResolvingChild::read(AnswerCallback OnAnswer, size_t Count) {
  char Piece[65536];
  uint64_t Bytes = 0;
  for (;;) {
    pollfd Poll = {Pipe, POLLIN, 0};
    int Ready = poll(&Poll, 1, MaxSilenceMs);
    if (Ready < 0 && errno == EINTR)
      continue;
    if (Ready == 0)
      return fail("no answer in " + Twine(MaxSilenceMs / 1000) + " s");
    ssize_t N = ::read(Pipe, Piece, sizeof(Piece));
    if (N < 0 && errno == EINTR)
      continue;
    if (N <= 0)
      return;
    Bytes += uint64_t(N);
    if (Bytes > MaxAnswerBytes)
      return fail("the answers have more than " + Twine(MaxAnswerBytes >> 20) +
                  " MiB");
    Reader.feed(StringRef(Piece, size_t(N)));
    if (!takeRecords(OnAnswer, Count))
      return;
  }
}

void ResolvingChild::wait() {
  // The parent needs nothing else of the child.
  bool IsOver = HasEnded || !Problem.empty();
  if (IsOver)
    kill(Pid, SIGKILL);
  int Status = 0;
  while (waitpid(Pid, &Status, 0) < 0 && errno == EINTR)
    ;
  if (IsOver)
    return;
  int Signal = WIFSIGNALED(Status) ? WTERMSIG(Status) : 0;
  if (Signal == SIGXCPU)
    return fail("took more than " + Twine(uint64_t(MaxCpuSeconds)) +
                " s of processor time");
  CanGoOn = Signal != 0 && IsReady;
  if (Signal)
    fail("damaged: LLVM's reader ended with signal " + Twine(Signal) + " (" +
         strsignal(Signal) + ")");
  else
    fail("LLVM's reader ended with status " + Twine(WEXITSTATUS(Status)));
}

void ResolvingChild::run(const SymbolFiles &Files, ArrayRef<uint64_t> Addresses,
                         AnswerCallback OnAnswer) {
  if (!start(Files, Addresses))
    return;
  read(OnAnswer, Addresses.size());
  wait();
}

std::string memkit::resolveApart(
    const SymbolFiles &Files, ArrayRef<uint64_t> Addresses,
    function_ref<void(size_t I, std::vector<SourceLocation> Locations)>
        OnAnswer) {
  std::string Problem;
  size_t First = 0;
  for (unsigned Crash = 0; Crash != MaxCrashes && First < Addresses.size();
       ++Crash) {
    ResolvingChild Child;
    Child.run(Files, Addresses.drop_front(First),
              [&](size_t I, std::vector<SourceLocation> Locations) {
                OnAnswer(First + I, std::move(Locations));
              });
    if (Problem.empty())
      Problem = Child.Problem;
    if (Child.HasEnded || !Child.CanGoOn)
      break;
    // The next child begins after the address that ended this one.
    First += Child.Answers + 1;
  }
  return Problem;
}
