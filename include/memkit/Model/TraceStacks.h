// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stacks of a trace, and the text of each frame.
//
// A trace opened without TP_Stacks has no stacks. Functions take ids of this
// trace only; shownStack() takes any id.

#ifndef MEMKIT_MODEL_TRACESTACKS_H
#define MEMKIT_MODEL_TRACESTACKS_H

#include "memkit/Model/StackView.h"
#include "memkit/Model/TraceNames.h"
#include <memory>
#include <optional>

namespace memkit {

/// One function of a stack as it is shown. The texts live as long as the trace.
struct ShownFrame {
  llvm::StringRef Function; ///< demangled; `libc.so.6+0x1234` without symbols
  llvm::StringRef File;     ///< of the source, empty when unknown
  llvm::StringRef Binary;  ///< path of the binary, empty for Python and markers
  uint32_t Line = 0;       ///< 0 when unknown
  uint32_t FunctionId = 0; ///< 0 without symbols
  /// What stands for the function where no file is shown: `step (train.py)` for
  /// Python, whose names say little alone, else Function.
  llvm::StringRef Label;
  bool IsPython = false;
};

class Rules;

class TraceStacks : public TraceNames {
public:
  TraceStacks();
  ~TraceStacks();

  uint32_t numStacks() const { return Tree.Leaves.size() - 1; }
  /// Nodes have the ids 1..numNodes(); a parent's id is lower. 0 is the root.
  uint32_t numNodes() const { return Tree.numNodes(); }
  /// The leaf node of a stack; 0 for an empty stack.
  uint32_t leaf(uint32_t Stack) const { return Tree.leaf(Stack); }
  uint32_t parent(uint32_t Node) const { return Tree.parent(Node); }
  uint32_t frameOf(uint32_t Node) const { return Tree.frameOf(Node); }
  uint32_t numFrames() const { return Frames.size(); }
  const Frame &frame(uint32_t Id) const { return Frames[Id - 1]; }
  /// What a frame resolves to, innermost first; empty without symbols.
  llvm::ArrayRef<Location> locations(uint32_t Frame) const;
  /// The shown functions of a frame, innermost first; at least one. After
  /// foldFrames() without folded inlined functions. Valid until the next add().
  llvm::ArrayRef<ShownFrame> shown(uint32_t Frame) const {
    return partOf(FrameViewed.empty() ? FrameShown[Frame - 1]
                                      : FrameViewed[Frame - 1]);
  }
  /// As shown(), with folded functions.
  llvm::ArrayRef<ShownFrame> unfolded(uint32_t Frame) const {
    return partOf(FrameShown[Frame - 1]);
  }
  /// The shown functions of all frames, in one piece.
  llvm::ArrayRef<ShownFrame> allShown() const { return Shown; }
  /// The path of a native frame's binary, else empty.
  llvm::StringRef binaryPath(uint32_t Frame) const;
  /// The shown stacks: all frames, and after foldFrames() the folded stacks. In
  /// a growing trace view() is never folded; shownStack() folds each stack.
  const StackView &view() const { return Folded ? *Folded : Tree; }
  /// Uses Names in place of the built-in rules; null: the built-in rules. With
  /// Folds, hides the frames that say nothing (FrameRoles.h). Selections and
  /// suppressions still see all frames.
  void applyRules(std::shared_ptr<const Rules> Names, bool Folds);
  void foldFrames() { applyRules(nullptr, true); }
  const Rules &rules() const;
  /// The shown frames of a stack, innermost first; at least Max of them, if
  /// there are as many.
  std::vector<ShownFrame> shownStack(uint32_t Stack,
                                     size_t Max = SIZE_MAX) const;
  /// The frames from a node of view() to the root, innermost first; Max as in
  /// shownStack().
  std::vector<ShownFrame> shownWay(uint32_t Node, size_t Max = SIZE_MAX) const;

protected:
  /// Makes room for the nodes of so many bytes of dictionaries.
  void reserveNodes(uint64_t Bytes);
  /// Adds the frames and stacks of a dictionary section, after takeNames().
  /// Without WithParents the caller gives the nodes' parents at the end.
  void takeStacks(const Dictionary &D, bool WithParents);
  void setParents(std::vector<uint32_t> Parents);
  /// Makes the shown functions of the frames from First on.
  void showFrames(uint32_t First);
  /// Makes the shown functions of earlier frames with new symbols.
  void showAgain(const std::vector<FrameSymbols> &Late, uint32_t First);
  /// More stacks will come: foldFrames() folds nothing, shownStack() does.
  void setGrowing() { IsGrowing = true; }
  void clearStacks();

private:
  /// A part of a list.
  struct ListPart {
    uint32_t Begin = 0;
    uint32_t Count = 0;
  };
  class Arena;
  class RoleCache;

  llvm::ArrayRef<ShownFrame> partOf(ListPart P) const {
    return llvm::ArrayRef(Shown).slice(P.Begin, P.Count);
  }
  void showFrame(uint32_t Id);
  void labelPython(ShownFrame &F);
  FrameRole roleOf(uint32_t Frame) const;
  std::vector<FrameRole> rolesOfFrames(RoleCache &Known) const;
  void foldInlined(RoleCache &Known);
  std::vector<ShownFrame> shownAsItGrows(uint32_t Node) const;

  std::vector<Frame> Frames;
  StackView Tree;
  std::optional<StackView> Folded;
  bool IsGrowing = false, FoldsStacks = false;
  std::vector<Location> Locations;
  std::vector<ListPart> FrameLocations; ///< by frame - 1
  std::vector<ShownFrame> Shown;
  std::vector<ListPart> FrameShown; ///< by frame - 1
  /// The functions that stay, by frame - 1; empty before foldFrames().
  std::vector<ListPart> FrameViewed;
  std::shared_ptr<const Rules> GivenRules; ///< null: the built-in rules
  std::unique_ptr<Arena> MadeNames;
  std::vector<llvm::StringRef> PythonLabels; ///< by function
};

} // namespace memkit

#endif // MEMKIT_MODEL_TRACESTACKS_H
