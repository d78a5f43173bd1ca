// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a trace lacks the end of its run.

#include "memkit/Model/CutOff.h"
#include "memkit/Model/Trace.h"
#include "memkit/Support/Format.h"

using namespace llvm;
using namespace memkit;

std::string memkit::cutOffText(const Trace &T) {
  uint64_t CutNs = UINT64_MAX;
  for (const ProcessStats &P : T.summary().Processes)
    if (P.CutNs)
      CutNs = std::min(CutNs, P.CutNs);
  if (CutNs == UINT64_MAX && (T.isComplete() || T.isBeingRecorded()))
    return "";
  return (T.name() + " is cut off: it has the run up to " +
          formatTime(std::min(CutNs, T.endNs())))
      .str();
}
