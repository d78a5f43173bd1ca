// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An out-of-memory event in sentences.
//
// memstat, memview and memdump --oom say the same of an event. Texts without a
// full stop; a text is empty if the trace does not tell.

#ifndef MEMKIT_LIB_REPORT_OOMSENTENCES_H
#define MEMKIT_LIB_REPORT_OOMSENTENCES_H

#include "memkit/Analysis/OomMoment.h"

namespace memkit {

/// Who asked for how much, and what left nothing: `train.py:46 Block.forward
/// asked for 2.00 GiB of torch.cuda:0 at 9.1 s, step 12: the device is full,
/// ...`
std::string oomReason(const Trace &T, const Places &Where, const OomMoment &M);

/// What held the memory: `train.py:46 Block.forward 44 %, imports 20 %`.
std::string oomHolders(const Places &Where, const OomMoment &M);

/// The live tensors: `activations 1.20 GiB, parameters 300 MiB, most in the
/// layer encoder.0`.
std::string oomTensors(const Trace &T, const OomMoment &M);

/// What would have fitted, and what to change.
std::string oomAdvice(const Trace &T, const Places &Where, const OomMoment &M);

} // namespace memkit

#endif // MEMKIT_LIB_REPORT_OOMSENTENCES_H
