// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the names of addresses in the background.

#include "Stacks/SymbolThread.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <iterator>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace llvm;
using namespace memkit;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// LargeBatch requests are a batch at once. After a batch of BusyBatch requests
/// or more, the next batch follows after BusyRest: the program loads libraries.
static constexpr size_t LargeBatch = 512, BusyBatch = 64;
static constexpr milliseconds BusyRest(200);
static constexpr seconds MinRest(5), MaxRest(80);
/// PyTorch's symbols take 20 MiB, Python's debug information most of the rest.
/// The program may need the machine's memory, so what takes more than some
/// hundred MiB is left to `memdump --symbolize`.
static constexpr NameLimits Limits = {.PrivateBytes = 56 << 20,
                                      .IdleMs = 500,
                                      .DataBytes = 512 << 20,
                                      .SectionBytes = 256 << 20};
/// Processor time that one binary's files may take after the end of the
/// program.
static constexpr uint32_t LastFileMs = 600;

SymbolThread::SymbolThread() : Names(Limits), Rest(MinRest) {
  Names.start();
  Worker.start([this] { run(); });
}

SymbolThread::~SymbolThread() {
  {
    std::lock_guard<std::mutex> Guard(Lock);
    Stop = true;
    IsCut = true;
  }
  Wake.notify_one();
  Worker.join();
}

void SymbolThread::addBinary(uint32_t Process, std::vector<uint8_t> BuildId,
                             std::vector<std::string> Places) {
  std::lock_guard<std::mutex> Guard(Lock);
  NewModules.push_back({Process, std::move(BuildId), std::move(Places)});
}

void SymbolThread::addSources(uint32_t Process, SourceRoot Root) {
  std::lock_guard<std::mutex> Guard(Lock);
  NewRoots.emplace_back(Process, std::move(Root));
}

void SymbolThread::askSource(uint32_t Process, std::string Path,
                             uint32_t Line) {
  AskedSources.push_back({Process, std::move(Path), Line});
}

void SymbolThread::handOver() {
  if (!Worker.isStarted()) {
    Asked.clear();
    AskedSources.clear();
  }
  if (Asked.empty() && AskedSources.empty())
    return;
  bool First;
  {
    std::lock_guard<std::mutex> Guard(Lock);
    First = Questions.empty() && SourceQuestions.empty();
    Questions.insert(Questions.end(), Asked.begin(), Asked.end());
    std::move(AskedSources.begin(), AskedSources.end(),
              std::back_inserter(SourceQuestions));
  }
  Asked.clear();
  AskedSources.clear();
  if (First)
    Wake.notify_one();
}

void SymbolThread::ask(uint32_t Frame, uint32_t Binary, uint64_t Address) {
  Asked.push_back({SymbolQuestion::Native, Frame, Binary, Address});
}

void SymbolThread::addJit(uint32_t Process, JitPlace Place) {
  std::lock_guard<std::mutex> Guard(Lock);
  NewJits.emplace_back(Process, JitNames(std::move(Place)));
}

void SymbolThread::askJit(uint32_t Frame, uint32_t Process, uint64_t Address) {
  Asked.push_back({SymbolQuestion::Jit, Frame, Process, Address});
}

void SymbolThread::endJit(uint32_t Process) {
  Asked.push_back({SymbolQuestion::JitEnd, 0, Process, 0});
}

std::vector<SymbolThread::SymbolAnswer> SymbolThread::takeAnswers(size_t Max) {
  std::lock_guard<std::mutex> Guard(Lock);
  auto End = Answers.begin() + std::min(Max, Answers.size());
  std::vector<SymbolAnswer> Out(std::make_move_iterator(Answers.begin()),
                                std::make_move_iterator(End));
  Answers.erase(Answers.begin(), End);
  return Out;
}

std::vector<SymbolThread::SourceAnswer> SymbolThread::takeSources() {
  std::lock_guard<std::mutex> Guard(Lock);
  return std::exchange(SourceAnswers, {});
}

bool SymbolThread::idle() {
  std::lock_guard<std::mutex> Guard(Lock);
  return Questions.empty() && SourceQuestions.empty() && !Waiting && !Busy;
}

void SymbolThread::hurry(bool Always) {
  {
    std::lock_guard<std::mutex> Guard(Lock);
    Hurry |= Waiting || !Questions.empty();
    AlwaysHurry |= Always;
  }
  if (Always)
    Names.setPatience(LastFileMs);
  Wake.notify_one();
}

void SymbolThread::cut() {
  {
    std::lock_guard<std::mutex> Guard(Lock);
    Questions.clear();
    SourceQuestions.clear();
    Hurry = true;
    IsCut = true;
  }
  Wake.notify_one();
}

//===----------------------------------------------------------------------===//
// The thread
//===----------------------------------------------------------------------===//

void SymbolThread::give(uint32_t Frame, std::vector<SourceLocation> Locations) {
  if (Locations.empty())
    return;
  std::lock_guard<std::mutex> Guard(Lock);
  Answers.push_back({Frame, std::move(Locations)});
}

void SymbolThread::giveSource(uint32_t Process, const std::string &Path,
                              uint32_t Line) {
  std::vector<SourceFiles::KeptLine> Kept = Sources.take(Process, Path, Line);
  if (Kept.empty())
    return;
  std::lock_guard<std::mutex> Guard(Lock);
  for (SourceFiles::KeptLine &L : Kept)
    SourceAnswers.push_back({Path, L.Line, std::move(L.Text)});
}

void SymbolThread::look(JitNames &Names) {
  Names.look([this](uint32_t Frame, const std::string &Name) {
    give(Frame, {{Name, "", 0, 0}});
  });
}

void SymbolThread::lookAtMaps() {
  for (auto &[Process, Names] : Jits)
    if (Names.nextLook() <= JitNames::Clock::now())
      look(Names);
}

/// Answers requests for one binary, sorted by address.
void SymbolThread::answerOfBinary(ArrayRef<SymbolQuestion> All) {
  uint32_t Binary = All.front().Container - 1;
  const SymbolFiles &WithSymbols = Files.of(Binary);
  std::vector<uint64_t> Addresses;
  for (const SymbolQuestion &Q : All)
    Addresses.push_back(Q.Address);
  uint64_t Named = 0, Answers = 0;
  auto TakeAnswer = [&](size_t I, std::vector<SourceLocation> L) {
    ++Answers;
    Named += !L.empty();
    for (const SourceLocation &At : L)
      giveSource(ProcessOf[Binary], At.File, At.Line);
    give(All[I].Frame, std::move(L));
  };
  if (!WithSymbols.empty())
    Names.resolveOrTable(WithSymbols, Addresses, TakeAnswer, [this] {
      return IsCut.load(std::memory_order_relaxed);
    });
  // Requests that were cut off say nothing about the binary.
  uint64_t Asked = IsCut ? Answers : All.size();
  Counts.resize(std::max<size_t>(Counts.size(), Binary + 1));
  Counts[Binary].Asked += Asked;
  Counts[Binary].Nameless += Asked - Named;
}

/// Answers the native requests, binary by binary: neighbours share what LLVM
/// has read.
void SymbolThread::answerBatch() {
  llvm::sort(Batch, [](const SymbolQuestion &A, const SymbolQuestion &B) {
    return std::pair(A.Container, A.Address) <
           std::pair(B.Container, B.Address);
  });
  for (auto At = Batch.begin(); At != Batch.end() && !IsCut;) {
    auto End = std::find_if(At, Batch.end(), [&](const SymbolQuestion &Q) {
      return Q.Container != At->Container;
    });
    answerOfBinary(ArrayRef(&*At, size_t(End - At)));
    At = End;
  }
  Batch.clear();
}

void SymbolThread::planNextBatch(size_t Answered) {
  bool IsBusy = Answered >= BusyBatch;
  NextBatch = JitNames::Clock::now() +
              (IsBusy ? JitNames::Clock::duration(BusyRest) : Rest);
  Rest = IsBusy ? JitNames::Clock::duration(MinRest)
                : std::min<JitNames::Clock::duration>(Rest * 2, MaxRest);
}

void SymbolThread::answerJit(const SymbolQuestion &Q) {
  auto Jit = Jits.find(Q.Container);
  if (Jit == Jits.end())
    return;
  if (Q.Kind == SymbolQuestion::Jit) {
    Jit->second.ask(Q.Frame, Q.Address);
    return;
  }
  look(Jit->second);
  Jits.erase(Jit);
}

bool SymbolThread::isBatchDue() const {
  return Waiting && (Hurry || AlwaysHurry || Waiting >= LargeBatch ||
                     JitNames::Clock::now() >= NextBatch);
}

/// Waits until there is a request to take, or a batch or a perf map is due.
void SymbolThread::waitForWork(UniqueLock &Guard) {
  auto Next = JitNames::Clock::time_point::max();
  if (Waiting)
    Next = NextBatch;
  for (auto &[Process, Names] : Jits)
    Next = std::min(Next, Names.nextLook());
  auto HasWork = [this] {
    return Stop || !Questions.empty() || !SourceQuestions.empty() ||
           isBatchDue();
  };
  if (Next == JitNames::Clock::time_point::max())
    Wake.wait(Guard, HasWork);
  else
    Wake.wait_until(Guard, Next, HasWork);
}

void SymbolThread::run() {
  // Lower priority than the program and the recorder.
  setpriority(PRIO_PROCESS, id_t(syscall(SYS_gettid)), 5);
  UniqueLock Guard(Lock);
  for (;;) {
    waitForWork(Guard);
    if (Stop)
      return;
    std::deque<BinaryFile> Binaries = std::exchange(NewModules, {});
    for (auto &New : std::exchange(NewJits, {}))
      Jits.emplace(New.first, std::move(New.second));
    std::vector<SourceQuestion> OfSources = std::exchange(SourceQuestions, {});
    auto Roots = std::exchange(NewRoots, {});
    std::vector<SymbolQuestion> New = std::exchange(Questions, {});
    for (const SymbolQuestion &Q : New)
      Waiting += Q.Kind == SymbolQuestion::Native;
    bool IsDue = isBatchDue();
    if (IsDue)
      Hurry = false;
    Busy = true;
    Guard.unlock();
    for (auto &Root : Roots)
      Sources.addProcess(Root.first, std::move(Root.second));
    for (BinaryFile &M : Binaries) {
      ProcessOf.push_back(M.Process);
      Files.add(std::move(M.BuildId), std::move(M.Places));
    }
    for (const SourceQuestion &S : OfSources)
      giveSource(S.Process, S.Path, S.Line);
    for (const SymbolQuestion &Q : New) {
      if (Q.Kind == SymbolQuestion::Native)
        Batch.push_back(Q);
      else
        answerJit(Q);
    }
    size_t Answered = Batch.size();
    if (IsDue) {
      answerBatch();
      planNextBatch(Answered);
    }
    lookAtMaps();
    Guard.lock();
    if (IsDue)
      Waiting = 0;
    IsCut = Stop;
    Busy = false;
  }
}
