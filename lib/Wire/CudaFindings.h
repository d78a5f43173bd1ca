// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How CUDA's driver is recorded. The argument is CUPTI's error, or the number
// of calls that CUPTI does not know; the name is that of the tool that listens
// in our place.

#ifndef MEMKIT_LIB_WIRE_CUDAFINDINGS_H
#define MEMKIT_LIB_WIRE_CUDAFINDINGS_H

#include "Findings.h"

namespace memkit::wire {

/// The actual way to record CUDA's driver.
enum class CudaCapture : uint32_t {
  None = 0,        ///< the program has not used CUDA yet
  Cupti = 1,       ///< by CUPTI
  NoCupti = 2,     ///< not recorded: no usable libcupti was found
  CuptiFailed = 3, ///< not recorded: CUPTI refused
  CuptiTaken = 4,  ///< not recorded: another tool uses CUPTI
  Interposed = 5,  ///< by wrappers of the functions that the program looks up
  NotInjected = 6, ///< not recorded: the driver has loaded another library
  NotWanted = 7,   ///< not recorded: the program looks up no functions
  CuptiOlder = 8,  ///< by a CUPTI that does not know all calls
};

inline constexpr char CudaInterposedText[] =
    "CUDA: memory of the driver is recorded where the program looks up driver "
    "functions";
inline constexpr char NoCudaText[] =
    "CUDA: memory of the driver is not recorded";
inline constexpr FindingText CudaTexts[] = {
    {uint32_t(CudaCapture::Cupti), FindingLevel::Alert,
     "CUDA: memory of the driver is recorded by a CUPTI older than the driver: "
     "%d unknown calls are not recorded",
     nullptr, uint32_t(CudaCapture::CuptiOlder), nullptr, 1, true},
    {uint32_t(CudaCapture::Cupti), FindingLevel::Note,
     "CUDA: memory of the driver is recorded through CUPTI", nullptr, 0,
     nullptr, 1, true},
    {uint32_t(CudaCapture::Interposed), FindingLevel::Note, CudaInterposedText,
     nullptr, uint32_t(CudaCapture::NotWanted), nullptr, 1, true},
    {uint32_t(CudaCapture::Interposed), FindingLevel::Note, CudaInterposedText,
     nullptr, 0, nullptr, 1, true},
    {uint32_t(CudaCapture::NoCupti), FindingLevel::Alert, NoCudaText,
     "no libcupti was found: neither loaded, nor in the loader's path, beside "
     "the CUDA runtime, in CUDA_HOME or /usr/local/cuda",
     0, nullptr, 2},
    {uint32_t(CudaCapture::CuptiTaken), FindingLevel::Alert, NoCudaText,
     "another tool uses CUPTI%n", 0,
     "another tool uses CUPTI (nsys, ncu, a debugger, a profiler)", 2},
    {uint32_t(CudaCapture::CuptiFailed), FindingLevel::Alert, NoCudaText,
     "CUPTI refused, error %d", 0, nullptr, 2},
    {uint32_t(CudaCapture::NotInjected), FindingLevel::Alert, NoCudaText,
     "the driver has loaded another tool%n", 0, nullptr, 2},
    {uint32_t(CudaCapture::NotWanted), FindingLevel::Alert, NoCudaText,
     "the program looks up no driver function", 0, nullptr, 2},
};

} // namespace memkit::wire

#endif // MEMKIT_LIB_WIRE_CUDAFINDINGS_H
