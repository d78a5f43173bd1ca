// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that may be unknown.

#ifndef MEMKIT_LIB_TABLES_VALUES_H
#define MEMKIT_LIB_TABLES_VALUES_H

#include "memkit/Model/Trace.h"
#include <algorithm>
#include <optional>

namespace memkit {

using MaybeNumber = std::optional<uint64_t>;

inline MaybeNumber ifAny(uint64_t Value) {
  return Value ? MaybeNumber(Value) : std::nullopt;
}
inline MaybeNumber ifKnown(bool IsKnown, uint64_t Value) {
  return IsKnown ? MaybeNumber(Value) : std::nullopt;
}
/// The mean size of allocations.
inline MaybeNumber meanBytes(uint64_t Bytes, uint64_t Allocations) {
  return Allocations ? MaybeNumber(Bytes / Allocations) : std::nullopt;
}
/// A rank, an exit status: below 0 unknown.
inline MaybeNumber numberOf(int32_t Value) {
  return ifKnown(Value >= 0, uint64_t(std::max(Value, 0)));
}
/// The system's id of a process; 0 for none.
inline uint32_t pidOf(const Trace &T, uint32_t Process) {
  return Process ? T.processes()[Process - 1].Pid : 0;
}
inline MaybeNumber rankOfProcess(const Trace &T, uint32_t Process) {
  return Process ? numberOf(T.processes()[Process - 1].Place.Rank)
                 : std::nullopt;
}

} // namespace memkit

#endif // MEMKIT_LIB_TABLES_VALUES_H
