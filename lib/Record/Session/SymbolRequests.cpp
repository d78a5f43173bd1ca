// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Symbols for the frames of a recording.

#include "Session/SymbolRequests.h"
#include "Session/Requests.h"
#include "llvm/ADT/STLExtras.h"
#include <ctime>

using namespace llvm;
using namespace memkit;

bool SymbolRequests::start(KeptSources Sources) {
  Thread = std::make_unique<SymbolThread>();
  if (!Thread->isStarted()) {
    Thread.reset();
    return false;
  }
  R.addListener(*this);
  R.names().OnNativeFrame = [this](uint32_t Frame, uint32_t Binary,
                                   uint64_t Address) {
    Thread->ask(Frame, Binary, Address);
  };
  R.names().OnUnownedFrame = [this](uint32_t Frame, uint32_t Process,
                                    uint64_t Address) {
    onUnownedCode(Frame, Process, Address);
  };
  ReadsSources = Sources != KeptSources::None;
  if (Sources == KeptSources::Functions)
    Thread->keepFunctions();
  return true;
}

void SymbolRequests::foundPythonFunction(uint32_t Function,
                                         const std::string &File) {
  if (ReadsSources && mayHaveSource(File))
    PythonFiles.try_emplace(Function, File);
}

void SymbolRequests::addSources(uint32_t Process, pid_t Pid, uint64_t StartNs) {
  if (ReadsSources)
    Thread->addSources(Process, SourceRoot(Pid, StartNs));
}

void SymbolRequests::foundPythonLine(uint32_t Process, uint32_t Function,
                                     uint32_t Line) {
  auto File = PythonFiles.find(Function);
  if (File != PythonFiles.end() &&
      PythonLines.insert(uint64_t(Function) << 32 | Line).second)
    Thread->askSource(Process, File->second, Line);
}

/// Asks for the name of code outside of any binary: that of a JIT compiler,
/// which may write a map of names.
void SymbolRequests::onUnownedCode(uint32_t Frame, uint32_t Process,
                                   uint64_t Address) {
  ChildProcess *P = Children.find(Process);
  if (!P || !(P->HasJit || P->PerfMap))
    return;
  if (!std::exchange(P->HasJit, true))
    Thread->addJit(Process, *std::exchange(P->PerfMap, std::nullopt));
  Thread->askJit(Frame, Process, Address);
}

void SymbolRequests::endJit(ChildProcess &P) {
  if (std::exchange(P.HasJit, false) && Thread)
    Thread->endJit(P.Process);
}

/// Adds a binary to the symbol thread. The file may differ where the process
/// runs, or be gone by now: search by its path here, then as the process sees
/// the path.
void SymbolRequests::foundBinary(uint32_t Binary, const std::string &Path,
                                 const std::vector<uint8_t> &BuildId,
                                 uint32_t Process) {
  std::string Proc = "/proc/";
  if (ChildProcess *P = Children.find(Process))
    Proc += std::to_string(P->Pid);
  std::vector<std::string> Places;
  if (!Path.empty() && Path[0] == '/')
    Places = {Path, Proc + "/root" + Path};
  else if (!Path.empty() && Path[0] != '[')
    Places = {Proc + "/cwd/" + Path};
  Places.push_back(Proc + "/exe");
  if (BuildId.empty())
    Places.resize(Places.size() - 1);
  Thread->addBinary(Process, BuildId, std::move(Places));
  BinaryPaths.push_back(Path);
}

std::string SymbolRequests::namelessBinary() const {
  SymbolThread::ModuleCounts All, Worst;
  std::string Path;
  if (!Thread)
    return Path;
  for (const auto &[I, M] : enumerate(Thread->counts())) {
    All.Asked += M.Asked;
    if (M.Nameless <= Worst.Nameless || I >= BinaryPaths.size())
      continue;
    Worst = M;
    Path = BinaryPaths[I];
  }
  bool HasFew = Worst.Nameless * 10 >= Worst.Asked * 9;
  return HasFew && Worst.Nameless * 5 >= All.Asked ? Path : "";
}

void SymbolRequests::take(size_t Max) {
  if (!Thread)
    return;
  Thread->handOver();
  for (SymbolThread::SymbolAnswer &A : Thread->takeAnswers(Max))
    R.names().Names.addSymbols(A.Frame, A.Locations);
  for (const SymbolThread::SourceAnswer &A : Thread->takeSources())
    R.names().pending().SourceLines.push_back({R.names().Names.string(A.Path),
                                               A.Line,
                                               R.names().Names.string(A.Text)});
}

void SymbolRequests::hurry() {
  if (!Thread)
    return;
  Thread->handOver();
  Thread->hurry(/*Always=*/false);
}

void SymbolRequests::finish(uint64_t NextFlushNs, bool IsDetached) {
  if (!Thread)
    return;
  auto Interruptions = [] {
    return unsigned(TheRequests.Interrupts) + TheRequests.Terminations;
  };
  unsigned Before = Interruptions();
  Thread->handOver();
  Thread->hurry(/*Always=*/true);
  while (!Thread->idle()) {
    if (Interruptions() > Before || (TheRequests.Stop && !IsDetached)) {
      Thread->cut();
      continue;
    }
    timespec Nap{0, 1000000};
    nanosleep(&Nap, nullptr);
    if (R.nowNs() >= NextFlushNs) {
      take(SIZE_MAX);
      R.flush();
      R.complete();
      NextFlushNs = R.nowNs() + 1000000000;
    }
  }
  take(SIZE_MAX);
}
