// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stacks of a trace, and the text of each frame.

#include "memkit/Model/TraceStacks.h"
#include "memkit/Model/Rules.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
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
  FrameViewed.clear();
  PythonLabels.clear();
}

//===----------------------------------------------------------------------===//
// Frames
//===----------------------------------------------------------------------===//

ArrayRef<Location> TraceStacks::locations(uint32_t Frame) const {
  ListPart S = FrameLocations[Frame - 1];
  return ArrayRef(Locations).slice(S.Begin, S.Count);
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
  ArrayRef<ShownFrame> S = unfolded(Id);
  if (F.Kind == FrameKind::Python)
    return rules().pythonRole(S.front().Function, S.front().File);
  if (F.Kind != FrameKind::Native)
    return FrameRole::Program;
  SmallVector<FunctionRole, 4> Functions;
  for (const ShownFrame &Fn : S)
    if (Fn.FunctionId)
      Functions.push_back(rules().functionRole(Fn.Function));
  return Rules::nativeRole(rules().binaryRole(S.front().Binary), Functions);
}

//===----------------------------------------------------------------------===//
// Stacks
//===----------------------------------------------------------------------===//

const Rules &TraceStacks::rules() const {
  return GivenRules ? *GivenRules : Rules::builtIn();
}

/// The roles of functions and binaries, each looked up once.
class TraceStacks::RoleCache {
public:
  RoleCache(const Rules &R, size_t Functions, size_t Binaries)
      : R(R), Functions(Functions + 1), Binaries(Binaries + 1) {}

  FunctionRole function(const ShownFrame &F) {
    std::optional<FunctionRole> &Known = Functions[F.FunctionId];
    if (!Known)
      Known = R.functionRole(F.Function);
    return *Known;
  }
  BinaryRole binary(uint32_t Id, StringRef Path) {
    std::optional<BinaryRole> &Known = Binaries[Id];
    if (!Known)
      Known = R.binaryRole(Path);
    return *Known;
  }
  FrameRole python(const ShownFrame &F) {
    auto [At, New] = Python.try_emplace(F.FunctionId, FrameRole::Python);
    if (New)
      At->second = R.pythonRole(F.Function, F.File);
    return At->second;
  }

private:
  const Rules &R;
  std::vector<std::optional<FunctionRole>> Functions; ///< by id
  std::vector<std::optional<BinaryRole>> Binaries;    ///< by id
  DenseMap<uint32_t, FrameRole> Python;               ///< by function
};

/// As roleOf(), for all frames at once.
std::vector<FrameRole> TraceStacks::rolesOfFrames(RoleCache &Known) const {
  std::vector<FrameRole> Roles(Frames.size() + 1);
  SmallVector<FunctionRole, 4> Functions;
  for (uint32_t Id = 1; Id < Roles.size(); ++Id) {
    const Frame &F = frame(Id);
    ArrayRef<ShownFrame> S = unfolded(Id);
    if (F.Kind == FrameKind::Python)
      Roles[Id] = Known.python(S.front());
    if (F.Kind != FrameKind::Native)
      continue;
    Functions.clear();
    for (const ShownFrame &Fn : S)
      if (Fn.FunctionId)
        Functions.push_back(Known.function(Fn));
    Roles[Id] = Rules::nativeRole(Known.binary(F.Container, S.front().Binary),
                                  Functions);
  }
  return Roles;
}

/// Leaves folded inlined functions out of frames that stay.
void TraceStacks::foldInlined(RoleCache &Known) {
  FrameViewed = FrameShown;
  for (uint32_t Id = 1; Id <= Frames.size(); ++Id) {
    ListPart All = FrameShown[Id - 1];
    if (All.Count < 2 || frame(Id).Kind != FrameKind::Native)
      continue;
    auto IsFolded = [&](uint32_t I) {
      return Known.function(Shown[All.Begin + I]).IsFolded;
    };
    auto Folded = count_if(seq(0u, All.Count), IsFolded);
    if (!Folded || Folded == All.Count)
      continue;
    uint32_t Begin = Shown.size();
    for (uint32_t I = 0; I != All.Count; ++I)
      if (!IsFolded(I))
        Shown.push_back(ShownFrame(Shown[All.Begin + I]));
    FrameViewed[Id - 1] = {Begin, static_cast<uint32_t>(Shown.size() - Begin)};
  }
}

void TraceStacks::applyRules(std::shared_ptr<const Rules> Names, bool Folds) {
  GivenRules = std::move(Names);
  FoldsStacks = Folds;
  Folded.reset();
  FrameViewed.clear();
  if (IsGrowing || !Folds)
    return;
  RoleCache Known(rules(), numFunctions(), binaries().size());
  Folded = foldStacks(Tree, rolesOfFrames(Known));
  foldInlined(Known);
}

std::vector<ShownFrame> TraceStacks::shownWay(uint32_t Node, size_t Max) const {
  std::vector<ShownFrame> All;
  const StackView &V = view();
  for (; Node && All.size() < Max; Node = V.parent(Node)) {
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
      bool IsNative = frame(Path[I]).Kind == FrameKind::Native;
      size_t Before = All.size();
      for (const ShownFrame &F : unfolded(Path[I]))
        if (!IsNative || !rules().functionRole(F.Function).IsFolded)
          All.push_back(F);
      if (All.size() == Before)
        append_range(All, unfolded(Path[I]));
    }
  return All;
}

std::vector<ShownFrame> TraceStacks::shownStack(uint32_t Stack,
                                                size_t Max) const {
  if (Stack >= Tree.Leaves.size())
    return {};
  if (IsGrowing && FoldsStacks)
    return shownAsItGrows(Tree.leaf(Stack));
  return shownWay(view().leaf(Stack), Max);
}

} // namespace memkit
