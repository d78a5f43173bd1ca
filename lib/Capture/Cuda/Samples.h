//===- Samples.h - What a device says is in use -----------------*- C++ -*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MEMKIT_CAPTURE_CUDA_SAMPLES_H
#define MEMKIT_CAPTURE_CUDA_SAMPLES_H

#include "Cuda/Contexts.h"

namespace memkit::capture::cuda {

/// Looks how much of the device of \p P is in use, at most ten times a second
/// and device. The context of \p P is the thread's, and it captures no graph.
void sampleDevice(const ContextPlace &P);
/// Whether that is to come.
bool isSampleDue(const ContextPlace &P);

/// The same before modules are loaded or go, at most so often as the clock
/// below changes. False: it was not looked at.
bool sampleBeforeModules(const ContextPlace &P);
/// And after it, when it was looked at before.
void sampleAfterModules(const ContextPlace &P);
/// Modules came or went, and nobody looked: the next look is for them, too.
void noteModules(const ContextPlace &P);

/// In whole milliseconds or so: cheap, and no system call.
uint64_t coarseNs();

} // namespace memkit::capture::cuda

#endif // MEMKIT_CAPTURE_CUDA_SAMPLES_H
