// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stacks as PyTorch's memory snapshots have them.

#ifndef MEMKIT_LIB_EXPORT_TORCHSNAPSHOTFRAMES_H
#define MEMKIT_LIB_EXPORT_TORCHSNAPSHOTFRAMES_H

#include "PickleWriter.h"
#include "memkit/Model/Trace.h"
#include "llvm/ADT/DenseMap.h"

namespace memkit {

/// Writes lists of dicts of filename, name and line, the innermost first. Each
/// list and each dict is written once. The frames that memimport makes of a
/// graph's node become the fields of the generated code's frame again.
class TorchSnapshotFrames {
public:
  TorchSnapshotFrames(const Trace &T, PickleWriter &To) : T(T), To(To) {}
  /// 0: an empty list.
  void write(uint32_t Stack);

private:
  struct SnapshotFrame {
    llvm::StringRef File, Name;
    uint32_t Line = 0;
    bool IsPython = false;
    uint64_t Key = 0; ///< of a frame of the trace; 0: has a node of a graph
    std::string FxName, FxOp, FxTarget, FxTrace;
  };
  void addFrames(uint32_t Frame, std::vector<SnapshotFrame> &Out) const;
  static void joinGraphNodes(std::vector<SnapshotFrame> &Frames);
  void write(const SnapshotFrame &F);

  const Trace &T;
  PickleWriter &To;
  llvm::DenseMap<uint32_t, uint32_t> Lists; ///< by stack
  llvm::DenseMap<uint64_t, uint32_t> Dicts; ///< by SnapshotFrame::Key
};

} // namespace memkit

#endif // MEMKIT_LIB_EXPORT_TORCHSNAPSHOTFRAMES_H
