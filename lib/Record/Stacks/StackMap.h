// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a process's stacks to the trace's stacks.

#ifndef MEMKIT_LIB_RECORD_STACKMAP_H
#define MEMKIT_LIB_RECORD_STACKMAP_H

#include "Shared/SharedProcess.h"
#include "Stacks/CodeFrames.h"
#include "Stacks/MixedStacks.h"
#include "Support/ChunkedArray.h"
#include "llvm/ADT/DenseMap.h"

namespace memkit {

class Recording;

/// Maps each pair of a shared node and an allocation function to a row of the
/// stats, once. Belongs to the recorder's thread.
class StackMap {
public:
  StackMap(SharedProcess &Shared, Recording &R, uint32_t Process);

  LLVM_ATTRIBUTE_ALWAYS_INLINE void prefetch(uint32_t Node) const {
    if (const StackMapEntry *E = Entries.find(Node))
      __builtin_prefetch(E);
  }
  /// The row of a malloc block that Function allocated at Node; Node 0: no
  /// stack. An invalid value counts as a bad record; the valid part of the
  /// stack is used.
  uint32_t row(uint32_t Node, uint8_t Function) {
    bool IsMalloc = Function < uint8_t(wire::AllocFunction::PyMemMalloc);
    return rowOf(Node, IsMalloc ? Function : NoFunction);
  }
  /// As row(), for an object of an interpreter.
  uint32_t objectRow(uint32_t Node, uint8_t Function) {
    return rowOf(Node, wire::makesObjects(Function) ? Function : NoObject);
  }
  /// The trace's stack of a call of Function, in range, at Node.
  uint32_t stack(uint32_t Node, uint8_t Function);
  /// As stack(), for a call of CUDA's driver: without the frames of the driver,
  /// and of the libraries that listen to the driver.
  uint32_t driverStack(uint32_t Node, wire::CudaFunction Function);

  /// See CodeFrames.
  bool isDataWorker() const { return Codes.isDataWorker(); }

private:
  struct StackMapEntry {
    uint32_t Row = 0;
    uint32_t TraceNode = 0; ///< 0: not known yet
    uint8_t Function = 0;
  };
  /// Stand for invalid functions.
  static constexpr uint8_t NoFunction = 254, NoObject = 255;
  uint32_t rowOf(uint32_t Node, uint8_t Function) {
    const StackMapEntry *E = Entries.find(Node);
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
  ChunkedArray<StackMapEntry, 10> Entries;
  /// Nodes at which several functions allocate: node << 8 | function -> row.
  llvm::DenseMap<uint64_t, uint32_t> MoreRows;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_STACKMAP_H
