// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The blocks of the host's allocators, as a source.

#ifndef MEMKIT_CAPTURE_HOST_HEAPSOURCE_H
#define MEMKIT_CAPTURE_HOST_HEAPSOURCE_H

#include "Runtime/Source.h"

namespace memkit::capture {

extern const Source HeapSource;

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_HOST_HEAPSOURCE_H
