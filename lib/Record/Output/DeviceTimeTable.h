// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sums of device work of all processes.

#ifndef MEMKIT_LIB_RECORD_DEVICETIMETABLE_H
#define MEMKIT_LIB_RECORD_DEVICETIMETABLE_H

#include "memkit/Trace/DeviceTimes.h"
#include "llvm/ADT/DenseMap.h"
#include <cstddef>
#include <utility>
#include <vector>

namespace memkit {

/// Belongs to the recorder's thread.
class DeviceTimeTable {
public:
  /// Adds one piece of work, with Calls 1, to the row of its names. When the
  /// table is full, work with new names joins a row without stack and scope
  /// path, and when that is new, too, one without name, graph and stream.
  void add(const DeviceTimeStats &One);
  const std::vector<DeviceTimeStats> &rows() const { return Rows; }
  /// The rows that have changed since the last call.
  std::vector<DeviceTimeStats> takeChanged();

  static constexpr size_t MaxRows = 1 << 16;

private:
  using WordPair = std::pair<uint64_t, uint64_t>;
  static std::pair<WordPair, WordPair> keyOf(const DeviceTimeStats &S);
  size_t rowOf(DeviceTimeStats S);

  std::vector<DeviceTimeStats> Rows;
  std::vector<bool> HasChanged; ///< by row, since takeChanged()
  llvm::DenseMap<std::pair<WordPair, WordPair>, size_t> Places;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_DEVICETIMETABLE_H
