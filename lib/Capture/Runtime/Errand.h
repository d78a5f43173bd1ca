// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a thread works for, beside its own frames.
//
// A library may take memory for an object of its own in threads that it begins.
// These threads inherit the errand. A thread that the interpreter begins has an
// errand without a scope: the frames that began the thread, which count
// whenever the thread has no frames of its own.

#ifndef MEMKIT_CAPTURE_RUNTIME_ERRAND_H
#define MEMKIT_CAPTURE_RUNTIME_ERRAND_H

#include <cstdint>

namespace memkit::capture {

struct Errand {
  uint32_t Text;   ///< of the scope of memory from CUDA; 0: no errand
  uint32_t Python; ///< node of the frames of the thread that asked; 0: none
  uint64_t Epoch;  ///< of the process of both
};

/// Of the calling thread.
extern __thread Errand ThisErrand __attribute__((tls_model("initial-exec")));

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_RUNTIME_ERRAND_H
