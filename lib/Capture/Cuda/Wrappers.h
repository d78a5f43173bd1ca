// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before the driver's entry points.
//
// Functions that stand before those of the driver where a program looks them up
// (by dlsym or cuGetProcAddress, as the runtime does). CUPTI tells of a call
// when it has us; when it has not, because another has it, the wrapper does:
// each call is recorded once, whoever comes and goes meanwhile.

#ifndef MEMKIT_CAPTURE_CUDA_WRAPPERS_H
#define MEMKIT_CAPTURE_CUDA_WRAPPERS_H

#include "Cuda/Calls.h"

namespace memkit::capture::cuda {

/// The call that a thread's wrapper is in.
struct WrappedCall {
  bool IsIn, Before, After; ///< has it been recorded?
};
extern __thread WrappedCall InWrapper;

/// Whether CUPTI tells of calls now.
extern std::atomic<bool> Listening;
/// Whether a program has wrappers.
extern std::atomic<bool> HasWrappers;

/// From CUPTI's callback, of a call that a wrapper may be in.
void heardBefore(const Call &C);
void heardAfter(const Call &C, CUresult Result, const Frame &Caller);

/// Before what a wrapper calls, of which C has no context yet. False: nothing
/// is to be done after it either.
bool beginWrapped(Call &C);
void endWrapped(Call &C, CUresult Result, const Frame &Caller);

/// What stands before \p Real, which the driver exports as \p Name; \p Real
/// when nothing does.
void *wrap(const char *Name, void *Real);

} // namespace memkit::capture::cuda

#endif // MEMKIT_CAPTURE_CUDA_WRAPPERS_H
