// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The blocks of the host's allocators, as a source.

#include "HeapSource.h"

#include "AllocatorBinding.h"
#include "Runtime/Process.h"
#include "Sampling.h"

using namespace memkit;
using namespace memkit::capture;

constinit const Source capture::HeapSource = {
    .State = &Sampling,
    .StateBytes = sizeof(Sampling),
    .Connect = [](int, const wire::Regions &,
                  wire::Control &C) { return connectSampling(C.Settings); },
    .Connected =
        [] {
          if (!Kept.IsLate)
            bindAllocators();
        },
    .FoundBinary =
        [](const void *LinkMap) {
          bindAllocatorsOf(static_cast<const link_map *>(LinkMap));
        },
    .Bound = bindAllocatorsLate,
    .Leave = unbindAllocators};
