// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stacks of memray's recordings.

#include "MemrayStacks.h"
#include "Import/Build/CodeLines.h"

using namespace llvm;
using namespace memkit;

bool MemrayStacks::addFrame(uint64_t Id, StringRef Function, StringRef File,
                            int64_t Line, bool IsEntry) {
  uint32_t At = Line > 0 && Line <= INT32_MAX ? uint32_t(Line) : 0;
  MemrayFrame F = {To.pythonFrame(Function, File, At), IsEntry};
  return Frames.try_emplace(Id, F).second;
}

void MemrayStacks::addCode(uint64_t Id, StringRef Function, StringRef File,
                           int32_t FirstLine, StringRef LineTable) {
  Codes[Id] = {Function.str(), File.str(), LineTable.str(), FirstLine};
}

void MemrayStacks::newModules() {
  Modules.clear();
  Known.clear();
}

const MemrayFrame *MemrayStacks::frame(uint64_t Id) const {
  auto It = Frames.find(Id);
  return It == Frames.end() ? nullptr : &It->second;
}

MemrayFrame MemrayStacks::frameAt(uint64_t Id, int64_t Instruction,
                                  bool IsEntry) {
  auto [It, New] = AtCode.try_emplace({Id, Instruction, IsEntry});
  if (!New)
    return It->second;
  auto Found = Codes.find(Id);
  MemrayFrame &F = It->second;
  F.IsEntry = IsEntry;
  if (Found == Codes.end()) {
    F.Frame = To.pythonFrame("?", "", 0);
    return F;
  }
  const MemrayCode &C = Found->second;
  uint32_t Line =
      codeLine(H.PythonVersion, C.LineTable, C.FirstLine, Instruction);
  F.Frame = To.pythonFrame(C.Function, C.File, Line,
                           C.FirstLine > 0 ? uint32_t(C.FirstLine) : 0);
  return F;
}

uint32_t MemrayStacks::leaf(StringRef Name) {
  uint32_t &Frame = Leaves[Name];
  if (!Frame)
    Frame = To.namedFrame(Name);
  return Frame;
}

/// From the innermost frame on: the last call of the evaluator ran the last run
/// of Python frames. Without a call of the evaluator that is known by name, the
/// native frames up to the interpreter's binary are called by Python.
void MemrayStacks::join(ArrayRef<MemrayFrame> Python, uint64_t NativeId,
                        SmallVectorImpl<uint32_t> &Out) {
  constexpr size_t MaxNative = 4096;
  SmallVector<uint32_t, 64> Inner; // innermost first
  bool IsInterpreted = false;
  auto TakeRun = [&] {
    while (!Python.empty()) {
      MemrayFrame F = Python.back();
      Python = Python.drop_back();
      Inner.push_back(F.Frame);
      if (F.IsEntry)
        return;
    }
  };
  bool HadPython = !Python.empty();
  SmallVector<ModuleMap::CodePlace, 64> Codes;
  for (uint64_t Id = NativeId;
       Id && Id <= Native.size() && Codes.size() != MaxNative;) {
    const NativeFrame &F = Native[Id - 1];
    Codes.push_back(Modules.code(Process, F.Ip, To));
    // Callers come before those they call: the numbers fall.
    Id = F.Caller < Id ? F.Caller : 0;
  }
  bool HasEvaluator = any_of(
      Codes, [](const ModuleMap::CodePlace &C) { return C.IsEvaluator; });
  for (const ModuleMap::CodePlace &C : Codes) {
    // What is further out than the first Python frame is how Python, or
    // memray, was started.
    if (HadPython && Python.empty())
      break;
    if (HasEvaluator && C.IsEvaluator) {
      TakeRun();
      continue;
    }
    IsInterpreted |= !HasEvaluator && C.IsInterpreter && HadPython;
    if (IsInterpreted)
      break;
    Inner.push_back(C.Frame);
  }
  while (!Python.empty())
    TakeRun();
  Out.append(Inner.rbegin(), Inner.rend());
}

uint32_t MemrayStacks::stack(ArrayRef<MemrayFrame> Python, uint32_t Node,
                             uint64_t NativeId, StringRef Leaf) {
  uint32_t LeafFrame = leaf(Leaf);
  uint32_t &Stack = Known[{Node, NativeId, LeafFrame}];
  if (Stack)
    return Stack;
  if (!NativeId)
    return Stack = To.path(Node, LeafFrame).Stack;
  SmallVector<uint32_t, 128> Frames;
  join(Python, NativeId, Frames);
  Frames.push_back(LeafFrame);
  return Stack = To.stack(Frames);
}
