// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stats that events cannot give, for traces without a summary.
//
// A recorder may write Partial sections while recording, as described in
// docs/TraceFormat.md; after a killed recorder, the trace still has these
// sections. For such a trace, a reader computes stats from the events and adds
// the rows of the Partial sections, which have the types of Summary.h. In a
// trace with a summary, Partial sections add nothing.

#ifndef MEMKIT_TRACE_PARTIAL_H
#define MEMKIT_TRACE_PARTIAL_H

#include "memkit/Trace/Summary.h"

namespace memkit {

/// The rows that are new or changed since the previous Partial; values count
/// since the start of the recording. A row replaces the earlier row with equal
/// keys. The keys are: the process; process, name, direction, kind and shapes
/// of a layer; process, layer, dtype and buffer of parameters; process, device,
/// stream, kind, name, graph, stack and scope path of a device time; heap,
/// process, category, oom, layer and stack of a category; the number of an oom;
/// oom and heap of an oom's heap. A set of sections has one Number, and
/// Complete in its last section; incomplete sets do not count.
struct Partial {
  uint32_t Number = 0;
  uint64_t EndNs = 0; ///< rows include everything before EndNs
  bool Complete = true;
  std::vector<ProcessStats> Processes;
  std::vector<LayerStats> Layers;
  /// A row without blocks and bytes removes the earlier row.
  std::vector<CategoryStats> Categories;
  std::vector<OomRecord> Ooms;
  std::vector<OomHeap> OomHeaps;
  /// A row without tensors removes the earlier row.
  std::vector<ParameterStats> Parameters;
  std::vector<DeviceTimeStats> DeviceTimes;
  bool operator==(const Partial &) const = default;
};

} // namespace memkit

#endif // MEMKIT_TRACE_PARTIAL_H
