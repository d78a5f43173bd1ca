// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The metrics of conditions that samples tell.

#ifndef MEMKIT_LIB_STATS_MARKMETRICS_H
#define MEMKIT_LIB_STATS_MARKMETRICS_H

#include "Support/Condition.h"
#include "memkit/Trace/Marks.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <map>
#include <optional>

namespace memkit {

/// A value that a mark told: of a memory space, of a heap, or of the run (the
/// memory space 0).
struct MarkMetric {
  ConditionMetric Metric = ConditionMetric::Lost;
  bool IsSpace = true;
  uint32_t Id = 0;  ///< of the heap or memory space
  double Value = 0; ///< as MetricValue::Value
};

/// The metrics that MarkMetrics reads, besides Lost, with the forms of their
/// conditions for alerts and for gates on a trace.
llvm::ArrayRef<MetricForms> sampledMetrics();

/// Reads sampledMetrics() and Lost from marks, for conditions of a recording
/// and of a trace alike. One owner at a time; no errors.
class MarkMetrics {
public:
  using MetricSink = llvm::function_ref<void(const MarkMetric &)>;

  /// A heap lies in a memory space; to be told before its first mark.
  void addHeap(uint32_t Heap, uint32_t Space) { SpaceOf[Heap] = Space; }
  /// Calls Tell for each value of M. Marks come in order of time. LiveOf: the
  /// live bytes of a heap at M.
  void see(const Mark &M, llvm::function_ref<uint64_t(uint32_t Heap)> LiveOf,
           MetricSink Tell);
  /// The bytes of the device of a memory space; none: not known yet.
  std::optional<uint64_t> totalOf(uint32_t Space) const;
  uint32_t spaceOf(uint32_t Heap) const;

private:
  void seeReserved(const Mark &M, uint64_t Live, MetricSink Tell);
  void seeDevice(const Mark &M, MetricSink Tell);

  std::map<uint32_t, uint64_t> Resident;   ///< by process
  std::map<uint32_t, uint64_t> Swapped;    ///< by process
  std::map<uint32_t, uint64_t> TotalOf;    ///< of devices, by memory space
  std::map<uint32_t, uint64_t> ReservedOf; ///< by heap
  std::map<uint32_t, uint32_t> SpaceOf;    ///< by heap
  uint64_t Lost = 0, Ooms = 0;
};

} // namespace memkit

#endif // MEMKIT_LIB_STATS_MARKMETRICS_H
