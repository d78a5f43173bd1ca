// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Resolves addresses in a thread.

#include "Stacks/SymbolThread.h"
#include <algorithm>
#include <csignal>
#include <iterator>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace memkit;

SymbolThread::SymbolThread() {
  // Block all signals: the recorder's thread handles them.
  sigset_t All, Old;
  sigfillset(&All);
  pthread_sigmask(SIG_SETMASK, &All, &Old);
  Worker = std::thread([this] { run(); });
  pthread_sigmask(SIG_SETMASK, &Old, nullptr);
}

SymbolThread::~SymbolThread() {
  {
    std::lock_guard<std::mutex> Guard(Lock);
    Stop = true;
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
  Asked.push_back({Question::Native, Frame, Binary, Address});
}

void SymbolThread::addJit(uint32_t Process, JitPlace Place) {
  std::lock_guard<std::mutex> Guard(Lock);
  NewJits.emplace_back(Process, JitNames(std::move(Place)));
}

void SymbolThread::askJit(uint32_t Frame, uint32_t Process, uint64_t Address) {
  Asked.push_back({Question::Jit, Frame, Process, Address});
}

void SymbolThread::endJit(uint32_t Process) {
  Asked.push_back({Question::JitEnd, 0, Process, 0});
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
  return Questions.empty() && SourceQuestions.empty() && !Busy;
}

void SymbolThread::cut() {
  std::lock_guard<std::mutex> Guard(Lock);
  Questions.clear();
  SourceQuestions.clear();
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
  std::optional<std::string> Text = Sources.take(Process, Path, Line);
  if (!Text)
    return;
  std::lock_guard<std::mutex> Guard(Lock);
  SourceAnswers.push_back({Path, Line, std::move(*Text)});
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

void SymbolThread::answer(const Question &Q) {
  if (Q.Kind == Question::Native) {
    std::vector<SourceLocation> L = Symbols.resolve(Q.Container - 1, Q.Address);
    Counts.resize(std::max<size_t>(Counts.size(), Q.Container));
    ++Counts[Q.Container - 1].Asked;
    Counts[Q.Container - 1].Nameless += L.empty();
    for (const SourceLocation &At : L)
      giveSource(ProcessOf[Q.Container - 1], At.File, At.Line);
    give(Q.Frame, std::move(L));
    return;
  }
  auto Jit = Jits.find(Q.Container);
  if (Jit == Jits.end())
    return;
  if (Q.Kind == Question::Jit) {
    Jit->second.ask(Q.Frame, Q.Address);
    return;
  }
  look(Jit->second);
  Jits.erase(Jit);
}

/// Waits. True: there is a request; false: a perf map is due for another look.
bool SymbolThread::waitForWork(std::unique_lock<std::mutex> &Guard) {
  auto HasWork = [this] {
    return Stop || !Questions.empty() || !SourceQuestions.empty();
  };
  auto Next = JitNames::Clock::time_point::max();
  for (auto &[Process, Names] : Jits)
    Next = std::min(Next, Names.nextLook());
  if (Next != JitNames::Clock::time_point::max())
    return Wake.wait_until(Guard, Next, HasWork);
  Wake.wait(Guard, HasWork);
  return true;
}

void SymbolThread::run() {
  // Lower priority than the program and the recorder.
  setpriority(PRIO_PROCESS, id_t(syscall(SYS_gettid)), 5);
  std::unique_lock<std::mutex> Guard(Lock);
  for (;;) {
    bool HasQuestion = waitForWork(Guard);
    if (Stop)
      return;
    std::deque<BinaryFile> Binaries = std::exchange(NewModules, {});
    for (auto &New : std::exchange(NewJits, {}))
      Jits.emplace(New.first, std::move(New.second));
    std::vector<SourceQuestion> OfSources = std::exchange(SourceQuestions, {});
    auto Roots = std::exchange(NewRoots, {});
    Question Q{};
    HasQuestion &= !Questions.empty();
    if (HasQuestion) {
      Q = Questions.front();
      Questions.pop_front();
    }
    Busy = true;
    Guard.unlock();
    for (auto &New : Roots)
      Sources.addProcess(New.first, std::move(New.second));
    for (BinaryFile &M : Binaries) {
      ProcessOf.push_back(M.Process);
      Symbols.addBinary(M.BuildId, std::move(M.Places));
    }
    for (const SourceQuestion &S : OfSources)
      giveSource(S.Process, S.Path, S.Line);
    if (HasQuestion)
      answer(Q);
    lookAtMaps();
    Guard.lock();
    Busy = false;
  }
}
