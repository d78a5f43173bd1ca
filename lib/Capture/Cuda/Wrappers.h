// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Wrappers of the driver's entry points.
//
// A program that looks up a function of the driver (by dlsym or
// cuGetProcAddress, as the runtime does) gets a wrapper. While memkit is
// CUPTI's subscriber, CUPTI reports a call; while another tool is, the wrapper
// does. Each call is recorded once, even if the subscriber changes during the
// call.

#ifndef MEMKIT_CAPTURE_CUDA_WRAPPERS_H
#define MEMKIT_CAPTURE_CUDA_WRAPPERS_H

#include "Cuda/Calls.h"

namespace memkit::capture::cuda {

/// The call inside a thread's wrapper.
struct WrappedCall {
  bool IsIn, Before, After; ///< is the call recorded?
};
extern __thread WrappedCall InWrapper;

/// Does CUPTI report calls now?
extern std::atomic<bool> Listening;
/// Has any look-up returned a wrapper?
extern std::atomic<bool> HasWrappers;

/// Record a call that CUPTI or a wrapper reports, unless the other has.
void noteBefore(const Call &C);
void noteAfter(const Call &C, CUresult Result, const CallerFrame &Caller);

/// Before the call of a wrapper; C has no context yet. False: do not call
/// endWrapped().
bool beginWrapped(Call &C);
void endWrapped(Call &C, CUresult Result, const CallerFrame &Caller);

/// The wrapper of \p Real, which the driver exports as \p Name; \p Real if
/// there is none.
void *wrap(const char *Name, void *Real);

} // namespace memkit::capture::cuda

#endif // MEMKIT_CAPTURE_CUDA_WRAPPERS_H
