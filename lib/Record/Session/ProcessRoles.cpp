// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names for processes.

#include "Session/ProcessRoles.h"
#include "Session/ProcessTitle.h"
#include "Session/PythonRole.h"
#include "Shared/ProcFs.h"

using namespace llvm;
using namespace memkit;

void ProcessRoles::setFirst(ChildProcess &P, const ProcessRecord &I,
                            ArrayRef<std::string> Command) const {
  StringRef Parent;
  for (const ChildProcess &Other : Children)
    if (I.Parent && Other.Process == I.Parent)
      Parent = Other.Role;
  P.Role = I.Origin == ProcessOrigin::Fork ? forkedRole(Parent)
                                           : pythonRole(P.Exe, Command, Parent);
}

void ProcessRoles::readTitle(ChildProcess &P) {
  std::string Arguments = procfs::arguments(P.Pid);
  if (Arguments.empty() || Arguments == P.Arguments ||
      procfs::exePath(P.Pid) != P.Exe)
    return;
  P.Arguments = std::move(Arguments);
  if (std::string Title = titleOf(P.Arguments); !Title.empty())
    P.Title = std::move(Title);
}

void ProcessRoles::setTitle(const ChildProcess &P) {
  if (!P.Title.empty())
    R.stats().setRole(P.Process, R.names().Names.string(P.Title));
}

void ProcessRoles::nameDataWorker(ChildProcess &P) {
  if (!P.State || !P.State->isDataWorker())
    return;
  unsigned Number = 0;
  auto Count = [&](uint32_t Parent, uint32_t Process, uint64_t EndNs) {
    Number += Parent == P.Parent && Process < P.Process && EndNs > P.StartNs;
  };
  for (const DataWorker &W : EndedWorkers)
    Count(W.Parent, W.Process, W.EndNs);
  for (const ChildProcess &Other : Children)
    if (Other.isRecorded() && Other.State->isDataWorker())
      Count(Other.Parent, Other.Process, UINT64_MAX);
  constexpr size_t MaxKept = 4096;
  if (EndedWorkers.size() == MaxKept)
    EndedWorkers.erase(EndedWorkers.begin());
  EndedWorkers.push_back({P.Parent, P.Process, P.EndNs});
  P.Role = dataWorkerRole(P.Title.empty() ? P.Role : P.Title, Number);
  R.stats().setRole(P.Process, R.names().Names.string(P.Role));
}
