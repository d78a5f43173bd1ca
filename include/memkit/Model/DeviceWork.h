// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Questions to a trace about the work of devices: kernels, copies, memsets and
// graphs.

#ifndef MEMKIT_MODEL_DEVICEWORK_H
#define MEMKIT_MODEL_DEVICEWORK_H

#include "memkit/Model/SelectedStats.h"
#include <string>

namespace memkit {

/// What rows are joined by, over processes; each row is of one device.
enum class WorkBy : uint8_t {
  Kernel, ///< kind, kernel and graph
  Line,   ///< the line of the user's own code that launched (Places.h)
  Stream, ///< process and stream
  Each,   ///< nothing: the trace's rows
};

/// The sums of some work.
struct DeviceWorkRow {
  DeviceTimeStats Sums; ///< ids of joined rows that differ are those of one
  std::string Name;     ///< as workName(); of Line the line, of Stream a stream
  std::string Line;     ///< of the launch; empty: not known
  llvm::StringRef Operator, Layer; ///< the innermost at the launch, or empty
};

/// `void scale<float>(float*, int)`, `graph 3`, `copy to device`, `memset`.
/// Name: a kernel as compiled.
std::string workName(WorkKind Kind, llvm::StringRef Name, uint32_t Graph);

/// `3 pieces of work of devices are missing: ...`, of LossKind::DeviceWork.
std::string lostWorkSentence(uint64_t Count);
/// What timelines lack, of LossKind::DeviceSpans.
std::string cutSpansSentence(uint64_t Count);

/// The work of the selected processes, the longest first. Reads TP_All.
std::vector<DeviceWorkRow> queryDeviceWork(const SelectedStats &S, WorkBy By);

/// The time of all work of the trace on one device.
struct DeviceBusy {
  uint32_t Space = 0;
  uint64_t Calls = 0;
  uint64_t KernelNs = 0, CopyNs = 0, GraphNs = 0; ///< copies and memsets
  uint64_t Untied = 0; ///< calls whose launch is not known
};
/// By rising memory space; empty: no device time. Reads TP_Totals.
std::vector<DeviceBusy> queryDeviceBusy(const Trace &T);

} // namespace memkit

#endif // MEMKIT_MODEL_DEVICEWORK_H
