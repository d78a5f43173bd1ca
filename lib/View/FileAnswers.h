// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The answers of a trace in a page that is a file.

#ifndef MEMKIT_LIB_VIEW_FILEANSWERS_H
#define MEMKIT_LIB_VIEW_FILEANSWERS_H

#include "TraceView.h"

namespace memkit {

/// The answer to `compare` with a query, of a page about several traces.
using CompareAnswers =
    std::function<llvm::Expected<std::string>(const Question &Q)>;

/// The data of a page that is a file, at most MaxBytes: the most important
/// answers, as many as there is room for. `start` lists what the data has, and
/// says in sentences what is left out. Waits for long work; leaves long work
/// out for a trace with more than MaxReplayedEvents events. V: not used before,
/// and not to be used afterwards. Errors: a RequestError if MaxBytes are too
/// few for the peak.
llvm::Expected<std::string> fileAnswers(TraceView &V, uint64_t MaxBytes,
                                        CompareAnswers Compare = {});
inline constexpr uint64_t MaxReplayedEvents = 5'000'000;

} // namespace memkit

#endif // MEMKIT_LIB_VIEW_FILEANSWERS_H
