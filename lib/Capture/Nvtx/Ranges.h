// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranges and marks of NVTX.
//
// A thread's pushed ranges are scopes. NVTX has one stack of ranges for each
// domain, the recorder has one for the thread. A range popped below an open
// range of another domain ends together with the upper range.

#ifndef MEMKIT_CAPTURE_NVTX_RANGES_H
#define MEMKIT_CAPTURE_NVTX_RANGES_H

#include "Nvtx/Abi.h"
#include "Runtime/Source.h"

namespace memkit::capture::nvtx {

struct RegisteredName;

struct OpenRange {
  uint64_t Number; ///< of its scope; 0: not recorded
  const RegisteredName *Domain;
  int Level; ///< in its domain, from 0
  bool Popped;
};

/// The ranges of a thread.
struct RangeState {
  OpenRange *Ranges; ///< null: no memory
  uint32_t Count;
  uint32_t Beyond; ///< the number of open ranges beyond MaxRanges
};

extern const Source RangeSource;

/// Write the functions of ranges and marks to a binary's tables.
void fillCore(NvtxFunction **Table, unsigned Size);
void fillCore2(NvtxFunction **Table, unsigned Size);

} // namespace memkit::capture::nvtx

#endif // MEMKIT_CAPTURE_NVTX_RANGES_H
