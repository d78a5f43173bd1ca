// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The processes that find names.
//
// The first process only forks workers and waits for them. It never reads a
// file, so it stays small, and each worker begins small. A worker takes a
// question from the socket after the answers to all of its addresses, and
// collects the answers in memory of both processes. So after the end of a
// worker the first process has all answers, and knows the address that the
// worker ended at.

#include "NameWorker.h"
#include "AnswerPipe.h"
#include "BinarySymbols.h"
#include "Detour/PrivateDetours.h"
#include "Support/Failure.h"
#include "Support/OwnName.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/ErrorHandling.h"
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <exception>
#include <fcntl.h>
#include <malloc.h>
#include <new>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
using namespace memkit;

/// Crashes with the files of a binary; then its questions have no answer.
static constexpr unsigned MaxCrashes = 8;
/// Time for the addresses of a question: the first one makes LLVM's index.
static constexpr unsigned MaxSeconds = 300;
/// Processor time that each answer adds to NamePatience: the first answer of a
/// large unit reads the whole unit. Most answers take a hundredth of it.
static constexpr uint64_t AnswerMs = 10;
/// Processor time between two looks at the time that the files have taken.
static constexpr int TimeLookMs = 50;
static constexpr unsigned AnswersPerLook = 16;
/// Time without a question after which a worker gives the pages of files back.
static constexpr int RestMs = 50;
/// Pages of mapped files after which a worker gives them back.
static constexpr uint64_t MaxFileBytes = 16 << 20;
/// A worker that becomes too large sooner than this doubles the limit: opening
/// the files again and again would take all the time.
static constexpr time_t MinSeconds = 5;
/// A worker's status.
static constexpr int TooLarge = 7, NoMemory = 8, TooSlow = 9;

namespace {

/// Pages of this process.
struct ProcessPages {
  uint64_t All = 0;      ///< of the address space
  uint64_t Resident = 0; ///< in memory
  uint64_t OfFiles = 0;  ///< of Resident
  uint64_t Data = 0;     ///< private and writable, the stack included
};

/// How often a set of files has ended a worker, and why at last.
struct FileFailures {
  unsigned Count = 0;
  std::string Reason;
};
/// By the paths of a question.
using FailuresByFile = StringMap<FileFailures>;

/// The answers to the first question in the socket, in memory that the first
/// process and its worker share.
struct AnswersSoFar {
  uint32_t Question; ///< the question's number
  uint32_t Done;     ///< number of its addresses with an answer
  uint32_t Bytes;    ///< of Records that are not sent yet
  char Records[56 << 10];

  void begin(const NameQuestion &Q);
  void flush(int Pipe);
};

} // namespace

static ProcessPages pagesOfProcess() {
  ProcessPages Pages;
  if (FILE *F = fopen("/proc/self/statm", "re")) {
    unsigned long All, Resident, OfFiles, Data;
    if (fscanf(F, "%lu %lu %lu %*u %*u %lu", &All, &Resident, &OfFiles,
               &Data) == 4)
      Pages = {All, Resident, OfFiles, Data};
    fclose(F);
  }
  return Pages;
}

static std::string keyOf(const NameQuestion &Q) {
  return Q.Debug + '\0' + Q.Symbols + '\0' + Q.Alt;
}

/// Writes all of Bytes. Ends this process if nobody reads.
static void send(int Pipe, StringRef Bytes) {
  while (!Bytes.empty()) {
    ssize_t N = write(Pipe, Bytes.data(), Bytes.size());
    if (N < 0 && errno == EINTR)
      continue;
    if (N <= 0)
      _exit(0);
    Bytes = Bytes.drop_front(size_t(N));
  }
}

/// Q is the first question in the socket; it may be the one of before.
void AnswersSoFar::begin(const NameQuestion &Q) {
  if (std::exchange(Question, Q.Number) != Q.Number)
    Done = 0;
}

void AnswersSoFar::flush(int Pipe) {
  send(Pipe, StringRef(Records, Bytes));
  Bytes = 0;
}

/// Whether there is a question within Ms. Ends this process when there will be
/// none.
static bool waitForQuestion(int Questions, int Ms) {
  pollfd Poll = {Questions, POLLIN, 0};
  int Ready;
  while ((Ready = poll(&Poll, 1, Ms)) < 0 && errno == EINTR)
    ;
  if (Ready > 0 && (Poll.revents & (POLLHUP | POLLERR)))
    _exit(0);
  return Ready > 0;
}

/// Reads the first question; leaves it in the socket if Stays. False: there is
/// none, or it is unreadable.
static bool readQuestion(int Questions, bool Stays, NameQuestion &Out) {
  char Bytes[NameQuestion::MaxBytes];
  ssize_t N = recv(Questions, Bytes, sizeof(Bytes),
                   MSG_DONTWAIT | (Stays ? MSG_PEEK : 0));
  if (N == 0)
    _exit(0);
  return N > 0 && Out.decode(StringRef(Bytes, size_t(N)));
}

//===----------------------------------------------------------------------===//
// A worker
//===----------------------------------------------------------------------===//

namespace {

class NameWorker {
public:
  NameWorker(int Questions, int Answers, AnswersSoFar &SoFar, NameLimits Limits,
             const NamePatience &Patience, const FailuresByFile &Failures)
      : Questions(Questions), Answers(Answers), SoFar(SoFar), Limits(Limits),
        Patience(Patience), Failures(Failures) {}
  [[noreturn]] void run();

private:
  struct OpenedBinary {
    std::unique_ptr<BinarySymbols> Symbols; ///< null: Problem
    std::string Problem;
    bool DamageIsSaid = false;
  };
  OpenedBinary &binaryOf(const NameQuestion &Q);
  void watchTime();
  void lookAtTime() const;
  void beginFiles(std::string Key);
  void answerAll(const NameQuestion &Q);
  void put(StringRef Answer);
  std::string answer(const NameQuestion &Q, uint64_t Address);
  void rest();
  void lookAtSize();
  static void giveUp(void *Self, const char *Reason, bool);

  int Questions, Answers;
  AnswersSoFar &SoFar;
  NameLimits Limits;
  const NamePatience &Patience;
  const FailuresByFile &Failures;
  StringMap<OpenedBinary> Binaries;
  std::string Files;                   ///< keyOf() the question at work
  uint64_t FilesBegin = 0;             ///< processor time in ms when Files came
  uint64_t FilesDone = 0;              ///< answers of Files since
  volatile sig_atomic_t IsReading = 0; ///< LLVM works; no answer is half sent
  uint32_t Number = 0;                 ///< of the address at work
  unsigned Count = 0;                  ///< answers
};

} // namespace

/// LLVM calls giveUp() for an error without a way to report it. Does not
/// return: LLVM would remove the output of the program.
void NameWorker::giveUp(void *Self, const char *Reason, bool) {
  NameWorker &W = *static_cast<NameWorker *>(Self);
  send(W.Answers, encodeText(PipeRecord::Damage, W.Number,
                             std::string("damaged: LLVM's reader gave up: ") +
                                 (Reason ? Reason : "no reason known")));
  _exit(1);
}

/// The mapped files do not count: a library of many GiB is no harm.
static void setLimits(uint64_t DataBytes) {
  rlimit Cores = {0, 0};
  setrlimit(RLIMIT_CORE, &Cores);
  uint64_t Most =
      pagesOfProcess().Data * uint64_t(sysconf(_SC_PAGESIZE)) + DataBytes;
  rlimit Memory = {Most, Most};
  setrlimit(RLIMIT_DATA, &Memory);
  // The caller's handler may go on with the caller's work.
  std::set_new_handler([] { _exit(NoMemory); });
  install_bad_alloc_error_handler(
      [](void *, const char *, bool) { _exit(NoMemory); });
  std::set_terminate(abort);
}

static uint64_t processorMs() {
  timespec T = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &T);
  return uint64_t(T.tv_sec) * 1000 + uint64_t(T.tv_nsec) / 1'000'000;
}

/// Ends this worker if the files at work have taken too long. For a handler of
/// signals.
void NameWorker::lookAtTime() const {
  if (IsReading &&
      processorMs() - FilesBegin > Patience.FileMs + FilesDone * AnswerMs)
    _exit(TooSlow);
}

/// Looks at the time while LLVM reads, which may take long for one answer.
void NameWorker::watchTime() {
  static const NameWorker *Self;
  Self = this;
  struct sigaction Action = {};
  Action.sa_handler = [](int) { Self->lookAtTime(); };
  Action.sa_flags = SA_RESTART;
  sigaction(SIGPROF, &Action, nullptr);
  itimerval Timer = {{0, TimeLookMs * 1000}, {0, TimeLookMs * 1000}};
  setitimer(ITIMER_PROF, &Timer, nullptr);
}

/// From now on the time counts for the files Key.
void NameWorker::beginFiles(std::string Key) {
  if (Key == Files)
    return;
  FilesBegin = processorMs();
  FilesDone = 0;
  Files = std::move(Key);
}

/// Ends this worker if it is too large.
void NameWorker::lookAtSize() {
  ProcessPages P = pagesOfProcess();
  uint64_t PageSize = uint64_t(sysconf(_SC_PAGESIZE));
  if (P.Resident > P.OfFiles &&
      (P.Resident - P.OfFiles) * PageSize > Limits.PrivateBytes)
    _exit(TooLarge);
  if (P.OfFiles * PageSize > MaxFileBytes)
    rest();
}

NameWorker::OpenedBinary &NameWorker::binaryOf(const NameQuestion &Q) {
  auto [It, New] = Binaries.try_emplace(keyOf(Q));
  OpenedBinary &B = It->second;
  if (!New)
    return B;
  SymbolFiles Files;
  Files.Debug = Q.Debug;
  Files.Symbols = Q.Symbols;
  Files.Alt = Q.Alt;
  auto Opened = BinarySymbols::open(Files, Limits.SectionBytes);
  if (Opened) {
    B.Symbols = std::move(*Opened);
    // Opening reads whole tables.
    B.Symbols->releasePages();
  } else {
    B.Problem = toString(Opened.takeError());
  }
  return B;
}

/// The records that answer Q's address \p Address, with the number Number.
std::string NameWorker::answer(const NameQuestion &Q, uint64_t Address) {
  auto Failed = Failures.find(Files);
  if (Failed != Failures.end() && Failed->second.Count >= MaxCrashes)
    return encodeText(PipeRecord::Fatal, Number, Failed->second.Reason);
  if (Q.WantsDetours) {
    auto Found = planPrivateAllocators(Q.Symbols, Q.Debug);
    return Found ? encodeDetours(Number, *Found)
                 : encodeText(PipeRecord::Fatal, Number,
                              toString(Found.takeError()));
  }
  OpenedBinary &B = binaryOf(Q);
  if (!B.Symbols)
    return encodeText(PipeRecord::Fatal, Number, B.Problem);
  std::string Bytes = encodeAnswer(Number, B.Symbols->resolve(Address));
  StringRef Damage = B.Symbols->damage();
  if (!Damage.empty() && !std::exchange(B.DamageIsSaid, true))
    Bytes = encodeText(PipeRecord::Damage, Number, Damage) + Bytes;
  return Bytes;
}

/// Answers what is left of Q.
void NameWorker::answerAll(const NameQuestion &Q) {
  SoFar.begin(Q);
  beginFiles(keyOf(Q));
  alarm(MaxSeconds);
  while (SoFar.Done < Q.Addresses.size()) {
    Number = Q.Number + SoFar.Done;
    IsReading = 1;
    std::string Answer = answer(Q, Q.Addresses[SoFar.Done]);
    IsReading = 0;
    put(Answer);
    ++FilesDone;
    if (++Count % AnswersPerLook == 0)
      lookAtSize();
  }
  alarm(0);
  SoFar.flush(Answers);
}

/// Adds the answer to an address to the answers so far.
void NameWorker::put(StringRef Answer) {
  if (Answer.size() <= sizeof(SoFar.Records) - SoFar.Bytes) {
    memcpy(SoFar.Records + SoFar.Bytes, Answer.data(), Answer.size());
    SoFar.Bytes += uint32_t(Answer.size());
  } else {
    // A reader that sleeps does not end the worker within a record.
    alarm(0);
    SoFar.flush(Answers);
    send(Answers, Answer);
    alarm(MaxSeconds);
  }
  ++SoFar.Done;
}

void NameWorker::rest() {
  for (auto &Entry : Binaries)
    if (Entry.second.Symbols)
      Entry.second.Symbols->releasePages();
}

void NameWorker::run() {
  signal(SIGTERM, SIG_DFL);
  install_fatal_error_handler(giveUp, this);
  setLimits(Limits.DataBytes);
  watchTime();
  // All memory ends with the worker: giving some back earlier costs faults.
#ifdef M_MMAP_THRESHOLD
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
#endif
  NameQuestion Q;
  for (;;) {
    if (!waitForQuestion(Questions, RestMs)) {
      rest();
      if (!waitForQuestion(Questions, Limits.IdleMs))
        _exit(0);
    }
    if (readQuestion(Questions, /*Stays=*/true, Q))
      answerAll(Q);
    readQuestion(Questions, /*Stays=*/false, Q);
  }
}

//===----------------------------------------------------------------------===//
// The process that starts them
//===----------------------------------------------------------------------===//

/// Closes all files but Questions and Answers, and makes the standard streams
/// empty.
static void closeFiles(int Questions, int Answers) {
  std::vector<int> Open;
  if (DIR *Folder = opendir("/proc/self/fd")) {
    while (dirent *Entry = readdir(Folder))
      if (int Fd = atoi(Entry->d_name); Fd > STDERR_FILENO && Fd != Questions &&
                                        Fd != Answers && Fd != dirfd(Folder))
        Open.push_back(Fd);
    closedir(Folder);
  }
  for (int Fd : Open)
    close(Fd);
  // LLVM prints some errors.
  if (int Null = open("/dev/null", O_RDWR | O_CLOEXEC); Null >= 0)
    for (int Fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
      dup2(Null, Fd);
}

/// Whether the next worker would end as this one did: each try takes long.
static bool isFinal(int Status) {
  return WIFEXITED(Status) &&
         (WEXITSTATUS(Status) == NoMemory || WEXITSTATUS(Status) == TooSlow);
}

/// Why a worker ended with Status; empty: at its own wish.
static std::string reasonOf(int Status, const NameLimits &Limits,
                            const NamePatience &Patience) {
  if (WIFEXITED(Status)) {
    int Code = WEXITSTATUS(Status);
    if (Code == NoMemory)
      return "LLVM's reader takes more than " +
             std::to_string(Limits.DataBytes >> 20) + " MiB of memory";
    if (Code == TooSlow)
      return "LLVM's reader takes more than " +
             std::to_string(Patience.FileMs) + " ms of processor time";
    return Code == 0 || Code == TooLarge
               ? ""
               : "LLVM's reader ended with status " + std::to_string(Code);
  }
  int Signal = WTERMSIG(Status);
  if (Signal == SIGALRM)
    return "LLVM's reader took more than " + std::to_string(MaxSeconds) + " s";
  return "damaged: LLVM's reader ended with signal " + std::to_string(Signal) +
         " (" + strsignal(Signal) + ")";
}

/// Runs a worker until it ends. Returns why it ended: without a reason, at its
/// own wish; the count is what it adds to those of the files.
static FileFailures runWorker(int Questions, int Answers, AnswersSoFar &SoFar,
                              NameLimits &Limits, const NamePatience &Patience,
                              const FailuresByFile &Failures) {
  time_t Begin = time(nullptr);
  pid_t Pid = fork();
  if (Pid == 0)
    NameWorker(Questions, Answers, SoFar, Limits, Patience, Failures).run();
  if (Pid < 0)
    return {1, std::string("a process: ") + std::strerror(errno)};
  int Status = 0;
  while (waitpid(Pid, &Status, 0) < 0 && errno == EINTR)
    ;
  std::string Reason = reasonOf(Status, Limits, Patience);
  if (Reason.empty() && WEXITSTATUS(Status) == TooLarge &&
      time(nullptr) - Begin < MinSeconds)
    Limits.PrivateBytes *= 2;
  return {isFinal(Status) ? MaxCrashes : 1, std::move(Reason)};
}

void memkit::serveNames(int Questions, int Answers, NameLimits Limits,
                        const NamePatience &Patience) {
  // Ctrl-C is for the process that asks, which then needs more names.
  setpgid(0, 0);
  // The parent's handlers would remove its output.
  for (int Signal = 1; Signal != NSIG; ++Signal)
    signal(Signal, SIG_DFL);
  // For the worker alone: this process waits for the worker's end, since init
  // may not, and then ends for lack of questions.
  signal(SIGTERM, SIG_IGN);
  sigset_t None;
  sigemptyset(&None);
  sigprocmask(SIG_SETMASK, &None, nullptr);
  closeFiles(Questions, Answers);
  setOwnName("memkit-names");
  void *Shared = mmap(nullptr, sizeof(AnswersSoFar), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (Shared == MAP_FAILED)
    _exit(NoMemory);
  auto &SoFar = *static_cast<AnswersSoFar *>(Shared);
  FailuresByFile Failures;
  for (;;) {
    waitForQuestion(Questions, -1);
    FileFailures Ended =
        runWorker(Questions, Answers, SoFar, Limits, Patience, Failures);
    SoFar.flush(Answers);
    NameQuestion Q;
    if (Ended.Reason.empty() || !readQuestion(Questions, /*Stays=*/true, Q))
      continue;
    SoFar.begin(Q);
    if (SoFar.Done < Q.Addresses.size()) {
      FileFailures &OfFiles = Failures[keyOf(Q)];
      OfFiles.Count += Ended.Count;
      OfFiles.Reason = Ended.Reason;
      send(Answers,
           encodeText(PipeRecord::Fatal, Q.Number + SoFar.Done, Ended.Reason));
      ++SoFar.Done;
    }
    if (SoFar.Done >= Q.Addresses.size())
      readQuestion(Questions, /*Stays=*/false, Q);
  }
}
