// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of devices that a program reports: `npu:0`.

#ifndef MEMKIT_CAPTURE_REPORTED_DEVICENAME_H
#define MEMKIT_CAPTURE_REPORTED_DEVICENAME_H

#include <cstddef>
#include <cstring>

namespace memkit::capture {

inline constexpr size_t MaxDeviceName = 63;

/// `host`, `cpu` and `cpu:N` are no devices.
inline bool isHostName(const char *Name, size_t Size) {
  return (Size == 4 && memcmp(Name, "host", 4) == 0) ||
         (Size >= 3 && memcmp(Name, "cpu", 3) == 0 &&
          (Size == 3 || Name[3] == ':'));
}

/// Letters, digits, `:`, `_` and `-`, as the names of heaps and conditions
/// have them; a dot would end the device in the name of a heap. Not the host.
inline bool isDeviceName(const char *Name, size_t Size) {
  if (!Size || Size > MaxDeviceName || isHostName(Name, Size))
    return false;
  for (size_t I = 0; I != Size; ++I) {
    char C = Name[I], Low = char(C | 32);
    if (!(Low >= 'a' && Low <= 'z') && !(C >= '0' && C <= '9') && C != ':' &&
        C != '_' && C != '-')
      return false;
  }
  return true;
}

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_REPORTED_DEVICENAME_H
