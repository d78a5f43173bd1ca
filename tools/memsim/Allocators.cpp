// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The allocators that --with names.

#include "Allocators.h"
#include "Cli/ToolMain.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace memkit;

static constexpr StringLiteral KnownAllocators =
    "torch, torch:recorded, torch:SETTINGS (as in PYTORCH_CUDA_ALLOC_CONF); of "
    "the host glibc, jemalloc, tcmalloc, mimalloc, or a path";

static Expected<ChosenAllocator> readAllocator(StringRef Text,
                                               const RecordedTorchConfig &Of) {
  ChosenAllocator Out;
  Out.Name = Text.str();
  auto [Name, Settings] = Text.split(':');
  if (Name != "torch")
    return makeUsageError("--with=" + Text +
                          ": no such allocator; allocators are " +
                          KnownAllocators);
  if (Settings == "recorded") {
    Out.Config = Of.Config;
    Out.IsRecorded = true;
    return Out;
  }
  Expected<TorchConfig> C = TorchConfig::parse(Settings);
  if (!C)
    return makeUsageError("--with=" + Text + ": " + toString(C.takeError()));
  Out.Config = *C;
  return Out;
}

Expected<std::vector<ChosenAllocator>>
memkit::chooseAllocators(ArrayRef<std::string> With,
                         const RecordedTorchConfig &Recorded) {
  static const std::string Usual[] = {
      "torch:recorded", "torch", "torch:expandable_segments:True",
      "torch:max_split_size_mb:128", "torch:roundup_power2_divisions:8"};
  std::vector<ChosenAllocator> Out;
  for (const std::string &Text : With.empty() ? ArrayRef(Usual) : With) {
    Expected<ChosenAllocator> A = readAllocator(Text, Recorded);
    if (!A)
      return A.takeError();
    // An alternative is something else than what was recorded.
    if (With.empty() && !A->IsRecorded && A->Config == Recorded.Config)
      continue;
    Out.push_back(std::move(*A));
  }
  return Out;
}
