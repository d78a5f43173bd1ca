// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The binaries of a recorded process, for formats whose stacks are addresses.

#include "ModuleMap.h"
#include "TraceBuilder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace memkit;

uint32_t ModuleMap::moduleOf(StringRef Path, ArrayRef<uint8_t> BuildId) {
  auto [It, New] = ByPath.try_emplace(Path.str(), uint32_t(Modules.size()));
  if (!New)
    return It->second;
  Module &M = Modules.emplace_back();
  M.Path = Path.str();
  M.BuildId = BuildId.vec();
  StringRef Name = sys::path::filename(Path);
  M.IsInterpreter = Name.starts_with("python") || Name.starts_with("libpython");
  M.IsHere = sys::fs::is_regular_file(Path);
  if (!M.IsHere)
    return It->second;
  // The build-id of the file on this machine stands for the missing one, so
  // that symbols can come from a debug file, too.
  if (BuildId.empty()) {
    if (Expected<ElfOutline> Outline = readElfOutline(Path))
      M.BuildId = Outline->BuildId;
    else
      consumeError(Outline.takeError());
  }
  M.Files = M.BuildId.empty() ? Finder.filesOf(M.Path)
                              : Finder.find(M.Path, M.BuildId);
  return It->second;
}

std::vector<SourceLocation> ModuleMap::namesOf(const Module &M,
                                               uint64_t Address) {
  std::vector<SourceLocation> Names;
  if (M.Files.empty())
    return Names;
  Symbols.resolveOrTable(M.Files, Address,
                         [&](size_t, std::vector<SourceLocation> Found) {
                           Names = std::move(Found);
                         });
  return Names;
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

ModuleMap::CodePlace ModuleMap::code(uint32_t Process, uint64_t Address,
                                     TraceBuilder &To) {
  uint64_t Call = Address ? Address - 1 : 0;
  auto It = Parts.upper_bound(Call);
  if (It == Parts.begin() || std::prev(It)->second.End <= Call)
    return {To.unknownFrame(Process, Call)};
  const LoadedRange &P = std::prev(It)->second;
  Module &M = Modules[P.Module];
  uint64_t InBinary = Call - P.Bias;
  // The map's own keys.
  if (InBinary >= ~uint64_t(1))
    return {To.unknownFrame(Process, Call)};
  auto [Found, New] = M.Codes.try_emplace(InBinary);
  if (!New)
    return Found->second;
  std::vector<SourceLocation> Names = namesOf(M, InBinary);
  M.Named += !Names.empty();
  CodePlace &C = Found->second;
  C.Frame = To.nativeFrame(M.Path, M.BuildId, InBinary, Names);
  C.IsInterpreter = M.IsInterpreter;
  // The loop may be inlined into its caller, or be a part that the compiler
  // split off.
  C.IsEvaluator = any_of(Names, [](const SourceLocation &L) {
    return StringRef(L.Function).starts_with("_PyEval_EvalFrameDefault");
  });
  return C;
}

void ModuleMap::report(TraceBuilder &To) const {
  uint64_t Named = 0, All = 0;
  const Module *Missing = nullptr;
  for (const Module &M : Modules) {
    All += M.Codes.size();
    Named += M.Named;
    if (M.Codes.size() > M.Named &&
        (!Missing || M.Codes.size() > Missing->Codes.size()))
      Missing = &M;
  }
  if (!Missing)
    return;
  if (!Named)
    To.lacks(Lack::Names);
  To.warn(Twine(All - Named) + " of " + Twine(All) +
          " places in native code have no name, most of them in " +
          Missing->Path +
          (Missing->IsHere ? ", which has no symbols for them"
                           : ", which is not on this machine"));
}
