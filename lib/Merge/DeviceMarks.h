// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The samples of devices that a merged summary keeps.

#ifndef MEMKIT_LIB_MERGE_DEVICEMARKS_H
#define MEMKIT_LIB_MERGE_DEVICEMARKS_H

#include "NameMerger.h"

namespace memkit {

/// Of each device of each trace, the samples with the most used bytes and with
/// the largest gap (Analysis/DeviceGaps.h). 100 bytes a sample.
class DeviceMarks {
public:
  explicit DeviceMarks(NameMerger &Names) : Names(Names) {}
  /// After Names.start(T, ShiftNs). Errors: of reading the marks.
  llvm::Error add(const Trace &T, uint64_t ShiftNs);
  /// Writes all samples.
  llvm::Error write(TraceWriter &Out);

private:
  NameMerger &Names;
  std::vector<Mark> All;
};

} // namespace memkit

#endif // MEMKIT_LIB_MERGE_DEVICEMARKS_H
