// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One value for each stack.

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
/// As it is shown: `peak`, `live at end`, ...
llvm::StringRef metricName(Metric M);
/// As it is written: `peak`, `count`, ...
llvm::StringRef metricWord(Metric M);

struct KeyValue {
  uint32_t Key = 0; ///< a stack or scope path, as the sums are of
  uint64_t Value = 0;
};

/// What a profile draws: values by stack or scope path. One may stand in it
/// several times (once a process); its value is the sum.
struct Profile {
  /// Of estimates it ends in their standard error: ` ±12 MiB`.
  std::string Name;
  Metric M = Metric::Peak;
  std::vector<KeyValue> Values; ///< none is 0
  uint64_t Total = 0;
};

/// The selection as one profile. Without chosen heaps it is the memory space
/// Space (none: all of them), a byte counted once: Peak sums to the memory
/// space's peak. With chosen heaps it is their outer view, each at its own
/// peak. KeyOf: gives a value's key in place of its row's.
using RowKey = std::function<uint32_t(const StackStats &)>;
Profile makeProfile(const SelectedStats &S, Metric M, const RowKey &KeyOf = {},
                    std::optional<uint32_t> Space = 0);

/// The memory spaces of which the selection has anything, in their order.
std::vector<uint32_t> spacesOf(const SelectedStats &S);

/// A profile for each heap of the selection and each metric in Metrics, ordered
/// by heap, each the heap's outer view. When several heaps count in the memory
/// space `host` and none was chosen, the memory space's own profiles stand
/// first. Profiles that are all zero are left out.
std::vector<Profile> makeHeapProfiles(const SelectedStats &S,
                                      llvm::ArrayRef<Metric> Metrics,
                                      const RowKey &KeyOf = {});

/// What shrank and what grew, of a trace of differences (isDiff()), whose
/// selection has the heaps of both.
std::pair<Profile, Profile> makeDiffProfiles(const SelectedStats &S, Metric M);
/// Whether memdiff wrote the trace: heaps `H.less` and `H.more`.
bool isDiff(const Trace &T);

} // namespace memkit

#endif // MEMKIT_MODEL_PROFILE_H
