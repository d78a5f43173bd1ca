// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a killed recorder would lose, for the next Partial section.

#ifndef MEMKIT_LIB_RECORD_PARTIALLOG_H
#define MEMKIT_LIB_RECORD_PARTIALLOG_H

#include "Output/CategoryTable.h"
#include "memkit/Trace/Partial.h"
#include <map>
#include <vector>

namespace memkit {

/// Gathers the rows that have changed since the last Partial, and knows when
/// the next Partial is due: twice a second, after 128 s at intervals that
/// double with the length of the recording, and soon after an out-of-memory
/// event. Belongs to the recorder's thread.
class PartialLog {
public:
  /// What Partials may take of a file of FileBytes: 1 %, or 1 MiB if that is
  /// more; 1 % of the file's maximum if the file has one (MaxBytes, else 0).
  static uint64_t allowedBytes(uint64_t FileBytes, uint64_t MaxBytes);
  /// Bytes: of all Partials written. Allowed: allowedBytes().
  bool isDue(uint64_t NowNs, uint64_t Bytes, uint64_t Allowed) const;
  /// The interval between two Partials, NowNs after the recording's start.
  static uint64_t intervalNs(uint64_t NowNs);
  /// An out-of-memory event is not written yet.
  void hurry() { IsUrgent = true; }
  bool isUrgent() const { return IsUrgent; }

  /// Adds the process if a value has changed that events do not have.
  void add(const ProcessStats &P);
  void add(std::vector<LayerStats> Rows);
  void add(std::vector<DeviceTimeStats> Rows);
  /// Adds the rows that have changed. Rows: all parameters; rows are changed
  /// and added, and keep their places.
  void add(llvm::ArrayRef<ParameterStats> Rows);
  /// Adds the out-of-memory events that are not written yet.
  void add(const OomLog &Of);
  /// The rows added since the last call, in parts; none: nothing was added.
  std::vector<Partial> take(uint64_t NowNs);

private:
  Partial Next;
  std::map<uint32_t, ProcessStats> Known;      ///< by process, as last added
  std::vector<ParameterStats> KnownParameters; ///< as last added
  uint32_t LastOom = 0;
  uint64_t LastNs = 0;
  bool IsUrgent = false;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_PARTIALLOG_H
