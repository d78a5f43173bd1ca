// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whose a ring is.

#ifndef MEMKIT_LIB_RECORD_RINGOFPROCESS_H
#define MEMKIT_LIB_RECORD_RINGOFPROCESS_H

#include <cstdint>

namespace memkit {

class ProcessState;

/// A ring and its process.
struct RingOfProcess {
  ProcessState *Process = nullptr;
  uint32_t Ring = 0;
  uint32_t Id = 0; ///< of the process
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_RINGOFPROCESS_H
