// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stacks as PyTorch's memory snapshots have them.

#include "TorchSnapshotFrames.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace memkit;

void TorchSnapshotFrames::addFrames(uint32_t Frame,
                                    std::vector<SnapshotFrame> &Out) const {
  ArrayRef<ShownFrame> Shown = T.unfolded(Frame);
  for (size_t I = 0; I != Shown.size(); ++I) {
    const ShownFrame &F = Shown[I];
    SnapshotFrame New;
    New.Name = F.Function;
    New.File = F.File.empty() ? F.Binary : F.File;
    New.Line = F.Line;
    New.IsPython = F.IsPython;
    New.Key = uint64_t(Frame) << 16 | (I & 0xffff);
    const memkit::Frame &Of = T.frame(Frame);
    if (Of.Kind == FrameKind::Named && F.FunctionId)
      New.Line = T.function(F.FunctionId).Line;
    Out.push_back(std::move(New));
  }
}

/// A frame `fx: NAME (OP TARGET)` lies between the generated code and the
/// Python frames that made the node.
void TorchSnapshotFrames::joinGraphNodes(std::vector<SnapshotFrame> &Frames) {
  for (size_t I = 0; I + 1 < Frames.size(); ++I) {
    StringRef Name = Frames[I].Name;
    if (!Name.consume_front("fx: "))
      continue;
    SnapshotFrame &Code = Frames[I + 1];
    auto [Node, Rest] = Name.split(" (");
    Rest.consume_back(")");
    Code.FxName = Node.str();
    Code.FxOp = Rest.split(' ').first.str();
    Code.FxTarget = Rest.split(' ').second.str();
    Code.Key = 0;
    size_t Begin = I;
    for (; Begin && Frames[Begin - 1].IsPython; --Begin) {
      const SnapshotFrame &Line = Frames[Begin - 1];
      Code.FxTrace += ("  File \"" + Line.File + "\", line " +
                       Twine(Line.Line) + ", in " + Line.Name + "\n")
                          .str();
    }
    Frames.erase(Frames.begin() + ptrdiff_t(Begin),
                 Frames.begin() + ptrdiff_t(I + 1));
    I = Begin;
  }
}

void TorchSnapshotFrames::write(const SnapshotFrame &F) {
  if (auto It = Dicts.find(F.Key); F.Key && It != Dicts.end())
    return To.use(It->second);
  uint32_t Number = To.dict([&] {
    To.entry("name", F.Name);
    To.entry("filename", F.File.empty() ? "??" : F.File);
    To.entry("line", uint64_t(F.Line));
    if (F.Key)
      return;
    To.entry("fx_node_op", F.FxOp);
    To.entry("fx_node_name", F.FxName);
    To.entry("fx_node_target", F.FxTarget);
    To.entry("fx_original_trace", F.FxTrace);
  });
  if (F.Key)
    Dicts[F.Key] = Number;
}

void TorchSnapshotFrames::write(uint32_t Stack) {
  if (auto It = Lists.find(Stack); It != Lists.end())
    return To.use(It->second);
  std::vector<SnapshotFrame> Frames;
  for (uint32_t Node = Stack ? T.leaf(Stack) : 0; Node; Node = T.parent(Node))
    addFrames(T.frameOf(Node), Frames);
  joinGraphNodes(Frames);
  Lists[Stack] = To.list([&] {
    for (const SnapshotFrame &F : Frames) {
      write(F);
      To.next();
    }
  });
}
