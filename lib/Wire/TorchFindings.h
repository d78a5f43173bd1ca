// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is recorded of PyTorch.

#ifndef MEMKIT_LIB_WIRE_TORCHFINDINGS_H
#define MEMKIT_LIB_WIRE_TORCHFINDINGS_H

#include "Findings.h"

namespace memkit::wire {

/// The recorded scopes of PyTorch.
enum class TorchState : uint32_t {
  None = 0,       ///< PyTorch has not been seen
  Observed = 1,   ///< all
  NoSequence = 2, ///< operators of autograd cannot be assigned to layers
  NoObserver = 3, ///< nothing: required symbols are missing
};

/// The shapes of operators' inputs in a process with PyTorch.
enum class ShapesState : uint32_t {
  None = 0, ///< not wanted, or PyTorch has not been seen
  Recorded = 1,
  UnknownLayout = 2, ///< not recorded: tensors do not look as expected
};

/// The data that PyTorch's allocator of CUDA devices reports, beside the sizes
/// of blocks.
enum class CudaState : uint32_t {
  None = 0,      ///< no such device has been seen
  Tracked = 1,   ///< requests, streams, segments
  NoTracker = 2, ///< nothing: the allocator has no trace tracker (before 2.2)
  UnknownVersion = 3, ///< nothing: the place to attach the tracker is not known
  OtherLayout = 4, ///< nothing: its structures differ from those of its version
  OtherAllocator = 5, ///< nothing: another allocator replaces it
  Pool = 6,           ///< cudaMallocAsync's: blocks are those of its calls
};

inline constexpr FindingText TorchTexts[] = {
    {uint32_t(TorchState::Observed), FindingLevel::Note,
     "PyTorch: its operators and layers are recorded"},
    {uint32_t(TorchState::NoSequence), FindingLevel::Warning,
     "PyTorch: layers of the backward pass are not recorded",
     "expected symbols are missing"},
    {uint32_t(TorchState::NoObserver), FindingLevel::Warning,
     "PyTorch: operators and layers are not recorded",
     "expected symbols are missing"},
};

inline constexpr FindingText ShapesTexts[] = {
    {uint32_t(ShapesState::Recorded), FindingLevel::Note,
     "PyTorch: the shapes of operators' inputs are recorded"},
    {uint32_t(ShapesState::UnknownLayout), FindingLevel::Alert,
     "PyTorch: the shapes of operators' inputs are not recorded",
     "memkit does not know this version"},
};

inline constexpr char NoSegmentsText[] =
    "PyTorch on CUDA: requests, streams and segments are not recorded";
inline constexpr FindingText TorchCudaTexts[] = {
    {uint32_t(CudaState::Tracked), FindingLevel::Note,
     "PyTorch on CUDA: requests, streams and segments are recorded"},
    {uint32_t(CudaState::Pool), FindingLevel::Alert,
     "PyTorch on CUDA: it uses cudaMallocAsync: tensors are that heap's "
     "blocks, reserved memory is unknown"},
    {uint32_t(CudaState::NoTracker), FindingLevel::Alert, NoSegmentsText,
     "its allocator does not report them"},
    {uint32_t(CudaState::UnknownVersion), FindingLevel::Alert, NoSegmentsText,
     "memkit does not know this version"},
    {uint32_t(CudaState::OtherLayout), FindingLevel::Alert, NoSegmentsText,
     "its allocator differs from its version's"},
    {uint32_t(CudaState::OtherAllocator), FindingLevel::Alert, NoSegmentsText,
     "its allocator was replaced by another"},
};

} // namespace memkit::wire

#endif // MEMKIT_LIB_WIRE_TORCHFINDINGS_H
