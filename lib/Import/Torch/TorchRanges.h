// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stats of the ranges of a PyTorch snapshot.

#ifndef MEMKIT_LIB_IMPORT_TORCHRANGES_H
#define MEMKIT_LIB_IMPORT_TORCHRANGES_H

#include "Import/Build/TraceBuilder.h"
#include <map>
#include <string>

namespace memkit {

/// The stats of all ranges of a name, while they ran.
struct TorchRangeStats {
  uint64_t Calls = 0, DurationNs = 0;
  uint64_t Allocations = 0, Frees = 0, AllocatedBytes = 0, FreedBytes = 0;
  uint64_t PeakBytes = 0, ReservedPeakBytes = 0;
};

/// By name. Names beyond MaxNames that differ in digits alone share a row.
class TorchRangeTable {
public:
  TorchRangeStats &row(llvm::StringRef Name);
  void addTo(TraceBuilder &To, uint32_t Process) const;
  /// A number for the marks of a range.
  uint64_t newNumber() { return ++LastNumber; }

private:
  static constexpr size_t MaxNames = 1024, MaxRows = 4096;
  std::map<std::string, TorchRangeStats> Rows;
  uint64_t LastNumber = 0;
};

} // namespace memkit

#endif // MEMKIT_LIB_IMPORT_TORCHRANGES_H
