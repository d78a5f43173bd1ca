// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A few of a run's steps, the same in each rank of a job.

#ifndef MEMKIT_MODEL_STEPSAMPLE_H
#define MEMKIT_MODEL_STEPSAMPLE_H

#include "memkit/Trace/Summary.h"
#include "llvm/ADT/ArrayRef.h"

namespace memkit {

/// The power of two that divides at most MaxSampledSteps of the steps up to
/// LastStep. So two ranks that differ in the number of their steps have common
/// steps.
inline constexpr size_t MaxSampledSteps = 256;
uint64_t stepStride(uint64_t LastStep);

/// By step: whether the sample has it. Of each process: the steps whose number
/// divides by stepStride(), the first and the last step, and the step with the
/// highest peak of each memory space. A sample of a sample has all of it.
std::vector<bool> sampleSteps(llvm::ArrayRef<StepStats> Steps);

} // namespace memkit

#endif // MEMKIT_MODEL_STEPSAMPLE_H
