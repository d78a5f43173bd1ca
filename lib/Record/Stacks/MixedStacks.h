// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Merges native and Python frames into one path.

#ifndef MEMKIT_LIB_RECORD_MIXEDSTACKS_H
#define MEMKIT_LIB_RECORD_MIXEDSTACKS_H

#include "Shared/SharedProcess.h"
#include "Stacks/CodeFrames.h"
#include "Support/ChunkedArray.h"
#include "Trace/Catalog.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace memkit {

/// A map from 64-bit keys that grows in small steps, so that no step takes
/// long.
class SteadyMap {
public:
  /// 0: no such Key.
  uint32_t lookup(uint64_t Key) const { return Parts[part(Key)].lookup(Key); }
  uint32_t &get(uint64_t Key) { return Parts[part(Key)][Key]; }

private:
  static size_t part(uint64_t Key) {
    return (Key * 0x9E3779B97F4A7C15ull) >> (64 - Bits);
  }
  static constexpr unsigned Bits = 6;
  llvm::DenseMap<uint64_t, uint32_t> Parts[1u << Bits];
};

/// Merges a native path, and the Python path that runs in it, into one path of
/// the trace: the native frames, outermost first, with the n-th evaluator frame
/// replaced by the n-th run of Python frames. Additional runs take the place of
/// the last evaluator frame, or precede all native frames if there is none. If
/// the native path has a gap, additional runs take the place of the gap, and
/// the evaluator frames below the gap get the last runs. An evaluator frame
/// without a run stays.
///
/// Greenlets take turns on one native stack, each on top of the frames at its
/// start. The Python path belongs to the running greenlet. So the native path
/// is cut at the frames of greenlet's binary that started this greenlet, and
/// evaluator frames are counted from there.
///
/// A path costs only its new frames: the trace's node is kept for each pair of
/// an evaluator frame and a Python frame in it, and each native node keeps the
/// trace's node of its last path. Belongs to the recorder's thread.
class MixedStacks {
public:
  MixedStacks(SharedProcess &Shared, Catalog &Names, CodeFrames &Codes)
      : Shared(Shared), Names(Names), Codes(Codes) {}

  /// The trace's stack of the native path Native and the Python path Python,
  /// nodes of the shared table or 0, and of the frame Leaf below them, or 0.
  /// Sets Node to the trace's node above Leaf. Invalid nodes, and paths beyond
  /// MaxSteps, are cut and count as bad records.
  uint32_t stack(uint32_t Native, uint32_t Python, uint32_t Leaf,
                 uint32_t &Node);

private:
  /// A new frame of the path; its node in the trace is noted afterwards, unless
  /// other frames of the same node of Python follow inside.
  struct PathStep {
    uint32_t Frame;
    uint32_t Native, Python; ///< nodes
    bool OfPython, IsNoted;
  };
  struct PathNode {
    uint32_t Parent;
    uint32_t Frame;
    wire::CodeKind Kind;
    bool IsSwitch;
    llvm::ArrayRef<uint32_t> Computed; ///< see CodeFrames
  };
  /// The last path through a native node: its Python part, and the trace's
  /// node.
  struct Last {
    uint32_t Python = 0;
    uint32_t Node = 0;
  };
  static constexpr size_t MaxSteps = 1 << 16;
  static constexpr uint32_t BelowGap = 1u << 31;

  bool read(uint32_t Id, PathNode &Out);
  void addPython(const PathNode &P, uint32_t Native, uint32_t Python);
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
  llvm::SmallVector<PathStep, 64> Steps; ///< innermost first
  llvm::SmallVector<uint32_t, 64> Frames;
  /// For evaluator frames and gaps: the number of evaluator frames on the path
  /// up to them, and BelowGap. For Python frames: the number of runs up to
  /// them.
  SteadyMap Counts;
  SteadyMap Merged; ///< by key()
  ChunkedArray<Last, 10> Lasts;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_MIXEDSTACKS_H
