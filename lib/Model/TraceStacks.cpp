// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stacks of a trace, and the text of each frame.

#include "memkit/Model/TraceStacks.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/StringSaver.h"
#include <algorithm>

using namespace llvm;

namespace memkit {

/// Texts made for views.
class TraceStacks::Arena {
public:
  StringRef save(const Twine &Text) { return Saver.save(Text); }

private:
  BumpPtrAllocator Memory;
  StringSaver Saver{Memory};
};

TraceStacks::TraceStacks() : MadeNames(std::make_unique<Arena>()) {}
TraceStacks::~TraceStacks() = default;

//===----------------------------------------------------------------------===//
// Adding
//===----------------------------------------------------------------------===//

/// Most bytes of a dictionary are nodes, three or more for each node. Unused
/// room costs nothing.
void TraceStacks::reserveNodes(uint64_t Bytes) {
  const uint64_t Max = 16 << 20;
  Tree.Frames.reserve(std::min(Bytes / 3, Max));
}

void TraceStacks::takeStacks(const Dictionary &D, bool WithParents) {
  Frames.insert(Frames.end(), D.Frames.begin(), D.Frames.end());
  uint32_t Next = Tree.Frames.size();
  Tree.Frames.insert(Tree.Frames.end(), D.NodeFrames.begin(),
                     D.NodeFrames.end());
  for (const NewStack &S : D.Stacks) {
    for (uint32_t I = 0; WithParents && I != S.Length; ++I)
      Tree.Parents.push_back(I ? Next + I - 1 : S.Parent);
    Next += S.Length;
    Tree.Leaves.push_back(S.Length ? Next - 1 : S.Parent);
  }

  FrameLocations.resize(Frames.size());
  for (const FrameSymbols &S : D.Symbols) {
    FrameLocations[S.Frame - 1] = {static_cast<uint32_t>(Locations.size()),
                                   static_cast<uint32_t>(S.Locations.size())};
    Locations.insert(Locations.end(), S.Locations.begin(), S.Locations.end());
  }
}

void TraceStacks::setParents(std::vector<uint32_t> Parents) {
  Tree.Parents = std::move(Parents);
}

void TraceStacks::clearStacks() {
  Frames.clear();
  Tree = StackView();
  Folded.reset();
  Locations.clear();
  FrameLocations.clear();
  Shown.clear();
  FrameShown.clear();
  PythonLabels.clear();
}

//===----------------------------------------------------------------------===//
// Frames
//===----------------------------------------------------------------------===//

ArrayRef<Location> TraceStacks::locations(uint32_t Frame) const {
  ListPart S = FrameLocations[Frame - 1];
  return ArrayRef(Locations).slice(S.Begin, S.Count);
}

ArrayRef<ShownFrame> TraceStacks::shown(uint32_t Frame) const {
  ListPart S = FrameShown[Frame - 1];
  return ArrayRef(Shown).slice(S.Begin, S.Count);
}

StringRef TraceStacks::binaryPath(uint32_t FrameId) const {
  const Frame &F = frame(FrameId);
  if (F.Kind != FrameKind::Native || F.Container == 0)
    return StringRef();
  return string(binaries()[F.Container - 1].Path);
}

/// One text for each function, whatever its lines.
void TraceStacks::labelPython(ShownFrame &F) {
  F.IsPython = true;
  PythonLabels.resize(numFunctions() + 1);
  StringRef &Label = PythonLabels[F.FunctionId];
  if (Label.empty() && !F.File.empty())
    Label = MadeNames->save(F.Function + " (" + baseName(F.File) + ")");
  if (!Label.empty())
    F.Label = Label;
}

void TraceStacks::showFrame(uint32_t Id) {
  const Frame &F = frame(Id);
  uint32_t Begin = Shown.size();
  StringRef Binary = binaryPath(Id);
  auto Show = [&](Location L) {
    const Function &Fn = function(L.Function);
    Shown.push_back({string(Fn.Name), string(Fn.File), Binary, L.Line,
                     L.Function, string(Fn.Name), false});
    if (F.Kind == FrameKind::Python)
      labelPython(Shown.back());
  };
  bool IsFunction = F.Kind == FrameKind::Python || F.Kind == FrameKind::Named;
  if (IsFunction && F.Container)
    Show({F.Container,
          F.Kind == FrameKind::Python ? static_cast<uint32_t>(F.Address) : 0});
  else
    for (Location L : locations(Id))
      if (L.Function)
        Show(L);
  if (Shown.size() == Begin) {
    StringRef Name = baseName(Binary);
    std::string Address = "0x" + utohexstr(F.Address, /*LowerCase=*/true);
    ShownFrame &New = Shown.emplace_back();
    New.Function = New.Label =
        MadeNames->save(Name.empty() ? Twine(Address) : Name + "+" + Address);
    New.Binary = Binary;
  }
  FrameShown[Id - 1] = {Begin, static_cast<uint32_t>(Shown.size() - Begin)};
}

void TraceStacks::showFrames(uint32_t First) {
  FrameShown.resize(Frames.size());
  if (First == 1)
    Shown.reserve(Frames.size() + Locations.size());
  for (uint32_t Id = First; Id <= Frames.size(); ++Id)
    showFrame(Id);
}

/// The earlier entries stay in the list, unused.
void TraceStacks::showAgain(const std::vector<FrameSymbols> &Late,
                            uint32_t First) {
  for (const FrameSymbols &S : Late)
    if (S.Frame < First)
      showFrame(S.Frame);
}

FrameRole TraceStacks::roleOf(uint32_t Id) const {
  const Frame &F = frame(Id);
  ArrayRef<ShownFrame> S = shown(Id);
  if (F.Kind == FrameKind::Python)
    return pythonFrameRole(S.front().File);
  if (F.Kind != FrameKind::Native)
    return FrameRole::Program;
  SmallVector<StringRef, 4> Functions;
  for (const ShownFrame &Fn : S)
    if (Fn.FunctionId)
      Functions.push_back(Fn.Function);
  return nativeFrameRole(S.front().Binary, Functions);
}

//===----------------------------------------------------------------------===//
// Stacks
//===----------------------------------------------------------------------===//

void TraceStacks::foldFrames() {
  FoldsStacks = true;
  // Most programs have no Python.
  if (IsGrowing || none_of(Frames, [](const Frame &F) {
        return F.Kind == FrameKind::Python;
      }))
    return;
  std::vector<FrameRole> Roles(Frames.size() + 1);
  for (uint32_t Id = 1; Id < Roles.size(); ++Id)
    Roles[Id] = roleOf(Id);
  Folded = foldStacks(Tree, Roles);
}

std::vector<ShownFrame> TraceStacks::shownWay(uint32_t Node) const {
  std::vector<ShownFrame> All;
  const StackView &V = view();
  for (; Node; Node = V.parent(Node)) {
    ArrayRef<ShownFrame> S = shown(V.frameOf(Node));
    All.insert(All.end(), S.begin(), S.end());
  }
  return All;
}

/// Folds one stack; foldStacks() does the same for all at once.
std::vector<ShownFrame> TraceStacks::shownAsItGrows(uint32_t Node) const {
  SmallVector<uint32_t, 64> Path; // innermost first
  for (; Node; Node = Tree.parent(Node))
    Path.push_back(Tree.frameOf(Node));
  SmallVector<FrameRole, 64> Roles;
  for (uint32_t F : reverse(Path))
    Roles.push_back(roleOf(F));
  SmallVector<bool, 64> Stays = unfoldedFrames(Roles);
  std::vector<ShownFrame> All;
  for (size_t I = 0; I != Path.size(); ++I)
    if (Stays[Path.size() - 1 - I]) {
      ArrayRef<ShownFrame> S = shown(Path[I]);
      All.insert(All.end(), S.begin(), S.end());
    }
  return All;
}

std::vector<ShownFrame> TraceStacks::shownStack(uint32_t Stack) const {
  if (Stack >= Tree.Leaves.size())
    return {};
  if (IsGrowing && FoldsStacks)
    return shownAsItGrows(Tree.leaf(Stack));
  return shownWay(view().leaf(Stack));
}

} // namespace memkit
