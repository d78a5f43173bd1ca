// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The binaries of a recorded process, for formats whose stacks are addresses.

#include "ModuleMap.h"
#include "Symbolize/Symbolizer.h"
#include "TraceBuilder.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;
using namespace memkit;

uint32_t ModuleMap::moduleOf(StringRef Path, ArrayRef<uint8_t> BuildId) {
  auto [It, New] = ByPath.try_emplace(Path.str(), uint32_t(Modules.size()));
  if (New) {
    Modules.push_back({Path.str(), BuildId.vec(), {}});
    // The build-id of the file on this machine stands for the missing one, so
    // that symbols can come from a debug file, too.
    if (BuildId.empty() && sys::fs::is_regular_file(Path))
      Modules.back().BuildId = readBuildId(Path);
  }
  return It->second;
}

void ModuleMap::add(StringRef Path, uint64_t Bias, uint64_t Begin,
                    uint64_t Size, ArrayRef<uint8_t> BuildId) {
  if (!Size || Begin + Size < Begin)
    return;
  uint64_t End = Begin + Size;
  auto It = Parts.upper_bound(Begin);
  if (It != Parts.begin() && std::prev(It)->second.End > Begin)
    --It;
  while (It != Parts.end() && It->first < End)
    It = Parts.erase(It);
  Parts[Begin] = {End, Bias, moduleOf(Path, BuildId)};
}

uint32_t ModuleMap::frame(uint32_t Process, uint64_t Address,
                          TraceBuilder &To) {
  uint64_t Call = Address ? Address - 1 : 0;
  auto It = Parts.upper_bound(Call);
  if (It == Parts.begin() || std::prev(It)->second.End <= Call)
    return To.unknownFrame(Process, Call);
  const Part &P = std::prev(It)->second;
  Module &M = Modules[P.Module];
  auto [Found, New] = M.Frames.try_emplace(Call - P.Bias, 0);
  if (New)
    Found->second = To.nativeFrame(M.Path, M.BuildId, Call - P.Bias);
  return Found->second;
}

void ModuleMap::addNames(TraceBuilder &To) {
  Symbolizer Symbols;
  size_t Named = 0, All = 0;
  for (const Module &M : Modules) {
    All += M.Frames.size();
    if (M.Frames.empty() || !sys::fs::is_regular_file(M.Path))
      continue;
    unsigned Binary = Symbols.addBinary(M.BuildId, {M.Path});
    for (auto [Address, Frame] : M.Frames) {
      std::vector<SourceLocation> Found = Symbols.resolve(Binary, Address);
      if (Found.empty())
        continue;
      ++Named;
      To.Names.Names.addSymbols(Frame, Found);
    }
  }
  if (Named != All)
    To.lacks(Lack::Names);
}
