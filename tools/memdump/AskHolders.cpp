// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Has a program that is being recorded look for names of Python.

#include "AskHolders.h"
#include "Cli/ToolMain.h"
#include "Live/Client.h"
#include "memkit/Analysis/HeldBlocks.h"
#include <chrono>
#include <thread>

using namespace llvm;
using namespace memkit;

/// The searches that a recording has so far.
static Expected<size_t> countSearches(StringRef Recording) {
  auto T = Trace::open(Recording, TP_Totals);
  if (!T)
    return T.takeError();
  Expected<HeldBlocks> Held = findHeldBlocks(**T);
  if (!Held)
    return Held.takeError();
  return Held->Searches.size();
}

Error memkit::askHolders(StringRef Recording) {
  using namespace std::chrono;
  // Some processes of a recording may answer later, or never.
  constexpr milliseconds Longest = seconds(3), ForOthers = milliseconds(500),
                         Pause = milliseconds(50);
  auto C = LiveClient::connect(Recording);
  if (!C)
    return C.takeError();
  Expected<size_t> Before = countSearches(Recording);
  if (!Before)
    return Before.takeError();
  if (Error E = C->ask("holders").takeError())
    return E;
  size_t Known = *Before;
  for (auto Until = steady_clock::now() + Longest;
       steady_clock::now() < Until;) {
    std::this_thread::sleep_for(Pause);
    Expected<size_t> Now = countSearches(Recording);
    if (!Now)
      return Now.takeError();
    if (*Now == Known)
      continue;
    Known = *Now;
    Until = steady_clock::now() + ForOthers;
  }
  if (Known == *Before)
    warn(C->name() + ": no process has looked for names within 3 s: none runs "
                     "Python, or none allocates memory");
  return Error::success();
}
