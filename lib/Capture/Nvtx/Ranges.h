// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranges and marks of NVTX.
//
// A thread's pushed ranges are scopes. NVTX has a stack of them for each
// domain, the recorder one: a range that is popped while one of another domain
// that was pushed after it is open ends with that one.

#ifndef MEMKIT_CAPTURE_NVTX_RANGES_H
#define MEMKIT_CAPTURE_NVTX_RANGES_H

#include "Nvtx/Abi.h"
#include "Runtime/Source.h"

namespace memkit::capture::nvtx {

struct Name;

struct OpenRange {
  uint64_t Number; ///< of its scope; 0: it was not recorded
  const Name *Domain;
  int Level; ///< in its domain, from 0
  bool Popped;
};

/// What a thread knows of its ranges.
struct RangeState {
  OpenRange *Ranges; ///< null: there is no memory for them
  uint32_t Count;
  uint32_t Beyond; ///< those that there was no place for
};

extern const Source RangeSource;

/// Writes the functions of ranges and marks to a module's tables.
void fillCore(Function **Table, unsigned Size);
void fillCore2(Function **Table, unsigned Size);

} // namespace memkit::capture::nvtx

#endif // MEMKIT_CAPTURE_NVTX_RANGES_H
