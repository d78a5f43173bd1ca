// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What this machine is.

#ifndef MEMKIT_LIB_RECORD_SHARED_MACHINEFACTS_H
#define MEMKIT_LIB_RECORD_SHARED_MACHINEFACTS_H

#include <string>
#include <vector>

namespace memkit {

/// Facts `name=value` that a reader of a trace may need and that events do not
/// have: system, glibc, cpu, memory and swap (bytes), memory-limit (of the
/// control group; bytes), container, driver, gpu (one each), variables (names
/// of variables that are set and change how memory is allocated; their values
/// may be secrets). What is not known is left out. Reads some files of /proc,
/// /sys and /etc; takes less than a millisecond.
std::vector<std::string> machineFacts();

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_SHARED_MACHINEFACTS_H
