// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a process's stacks to the trace's.

#ifndef MEMKIT_LIB_RECORD_STACKMAP_H
#define MEMKIT_LIB_RECORD_STACKMAP_H

#include "Shared/ChunkedArray.h"
#include "Shared/SharedProcess.h"
#include "Stacks/CodeFrames.h"
#include "Stacks/MixedStacks.h"
#include "llvm/ADT/DenseMap.h"

namespace memkit {

class Recording;

/// Turns (node of the shared table, function called) into a row of the sums,
/// each once. Belongs to the recorder's thread.
class StackMap {
public:
  StackMap(SharedProcess &Shared, Recording &R, uint32_t Process);

  LLVM_ATTRIBUTE_ALWAYS_INLINE void prefetch(uint32_t Node) const {
    if (const Entry *E = Entries.find(Node))
      __builtin_prefetch(E);
  }
  /// The row of a block of malloc that Function allocated at Node, 0 for none.
  /// What is nonsense counts as a bad record and as the nearest thing that is
  /// none.
  uint32_t row(uint32_t Node, uint8_t Function) {
    bool IsMalloc = Function < uint8_t(wire::AllocFunction::PyMemMalloc);
    return rowOf(Node, IsMalloc ? Function : NoFunction);
  }
  /// The same of an object of an interpreter.
  uint32_t objectRow(uint32_t Node, uint8_t Function) {
    return rowOf(Node, wire::makesObjects(Function) ? Function : NoObject);
  }
  /// The trace's stack of a call of Function, in range, at Node.
  uint32_t stack(uint32_t Node, uint8_t Function);
  /// The same of a call of CUDA's driver: without what is in it, and in what
  /// listens to it.
  uint32_t driverStack(uint32_t Node, wire::CudaFunction Function);

  /// See CodeFrames.
  bool isDataWorker() const { return Codes.isDataWorker(); }

private:
  struct Entry {
    uint32_t Row = 0;
    uint32_t TraceNode = 0; ///< 0: not known yet
    uint8_t Function = 0;
  };
  /// Functions that are none.
  static constexpr uint8_t NoFunction = 254, NoObject = 255;
  uint32_t rowOf(uint32_t Node, uint8_t Function) {
    const Entry *E = Entries.find(Node);
    if (__builtin_expect(E && E->Row && E->Function == Function, 1))
      return E->Row;
    return findRow(Node, Function);
  }
  uint32_t findRow(uint32_t Node, uint8_t Function);
  uint32_t makeRow(uint32_t Node, uint8_t Function);
  uint32_t outOfDriver(uint32_t Node);
  SharedProcess &Shared;
  Recording &R;
  uint32_t Process;
  CodeFrames Codes;
  MixedStacks Mixed;
  ChunkedArray<Entry, 10> Entries;
  /// Nodes at which several functions allocate: node << 8 | function -> row.
  llvm::DenseMap<uint64_t, uint32_t> MoreRows;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_STACKMAP_H
