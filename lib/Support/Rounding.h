// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floating-point values as integers, where the values come from a trace.

#ifndef MEMKIT_LIB_SUPPORT_ROUNDING_H
#define MEMKIT_LIB_SUPPORT_ROUNDING_H

#include <cstdint>

namespace memkit {

/// The nearest integer, or the next lower one. A value outside of the integers
/// gives the first or last of them, and NaN gives 0: a cast would be undefined
/// for these.
inline uint64_t floorUnsigned(double Value) {
  constexpr double TwoTo64 = 0x1p64;
  if (!(Value > 0))
    return 0;
  return Value < TwoTo64 ? uint64_t(Value) : UINT64_MAX;
}
inline uint64_t nearestUnsigned(double Value) {
  return floorUnsigned(Value + 0.5);
}
inline int64_t nearestSigned(double Value) {
  constexpr double TwoTo63 = 0x1p63;
  if (!(Value > -TwoTo63))
    return Value < 0 ? INT64_MIN : 0;
  if (Value + 0.5 >= TwoTo63)
    return INT64_MAX;
  return int64_t(Value < 0 ? Value - 0.5 : Value + 0.5);
}

} // namespace memkit

#endif // MEMKIT_LIB_SUPPORT_ROUNDING_H
