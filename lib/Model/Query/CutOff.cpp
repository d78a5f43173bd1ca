// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a trace lacks its run, or the end of it.

#include "memkit/Model/CutOff.h"
#include "memkit/Model/Profile.h"
#include "memkit/Model/Query.h"
#include "memkit/Model/Trace.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/STLExtras.h"

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

/// Why nothing is known of the program; empty: it was recorded.
static std::string notRecordedText(const Trace &T) {
  // Two runs may be equal.
  if (isDiff(T) || T.isBeingRecorded())
    return "";
  RunReport R = queryRun(T);
  if (R.Program) {
    const ProcessReport &P = R.Processes[R.Program - 1];
    if (!P.IsRecorded && !P.WhyNot.empty())
      return ("nothing of " + P.Name + ": " + P.WhyNot).str();
  }
  bool BeganLater = any_of(R.Run.Options, [](StringRef Option) {
    return Option.starts_with("start=");
  });
  return BeganLater && !R.Allocations
             ? "no allocation: its recording never began"
             : "";
}

std::string memkit::cannotAnswerText(const Trace &T) {
  if (std::string Cut = cutOffText(T); !Cut.empty())
    return Cut;
  std::string What = notRecordedText(T);
  return What.empty() ? "" : (T.name() + " has " + What).str();
}
