// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names for the frames that a recording finds.

#include "Session/Session.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace memkit;

void Session::startSymbols() {
  Symbols = std::make_unique<SymbolThread>();
  R.OnBinary = [this](uint32_t Binary, const std::string &Path,
                      const std::vector<uint8_t> &BuildId, uint32_t Process) {
    onBinary(Binary, Path, BuildId, Process);
  };
  R.Names.OnNativeFrame = [this](uint32_t Frame, uint32_t Binary,
                                 uint64_t Address) {
    Symbols->ask(Frame, Binary, Address);
  };
  R.Names.OnUnownedFrame = [this](uint32_t Frame, uint32_t Process,
                                  uint64_t Address) {
    onUnownedCode(Frame, Process, Address);
  };
}

/// Asks for the name of code outside of any binary: that of a JIT compiler,
/// which may write a map of names.
void Session::onUnownedCode(uint32_t Frame, uint32_t Process,
                            uint64_t Address) {
  ChildProcess *P = Children.find(Process);
  if (!P || !(P->HasJit || P->PerfMap))
    return;
  if (!std::exchange(P->HasJit, true))
    Symbols->addJit(Process, *std::exchange(P->PerfMap, std::nullopt));
  Symbols->askJit(Frame, Process, Address);
}

void Session::endJit(ChildProcess &P) {
  if (std::exchange(P.HasJit, false) && Symbols)
    Symbols->endJit(P.Process);
}

/// Adds a binary to the symbol thread. The file may differ where the process
/// runs, or be gone by now: search by its path here, then as the process sees
/// the path.
void Session::onBinary(uint32_t Binary, const std::string &Path,
                       const std::vector<uint8_t> &BuildId, uint32_t Process) {
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
  Symbols->addBinary(BuildId, std::move(Places));
  ModulePaths.push_back(Path);
}

/// The binary with the most nameless frames, if at least 90 % of its frames are
/// nameless and these are at least a fifth of the frames of all binaries: most
/// stacks then show addresses. Else empty.
std::string Session::namelessBinary() const {
  SymbolThread::ModuleCounts All, Worst;
  std::string Path;
  if (!Symbols)
    return Path;
  for (const auto &[I, M] : enumerate(Symbols->counts())) {
    All.Asked += M.Asked;
    if (M.Nameless <= Worst.Nameless || I >= ModulePaths.size())
      continue;
    Worst = M;
    Path = ModulePaths[I];
  }
  bool HasFew = Worst.Nameless * 10 >= Worst.Asked * 9;
  return HasFew && Worst.Nameless * 5 >= All.Asked ? Path : "";
}

/// Takes at most Max frames' names, about a microsecond each.
void Session::takeSymbols(size_t Max) {
  if (!Symbols)
    return;
  Symbols->handOver();
  for (SymbolThread::Answer &A : Symbols->takeAnswers(Max))
    R.Names.Names.addSymbols(A.Frame, A.Locations);
}
