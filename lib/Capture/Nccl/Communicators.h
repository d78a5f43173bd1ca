// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory of NCCL, as a source.

#ifndef MEMKIT_CAPTURE_NCCL_COMMUNICATORS_H
#define MEMKIT_CAPTURE_NCCL_COMMUNICATORS_H

#include "Runtime/Source.h"

namespace memkit::capture {

/// Names what CUDA's driver gives to NCCL after its communicators. Those of
/// before memrec attached have no number.
extern const Source NcclSource;

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_NCCL_COMMUNICATORS_H
