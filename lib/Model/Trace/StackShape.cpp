// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stacks in another shape.

#include "StackShape.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace llvm;

namespace memkit {

PathTree::PathTree(size_t Keys, std::vector<ShownFrame> Frames) {
  Out.Frames = std::move(Frames);
  Out.Tree.Leaves.resize(std::max<size_t>(Keys, 1));
}

uint32_t PathTree::child(uint32_t Node, uint32_t Frame) {
  auto [At, New] = Nodes.try_emplace({Node, Frame}, Out.Tree.numNodes() + 1);
  if (New)
    append(Node, Frame);
  return At->second;
}

void PathTree::add(uint32_t Key, ArrayRef<uint32_t> Path) {
  uint32_t Node = 0;
  for (uint32_t Frame : Path)
    Node = child(Node, Frame);
  setLeaf(Key, Node);
}

namespace {

class Shaper {
public:
  Shaper(ShownTree T, const StackShape &How) : T(T), How(How) {
    for (const ShownFrame &F : T.allShown())
      FrameOf.push_back(intern(shape(F)));
    FirstAt.resize(Known.size());
  }
  ScopeView run();

private:
  ShownFrame shape(ShownFrame F);
  StringRef strip(StringRef Path) const;
  uint32_t intern(const ShownFrame &F);
  bool joinsRuns() const {
    return How.By == GroupBy::File || How.By == GroupBy::Binary;
  }
  void shapePath();
  void shapePaths(PathTree &Tree);
  void shapeNodes(PathTree &Tree);
  uint32_t marker(std::string Text);
  void findImports();

  ShownTree T;
  const StackShape &How;
  std::deque<std::string> Texts; ///< of frames by line, and of markers
  StringMap<uint32_t> Markers;
  std::vector<SmallVector<uint32_t, 2>> Imports; ///< by key; empty: not wanted
  std::vector<ShownFrame> Frames;
  std::vector<uint32_t> FrameOf; ///< by index in T.allShown()
  /// Frames of one function that differ in their lines.
  struct Alike {
    uint32_t Name = 0;
    SmallVector<uint32_t, 1> Ids;
  };
  DenseMap<std::pair<StringRef, StringRef>, Alike> Known;
  std::vector<uint32_t> NameOf; ///< by frame - 1
  std::vector<uint32_t> Path, Kept;
  std::vector<uint32_t> FirstAt; ///< in Kept, by name
};

} // namespace

StringRef Shaper::strip(StringRef Path) const {
  for (StringRef Prefix : How.StripPrefixes)
    if (Path.consume_front(Prefix)) {
      Path.consume_front("/");
      break;
    }
  return Path;
}

ShownFrame Shaper::shape(ShownFrame F) {
  F.File = strip(F.File);
  F.Binary = strip(F.Binary);
  if (How.By == GroupBy::Stack)
    return F;
  if (How.By == GroupBy::Line) {
    // The place first, for native code as for Python. Formats know a frame by
    // its function, which several lines share, so the frame has none.
    if (F.Line && !F.File.empty() && (F.IsPython || How.NativeLines)) {
      F.FunctionId = 0;
      F.Function = F.Label = Texts.emplace_back(
          (baseName(F.File) + ":" + Twine(F.Line) + " " + F.Function).str());
    }
    return F;
  }
  ShownFrame Out;
  if (How.By == GroupBy::Function)
    Out.Function = F.Label;
  else if (How.By == GroupBy::File)
    Out.Function = F.File.empty() ? F.Binary : F.File;
  else
    Out.Function = F.Binary.empty() ? F.File : F.Binary;
  // Markers, and code without a known file, stay unchanged.
  if (Out.Function.empty())
    Out.Function = F.Label;
  Out.Label = Out.Function;
  return Out;
}

/// The id of F; frames that look equal share one id.
uint32_t Shaper::intern(const ShownFrame &F) {
  auto [At, New] =
      Known.try_emplace({F.Label, F.File.empty() ? F.Binary : F.File}, Alike());
  if (New)
    At->second.Name = Known.size() - 1;
  for (uint32_t Id : At->second.Ids) {
    const ShownFrame &Is = Frames[Id - 1];
    if (Is.Line == F.Line && Is.Binary == F.Binary && Is.Function == F.Function)
      return Id;
  }
  Frames.push_back(F);
  NameOf.push_back(At->second.Name);
  At->second.Ids.push_back(Frames.size());
  return Frames.size();
}

/// Shapes Path into Kept.
void Shaper::shapePath() {
  bool Runs = joinsRuns();
  Kept.clear();
  for (uint32_t Frame : Path) {
    if (Runs && !Kept.empty() && Kept.back() == Frame)
      continue;
    uint32_t &First = FirstAt[NameOf[Frame - 1]];
    if (How.MergeRecursion && First < Kept.size() &&
        NameOf[Kept[First] - 1] == NameOf[Frame - 1]) {
      Kept.resize(First + 1);
      continue;
    }
    First = Kept.size();
    Kept.push_back(Frame);
  }
  if (How.Invert)
    std::reverse(Kept.begin(), Kept.end());
}

/// The id of a frame that only has a text.
uint32_t Shaper::marker(std::string Text) {
  auto [At, New] = Markers.try_emplace(Text, 0);
  if (New) {
    ShownFrame F;
    F.Function = F.Label = Texts.emplace_back(std::move(Text));
    At->second = intern(F);
  }
  return At->second;
}

/// Makes the frames above stacks of imports: by key, none for other stacks.
void Shaper::findImports() {
  Imports.resize(T.view().Leaves.size());
  for (uint32_t Key = 0; Key != Imports.size(); ++Key)
    if (std::optional<StringRef> Module = How.ImportOf(Key)) {
      Imports[Key].push_back(marker("imports"));
      if (!Module->empty())
        Imports[Key].push_back(marker(("import " + *Module).str()));
    }
}

/// Shapes each stack.
void Shaper::shapePaths(PathTree &Tree) {
  const StackView &V = T.view();
  for (uint32_t Key = 0; Key != V.Leaves.size(); ++Key) {
    Path.clear();
    for (uint32_t N = V.leaf(Key); N; N = V.parent(N))
      for (const ShownFrame &F : T.shown(V.frameOf(N)))
        Path.push_back(FrameOf[&F - T.allShown().data()]);
    std::reverse(Path.begin(), Path.end());
    shapePath();
    if (!Imports.empty())
      Kept.insert(Kept.begin(), Imports[Key].begin(), Imports[Key].end());
    Tree.add(Key, Kept);
  }
}

/// As shapePaths(), for shapes in which a node's place depends on nothing but
/// the nodes above and the frames of imports.
void Shaper::shapeNodes(PathTree &Tree) {
  const StackView &V = T.view();
  WayAdder Ways(T);
  for (uint32_t Key = 0; Key != V.Leaves.size(); ++Key) {
    uint32_t Top = 0;
    if (!Imports.empty())
      for (uint32_t Frame : Imports[Key])
        Top = Tree.child(Top, Frame);
    auto Next = [&](uint32_t Above, const ShownFrame &F) {
      uint32_t Frame = FrameOf[&F - T.allShown().data()];
      bool Repeats =
          joinsRuns() && Above != Top && Tree.frameOf(Above) == Frame;
      return Repeats ? Above : Tree.child(Above, Frame);
    };
    Tree.setLeaf(Key, Ways.add(Top, V.leaf(Key), Next));
  }
}

ScopeView Shaper::run() {
  if (How.ImportOf)
    findImports();
  PathTree Tree(T.view().Leaves.size(), std::move(Frames));
  if (How.Invert || How.MergeRecursion)
    shapePaths(Tree);
  else
    shapeNodes(Tree);
  ScopeView Out = Tree.take();
  Out.Texts = std::move(Texts);
  return Out;
}

ScopeView shapeStacks(ShownTree T, const StackShape &How) {
  return Shaper(T, How).run();
}

} // namespace memkit
