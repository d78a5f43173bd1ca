// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts the operators of a process: calls, times and tensors.
//
// An operator is a scope that a framework reports: an operator of PyTorch, a
// node of autograd, a kernel of another framework. Operators of a thread nest.
// The total time of a call is the time from its begin to its end; the self time
// leaves out the operators inside of the call. In a call inside of another call
// of an operator of the same name, only the calls and the self time count: the
// outer call has the total time and the tensors.
//
// An operator with a formula counts floating point operations. In a call of
// another operator with a formula, which does the work through the inner call,
// it counts none.
//
// Tensors are counted for the operators that their thread runs. Nothing is
// measured at a begin, and an operator without tensors pays nothing for
// them: the innermost operator gets an entry at its first tensor, and its end
// adds the entry to the operator outside.

#ifndef MEMKIT_LIB_RECORD_OPERATORTABLE_H
#define MEMKIT_LIB_RECORD_OPERATORTABLE_H

#include "memkit/Trace/Summary.h"
#include "llvm/ADT/SmallVector.h"
#include <utility>
#include <vector>

namespace memkit {

/// Belongs to the recorder's thread. Times are ns and may fall: a call that
/// ends before its begin takes no time.
class OperatorTable {
public:
  /// A new row, from 1, for the operator of row Name; 0: for a new name. Flops:
  /// of each call; 0: there is no formula. Returns 0 if the table is full;
  /// calls of row 0 count only in the times of operators outside of them.
  uint32_t add(uint32_t Name = 0, uint64_t Flops = 0);

  /// The thread of the ring starts an operator inside of its open operators.
  void begin(uint32_t Ring, uint32_t Row, uint64_t TimeNs);
  /// The call of the innermost operator computes Flops, unless an open operator
  /// outside counts its own.
  void work(uint32_t Ring, uint64_t Flops);
  /// The innermost operator ends; the ring has one.
  void end(uint32_t Ring, uint64_t TimeNs);

  /// The thread has allocated, or frees, a tensor of a memory space. Live: the
  /// live bytes of the process's tensors there, with the new tensor.
  void allocated(uint32_t Ring, uint32_t Space, uint64_t Bytes, uint64_t Live);
  void freed(uint32_t Ring, uint32_t Space, uint64_t Bytes);

  /// Adds the time of device work that calls of the row launched. SelfNs: the
  /// part of calls without an operator inside.
  void addDevice(uint32_t Row, uint64_t TotalNs, uint64_t SelfNs) {
    OperatorRow &R = Rows[Row];
    R.HasChanged = true;
    R.DeviceNs += TotalNs;
    R.DeviceSelfNs += SelfNs;
  }
  /// The row of an open operator of the ring, counted from the outermost, and
  /// the first row with the name of a row.
  uint32_t openRow(uint32_t Ring, size_t Index) const {
    return Rings[Ring].Opens[Index].Row;
  }
  uint32_t nameRow(uint32_t Row) const { return Rows[Row].Name; }

  /// The floating point operations of the ring's ended operators.
  uint64_t flops(uint32_t Ring) const {
    return Ring < Rings.size() ? Rings[Ring].Flops : 0;
  }

  /// The stats of ended calls: all fields of a LayerStats but the names and
  /// shapes.
  LayerStats stats(uint32_t Row) const;
  /// Whether the row has changed since the last call.
  bool takeChanged(uint32_t Row) {
    return std::exchange(Rows[Row].HasChanged, false);
  }
  uint32_t numRows() const { return uint32_t(Rows.size()); } ///< with row 0

  static constexpr size_t MaxRows = 1 << 16;

private:
  struct OperatorRow {
    uint64_t Calls = 0, TotalNs = 0, SelfNs = 0;
    uint64_t DeviceNs = 0, DeviceSelfNs = 0;
    SpaceShares Shares;
    bool HasChanged = false;
    uint32_t Name = 0; ///< the first row of the name
    uint64_t FlopsOfCall = 0, Flops = 0;
  };
  struct OpenOperator {
    uint32_t Row;
    bool IsOuter;     ///< no open operator outside has the name
    bool CountsFlops; ///< and no open operator outside counts any
    uint64_t BeginNs;
    uint64_t InnerNs; ///< of the operators directly inside
    uint64_t Flops;   ///< of the call, if it has told; 0: of the row's formula
  };
  /// The tensors of an open operator in a memory space.
  struct OpenShare {
    SpaceShare Sums;
    int64_t Net = 0; ///< allocated - freed bytes so far
  };
  struct OpenTensors {
    size_t Depth; ///< of the operator, from 1
    llvm::SmallVector<OpenShare, 1> Shares;
  };
  struct RingOperators {
    llvm::SmallVector<OpenOperator, 8> Opens;
    llvm::SmallVector<OpenTensors, 2> Tensors; ///< by rising depth
    bool CountsFlops = false;                  ///< an open operator counts them
    uint64_t Flops = 0;
  };

  RingOperators &ring(uint32_t Ring);
  OpenShare *shareOf(uint32_t Ring, uint32_t Space);
  static OpenShare &shareOf(OpenTensors &Of, uint32_t Space);
  static void endTensors(RingOperators &Of, OperatorRow *To);
  static void add(const SpaceShare &From, SpaceShares &To);

  std::vector<OperatorRow> Rows{1};
  std::vector<RingOperators> Rings;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_OPERATORTABLE_H
