// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Native and Python frames in one path.

#ifndef MEMKIT_LIB_RECORD_MIXEDSTACKS_H
#define MEMKIT_LIB_RECORD_MIXEDSTACKS_H

#include "Output/Catalog.h"
#include "Shared/ChunkedArray.h"
#include "Shared/SharedProcess.h"
#include "Stacks/CodeFrames.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace memkit {

/// A map from 64 bits that grows in small steps, so that none takes long.
class SteadyMap {
public:
  /// 0 when Key is not there.
  uint32_t lookup(uint64_t Key) const { return Parts[part(Key)].lookup(Key); }
  uint32_t &get(uint64_t Key) { return Parts[part(Key)][Key]; }

private:
  static size_t part(uint64_t Key) {
    return (Key * 0x9E3779B97F4A7C15ull) >> (64 - Bits);
  }
  static constexpr unsigned Bits = 6;
  llvm::DenseMap<uint64_t, uint32_t> Parts[1u << Bits];
};

/// Merges a native path and the Python path that runs in it into one path of
/// the trace: native frames, outermost first, in which the n-th frame of the
/// evaluator is replaced by the n-th run of Python frames. Runs beyond the
/// evaluator's frames stand at the place of its last, or outside all native
/// frames when there is none; where frames were left out of the native path,
/// they stand there, and the evaluator's frames below have the last runs. An
/// evaluator's frame beyond the runs stays as it is.
///
/// Greenlets take turns on one native stack, each on top of whatever was there
/// when it began. The Python path is of the one that runs; so the native path
/// ends with the frames of greenlet's binary that began it, and evaluators are
/// counted from there.
///
/// A path costs what of it is new: the trace's node is known for each (frame of
/// the evaluator, Python frame in it), and each native node knows that of its
/// last path. Belongs to the recorder's thread.
class MixedStacks {
public:
  MixedStacks(SharedProcess &Shared, Catalog &Names, CodeFrames &Codes)
      : Shared(Shared), Names(Names), Codes(Codes) {}

  /// The trace's stack of the native path Native and the Python path Python,
  /// nodes of the shared table, 0 for none, and of the frame Leaf below them, 0
  /// for none. Node: the trace's node above Leaf. What is nonsense, and what is
  /// longer than any stack, is cut and counts as a bad record.
  uint32_t stack(uint32_t Native, uint32_t Python, uint32_t Leaf,
                 uint32_t &Node);

private:
  /// A frame of the path that is new, and where its node is noted.
  struct Step {
    uint32_t Frame;
    uint32_t Native, Python; ///< nodes
    bool OfPython;
  };
  struct PathNode {
    uint32_t Parent;
    uint32_t Frame;
    wire::CodeKind Kind;
    bool IsSwitch;
  };
  /// Of the last path that went through a native node: its Python part, and
  /// the trace's node.
  struct Last {
    uint32_t Python = 0;
    uint32_t Node = 0;
  };
  static constexpr size_t MaxSteps = 1 << 16;
  static constexpr uint32_t BelowGap = 1u << 31;

  bool read(uint32_t Id, PathNode &Out);
  uint32_t count(uint32_t Node, bool OfPython);
  uint32_t gather(uint32_t Native, uint32_t Python);
  bool takes(uint32_t Native, wire::CodeKind Kind, uint32_t Python,
             const PathNode &P, bool &IsLast);
  static uint64_t key(uint32_t Native, uint32_t Python) {
    return uint64_t(Native) << 32 | Python;
  }

  SharedProcess &Shared;
  Catalog &Names;
  CodeFrames &Codes;
  llvm::SmallVector<Step, 64> Steps; ///< innermost first
  llvm::SmallVector<uint32_t, 64> Frames;
  /// Of the evaluator's frames and gaps: the evaluator's frames on the path up
  /// to them, and BelowGap; of Python's frames: the runs up to them.
  SteadyMap Counts;
  SteadyMap Merged; ///< by key()
  ChunkedArray<Last, 10> Lasts;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_MIXEDSTACKS_H
