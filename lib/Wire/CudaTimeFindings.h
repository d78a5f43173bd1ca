// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether the time of a device's work is recorded. The argument is CUPTI's
// error, or its version; the name is that of the tool that has the records.

#ifndef MEMKIT_LIB_WIRE_CUDATIMEFINDINGS_H
#define MEMKIT_LIB_WIRE_CUDATIMEFINDINGS_H

#include "Findings.h"

namespace memkit::wire {

enum class CudaTimeCapture : uint32_t {
  None = 0,
  Recorded = 1,
  NoCalls = 2,        ///< CUPTI does not report calls to memrec
  NoFunctions = 3,    ///< this CUPTI has no activity records
  UnknownVersion = 4, ///< of CUPTI: the argument
  Refused = 5,        ///< by CUPTI: the argument is its error
  Taken = 6,          ///< another tool has the records: the name
  TakenLater = 7,     ///< recorded until another tool took the records
  NoMemory = 8,       ///< for the buffers
};

inline constexpr char NoCudaTimeText[] =
    "CUDA: the time of kernels and copies is not recorded";
inline constexpr FindingText CudaTimeTexts[] = {
    {uint32_t(CudaTimeCapture::Recorded), FindingLevel::Note,
     "CUDA: the time of kernels and copies is recorded through CUPTI's "
     "activity records"},
    {uint32_t(CudaTimeCapture::NoCalls), FindingLevel::Alert, NoCudaTimeText,
     "CUPTI does not report the launches to memrec", 0, nullptr, 2},
    {uint32_t(CudaTimeCapture::NoFunctions), FindingLevel::Alert,
     NoCudaTimeText, "this CUPTI lacks a function for activity records", 0,
     nullptr, 2},
    {uint32_t(CudaTimeCapture::UnknownVersion), FindingLevel::Alert,
     NoCudaTimeText, "the layout of records of CUPTI's version %d is not known",
     0, nullptr, 2},
    {uint32_t(CudaTimeCapture::Refused), FindingLevel::Alert, NoCudaTimeText,
     "CUPTI refused, error %d", 0, nullptr, 2},
    {uint32_t(CudaTimeCapture::Taken), FindingLevel::Alert, NoCudaTimeText,
     "another tool has CUPTI's activity records%n", 0, nullptr, 2},
    {uint32_t(CudaTimeCapture::TakenLater), FindingLevel::Alert,
     "CUDA: the time of kernels and copies is recorded up to here",
     "another tool takes CUPTI's activity records%n", 0, nullptr, 2},
    {uint32_t(CudaTimeCapture::NoMemory), FindingLevel::Alert, NoCudaTimeText,
     "there is no memory for the buffers", 0, nullptr, 2},
};

} // namespace memkit::wire

#endif // MEMKIT_LIB_WIRE_CUDATIMEFINDINGS_H
