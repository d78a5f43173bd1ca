// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the versions of what processes have loaded.

#include "Session/SoftwareThread.h"
#include "Shared/Software.h"
#include <ctime>

using namespace memkit;

void SoftwareThread::add(uint32_t Process, const std::string &Root,
                         const std::string &Path) {
  if (!mayHaveVersion(Path) || Known.size() == MaxPackages ||
      !Known.insert({Process, packageOf(Path)}).second)
    return;
  Waiting.push_back({Process, Root, Path});
  start();
}

void SoftwareThread::start() {
  if (Waiting.empty() || Thread.isBusy())
    return;
  Asked.swap(Waiting);
  Waiting.clear();
  Thread.start([this] {
    for (const LoadedFile &F : Asked)
      for (std::string &Text : versionsOf(F.Root, F.Path))
        Found.push_back({F.Process, std::move(Text)});
  });
}

std::vector<SoftwareThread::FoundVersion> SoftwareThread::take() {
  std::vector<FoundVersion> Out;
  if (!Thread.takeDone())
    return Out;
  Out.swap(Found);
  start();
  return Out;
}

std::vector<SoftwareThread::FoundVersion> SoftwareThread::finish() {
  std::vector<FoundVersion> Out;
  for (unsigned Ms = 0; Thread.isBusy() && Ms != MaxWaitMs; ++Ms) {
    for (FoundVersion &F : take())
      Out.push_back(std::move(F));
    timespec Nap{0, 1000000};
    nanosleep(&Nap, nullptr);
  }
  return Out;
}
