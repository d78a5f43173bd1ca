// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Answers programs that ask for the detours of a binary.

#include "Session/DetourAnswers.h"
#include "Shared/PrivateHeapName.h"
#include "memkit/Support/Format.h"
#include <sys/stat.h>

using namespace llvm;
using namespace memkit;

/// Files whose plans are kept: a program may make up many.
static constexpr size_t MaxKnown = 1024;

/// Changes when the file at a path is another one, or has other bytes; empty:
/// there is no such file.
static std::string identityOf(const std::string &File) {
  struct stat S;
  if (stat(File.c_str(), &S) != 0 || !S_ISREG(S.st_mode))
    return "";
  return (Twine(S.st_dev) + "," + Twine(S.st_ino) + "," + Twine(S.st_size) +
          "," + Twine(S.st_mtim.tv_sec) + "," + Twine(S.st_mtim.tv_nsec) + "," +
          privateHeapSuffix(File))
      .str();
}

std::optional<wire::DetourReply> DetourAnswers::planNow(const std::string &File,
                                                        StringRef Name) {
  std::vector<uint8_t> BuildId;
  if (Expected<ElfOutline> Outline = readElfOutline(File))
    BuildId = std::move(Outline->BuildId);
  else
    consumeError(Outline.takeError());
  if (std::optional<wire::DetourReply> Kept = Cache.find(BuildId, Name))
    return Kept;
  Expected<wire::DetourReply> Planned = Names.plan(File, Name);
  if (!Planned) {
    consumeError(Planned.takeError());
    return std::nullopt;
  }
  Cache.keep(*Planned, Name);
  return *Planned;
}

void DetourAnswers::planFile(const std::string &File, StringRef Name) {
  Found = nullptr;
  std::string Key = identityOf(File);
  auto It = Known.find(Key);
  if (It == Known.end() && !Key.empty() && Known.size() < MaxKnown)
    if (std::optional<wire::DetourReply> Planned = planNow(File, Name))
      It = Known.try_emplace(Key, *Planned).first;
  if (It != Known.end())
    Found = &It->second;
}

void DetourAnswers::plan(const DetourQuestion &Q) {
  std::string Root;
  for (ChildProcess &P : Children)
    if (P.Process == Q.Process)
      Root = P.Root;
  Thread.start([this, File = Root + Q.Path, Name = privateHeapSuffix(Q.Path)] {
    planFile(File, Name);
  });
}

/// Warns of what the blocks of Q's binary lack, on the terminal and in the
/// trace. IsLate: the thread has not waited for the answer.
void DetourAnswers::warn(const ChildProcess &P, const DetourQuestion &Q,
                         bool IsLate) {
  if (!Found || !Found->NumPools || !(IsLate || Found->NumRefused) ||
      !Warned.insert(Q.Path).second)
    return;
  StringRef Pool = Found->Pools[0];
  std::string What = Pool.consume_front("googletest@")
                         ? ("tests of " + Pool + " as scopes: ").str()
                         : ("private." + Pool + ": ").str();
  if (IsLate)
    What += "not recorded, because reading the binary took longer than " +
            std::to_string(wire::Detour::MaxWaitMs) +
            " ms; the next recording knows the binary";
  else
    What += plural(Found->NumRefused, "function") + " cannot be recorded, as " +
            Found->Refused;
  O.Warn(What);
  Reports.addAlert(P, What);
}

void DetourAnswers::answer(const DetourQuestion &Q) {
  for (ChildProcess &P : Children) {
    if (P.Process != Q.Process || !P.isRecorded())
      continue;
    SharedProcess &Shared = P.State->shared();
    bool IsLate = true;
    Shared.answer(Q.Slot, Q.Ticket, [&](wire::Reply &To) {
      IsLate = false;
      To.NumHeaps = Found ? 0 : UINT32_MAX;
      if (Found)
        Shared.control().Detours = *Found;
    });
    for (uint32_t I = 0; Found && !IsLate && I < Found->NumPools; ++I)
      P.State->reportedPools().expectFreesOf(Found->Pools[I]);
    warn(P, Q, IsLate);
  }
}

void DetourAnswers::pass() {
  // More than all threads can ask: the program makes them up.
  constexpr size_t MaxWaiting = 256;
  for (DetourQuestion &Q : Asked)
    if (Waiting.size() < MaxWaiting)
      Waiting.push_back(std::move(Q));
  Asked.clear();
  if (Thread.isBusy() && Thread.takeDone()) {
    answer(Waiting.front());
    Waiting.pop_front();
  }
  if (!Waiting.empty() && !Thread.isBusy())
    plan(Waiting.front());
}
