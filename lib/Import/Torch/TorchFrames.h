// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stacks of a PyTorch snapshot.

#ifndef MEMKIT_LIB_IMPORT_TORCHFRAMES_H
#define MEMKIT_LIB_IMPORT_TORCHFRAMES_H

#include "Import/Build/TraceBuilder.h"
#include "Import/Pickle/Pickle.h"
#include "TorchPlaces.h"

namespace memkit {

/// Makes stacks of lists of frames: dicts of filename, name and line, the
/// innermost first. Most events share their list with others, and lists share
/// their frames, so a note at the list and at the frame says what it became.
///
/// PyTorch puts Python's frames among native ones where it can tell their
/// place, and the others behind the start of the program, where no Python frame
/// can be: they go behind the last Python frame before.
///
/// Code that torch.compile generates has the node of the graph that it runs,
/// and the source lines that made the node: these become frames of their own.
class TorchFrames {
public:
  explicit TorchFrames(TraceBuilder &To) : To(To) {}

  /// The stack of a list of frames; 0: none.
  uint32_t stack(PickleValue List);

  /// Where in a training a stack of stack() runs.
  const TorchPlaceMap &places() const { return StackPlaces; }

  /// Frames beyond these, counted from the innermost, become one frame.
  static constexpr size_t MaxDepth = 2048;
  /// Entries of lists that are no frames.
  uint64_t numBad() const { return NumBad; }
  bool hasStacks() const { return HasStacks; }

private:
  struct FrameFields {
    llvm::StringRef File, Name;
    uint32_t Line = 0;
    llvm::StringRef FxOp, FxName, FxTarget, FxTrace;
  };
  void add(PickleValue Frame);
  bool read(PickleValue Frame, FrameFields &To) const;
  void addGraphNode(const FrameFields &F);
  uint32_t frame(llvm::StringRef File, llvm::StringRef Name, uint32_t Line);
  void moveLastPython();
  uint32_t stackOfFrames();

  TraceBuilder &To;
  std::vector<uint32_t> Frames; ///< of the stack so far, the innermost first
  std::vector<bool> IsNative;   ///< by frame
  TorchPlaceMap FramePlaces, StackPlaces;
  /// Stacks by the bytes of Frames: lists with equal frames are frequent.
  llvm::StringMap<uint32_t> Known;
  static constexpr unsigned MaxKnown = 1 << 16;
  /// Frames of dicts that make more than one: the number, then the frames.
  std::vector<uint32_t> Runs;
  uint64_t NumBad = 0;
  bool HasStacks = false;
};

} // namespace memkit

#endif // MEMKIT_LIB_IMPORT_TORCHFRAMES_H
