// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sources with findings, in the order in which they are said.

#ifndef MEMKIT_LIB_WIRE_FINDINGSOURCES_H
#define MEMKIT_LIB_WIRE_FINDINGSOURCES_H

#include "CudaFindings.h"
#include "CudaTimeFindings.h"
#include "JaxFindings.h"
#include "PythonFindings.h"
#include "SandboxFindings.h"
#include "TensorFlowFindings.h"
#include "TorchFindings.h"

namespace memkit::wire {

/// In the order of the texts below.
enum FindingSource : uint32_t {
  FS_Cuda, ///< its driver
  FS_CudaTime,
  FS_TorchCuda,
  FS_TorchShapes,
  FS_Torch,
  FS_Jax,
  FS_TensorFlow,
  FS_PythonObjects,
  FS_Python,
  FS_Sandbox,
};

inline constexpr FindingTexts AllFindingTexts[] = {
    findingTexts(CudaTexts, FindingRepeat::OfRun),
    findingTexts(CudaTimeTexts, FindingRepeat::OfRun),
    findingTexts(TorchCudaTexts, FindingRepeat::OfRun),
    findingTexts(ShapesTexts, FindingRepeat::OfRun),
    findingTexts(TorchTexts, FindingRepeat::OfRun),
    findingTexts(JaxTexts, FindingRepeat::OfRun),
    findingTexts(TensorFlowTexts, FindingRepeat::OfBit, "tensorflow"),
    findingTexts(ObjectTexts, FindingRepeat::OfVersion),
    findingTexts(PythonTexts, FindingRepeat::OfVersion),
    findingTexts(SandboxTexts, FindingRepeat::OfProcess),
};
inline constexpr uint32_t NumFindingSources =
    sizeof(AllFindingTexts) / sizeof(AllFindingTexts[0]);

} // namespace memkit::wire

#endif // MEMKIT_LIB_WIRE_FINDINGSOURCES_H
