// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The devices of this machine now, for people.

#ifndef MEMKIT_LIB_RECORD_DEVICELIST_H
#define MEMKIT_LIB_RECORD_DEVICELIST_H

#include <string>
#include <vector>

namespace memkit {

/// `GPU 0: NVIDIA H200, capability 9.0, 140 GiB, 12 GiB used, 128 GiB free`, a
/// line each, then `driver: 550.54, CUDA 12.4`, as NVML tells; what NVML does
/// not tell is left out. Empty: no NVML.
std::vector<std::string> deviceLines();

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_DEVICELIST_H
