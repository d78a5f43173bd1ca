// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sources of this library.

#include "Cuda/LateCuda.h"
#include "Detours/Detours.h"
#include "HiddenNames.h"
#include "Host/HeapSource.h"
#include "Jax/JaxHooks.h"
#include "Jax/PjrtTable.h"
#include "Nccl/Communicators.h"
#include "Nvtx/Ranges.h"
#include "Python/Interpreter.h"
#include "Reported/Collectors.h"
#include "Runtime/Source.h"
#include "Stacks/State.h"
#include "TensorFlow/TensorFlowHooks.h"
#include "Torch/TorchHooks.h"

using namespace memkit;
using namespace memkit::capture;

/// Each source may use the state of the sources before it.
constinit const Source *const capture::Sources[] = {
    &StackSource,     &PythonSource,     &TorchSource,
    &BackwardSource,  &TensorFlowSource, &TensorFlowDeviceSource,
    &JaxSource,       &PjrtSource,       &nvtx::RangeSource,
    &HeapSource,      &DetourSource,     &WeakReferences,
    &CollectorSource, &cuda::LateSource, &NcclSource,
    nullptr};
