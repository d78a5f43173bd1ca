// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a process's stacks to the trace's stacks.

#ifndef MEMKIT_LIB_RECORD_STACKMAP_H
#define MEMKIT_LIB_RECORD_STACKMAP_H

#include "Shared/SharedProcess.h"
#include "Stacks/CodeFrames.h"
#include "Stacks/MixedStacks.h"
#include "Support/ChunkedArray.h"

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
  uint32_t stack(uint32_t Node, uint8_t Function) {
    return stackAt(Node, Function, /*KeepsNode=*/true);
  }
  /// As stack(), for a call of CUDA's driver: without the frames of the driver,
  /// and of the libraries that listen to the driver.
  uint32_t driverStack(uint32_t Node, wire::CudaFunction Function);

  /// What generated files compute, as the program says.
  GeneratedLines &generated() { return Codes.generated(); }
  /// The text of the layers that the innermost generated line of Node's Python
  /// frames computes; 0: none.
  uint32_t layersAt(uint32_t Node) {
    return LLVM_LIKELY(Codes.generated().isEmpty()) ? 0 : findLayers(Node);
  }

  /// See CodeFrames.
  bool isDataWorker() const { return Codes.isDataWorker(); }

private:
  /// What is known of a node: nothing, the node of the trace, or a function and
  /// its row. A node with both, which is rare, has its row here, as has the
  /// first function of several.
  class StackMapEntry {
  public:
    StackMapEntry() = default;
    static StackMapEntry ofNode(uint32_t TraceNode) {
      return IsNode | TraceNode;
    }
    static StackMapEntry ofRow(uint8_t Function, uint32_t Row) {
      return uint32_t(Function) << RowBits | Row;
    }
    /// Whether an entry can hold the value; a trace of this size takes
    /// gigabytes of the recorder's memory.
    static bool canHoldNode(uint32_t TraceNode) { return TraceNode < IsNode; }
    static bool canHoldRow(uint32_t Row) { return Row < 1u << RowBits; }

    /// The node of the trace, or 0.
    uint32_t node() const { return Value & IsNode ? Value & ~IsNode : 0; }
    bool hasRow() const { return Value - 1 < IsNode - 1; }
    bool isEmpty() const { return !Value; }
    /// Whether the row is of Function, at most NoObject.
    bool isOf(uint8_t Function) const {
      return Value >> RowBits == Function && Value;
    }
    uint32_t row() const { return Value & ((1u << RowBits) - 1); }

  private:
    StackMapEntry(uint32_t Value) : Value(Value) {}
    static constexpr unsigned RowBits = 26;
    static constexpr uint32_t IsNode = 1u << 31;
    uint32_t Value = 0;
  };
  /// Stand for invalid functions.
  static constexpr uint8_t NoFunction = 254, NoObject = 255;
  uint32_t rowOf(uint32_t Node, uint8_t Function) {
    const StackMapEntry *E = Entries.find(Node);
    if (__builtin_expect(E && E->isOf(Function), 1))
      return E->row();
    return findRow(Node, Function);
  }
  uint32_t findRow(uint32_t Node, uint8_t Function);
  uint32_t makeRow(uint32_t Node, uint8_t Function);
  uint32_t stackAt(uint32_t Node, uint8_t Function, bool KeepsNode);
  uint32_t nodeOf(uint32_t Node) const;
  void setNode(uint32_t Node, uint32_t TraceNode);
  uint32_t outOfDriver(uint32_t Node);
  uint32_t findLayers(uint32_t Node);
  SharedProcess &Shared;
  Recording &R;
  uint32_t Process;
  CodeFrames Codes;
  MixedStacks Mixed;
  ChunkedArray<StackMapEntry, 10> Entries;
  /// The rows that Entries does not have, by node << 8 | function.
  SteadyMap MoreRows;
  /// The nodes of the trace that Entries does not have, by node.
  SteadyMap MoreNodes;
  llvm::DenseMap<uint32_t, uint32_t> Layers; ///< by node of Python
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_STACKMAP_H
