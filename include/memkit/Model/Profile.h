// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Profiles: one value for each stack.

#ifndef MEMKIT_MODEL_PROFILE_H
#define MEMKIT_MODEL_PROFILE_H

#include "memkit/Model/SelectedStats.h"
#include <functional>
#include <optional>

namespace memkit {

enum class Metric {
  Peak,      ///< bytes live at the peak of the memory space or heap
  Live,      ///< bytes live at the end of their process
  Allocated, ///< bytes allocated over all time
  Count,     ///< allocations
  Temporary, ///< allocations freed by their thread before it allocated again
  Leaked,    ///< as Live, without processes that exec replaced
};
bool isInBytes(Metric M);
/// The name for display: `peak`, `live at end`, ...
llvm::StringRef metricName(Metric M);
/// The name in options: `peak`, `count`, ...
llvm::StringRef metricWord(Metric M);

struct KeyValue {
  uint32_t Key = 0; ///< a stack or scope path, as in the stats
  uint64_t Value = 0;
};

/// Values by stack or scope path. A key may occur several times (once a
/// process); its value is the sum.
struct Profile {
  /// The name of a profile of estimates ends in the standard error: ` ±12 MiB`.
  std::string Name;
  Metric M = Metric::Peak;
  std::vector<KeyValue> Values; ///< none is 0
  uint64_t Total = 0;
};

/// Makes one profile of the selection. Without chosen heaps the profile covers
/// the memory space Space (none: all of them) and counts each byte once; Peak
/// sums to the memory space's peak. With chosen heaps the profile is their
/// outer view, each heap at its own peak. KeyOf: replaces the key of a row.
using RowKey = std::function<uint32_t(const StackStats &)>;
Profile makeProfile(const SelectedStats &S, Metric M, const RowKey &KeyOf = {},
                    std::optional<uint32_t> Space = 0);

/// The memory spaces of the selection with any value, in order.
std::vector<uint32_t> spacesOf(const SelectedStats &S);

/// makeProfile() for each memory space, in one pass over the rows; profiles
/// without values stay.
std::vector<Profile> makeSpaceProfiles(const SelectedStats &S, Metric M,
                                       const RowKey &KeyOf = {});

/// Makes a profile for each selected heap and each metric in Metrics, ordered
/// by heap, each in the heap's outer view. If several heaps count in the memory
/// space `host` and no heap was chosen, the memory space's own profiles come
/// first. Profiles without values are left out.
std::vector<Profile> makeHeapProfiles(const SelectedStats &S,
                                      llvm::ArrayRef<Metric> Metrics,
                                      const RowKey &KeyOf = {});

/// The shrinkage and the growth in a trace of differences (isDiff()). The
/// selection must have the heaps of both. Space: of this memory space alone.
std::pair<Profile, Profile>
makeDiffProfiles(const SelectedStats &S, Metric M,
                 std::optional<uint32_t> Space = std::nullopt);
/// Whether memdiff wrote the trace: heaps `H.less` and `H.more`.
bool isDiff(const Trace &T);

} // namespace memkit

#endif // MEMKIT_MODEL_PROFILE_H
