// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Causes of a device's gap in sentences.

#ifndef MEMKIT_LIB_REPORT_GAPSENTENCES_H
#define MEMKIT_LIB_REPORT_GAPSENTENCES_H

#include "memkit/Analysis/DeviceGaps.h"

namespace memkit {

/// `first-use`, for machines.
llvm::StringRef gapCauseKey(GapCause C);
/// `first use`.
llvm::StringRef gapCauseName(GapCause C);
/// `high`.
llvm::StringRef gapSeverityName(GapSeverity S);

/// `drift 1.2 GiB (12 MiB/s) since 3 s, step 4`.
std::string gapFindingText(const Trace &T, const GapFinding &F);
/// What helps against a cause, a sentence without a full stop.
llvm::StringRef gapHelp(GapCause C);

/// The causes of high severity of all devices: `cuda:0: other processes 24 GiB
/// since 0 ns`; empty: none.
std::string gapWarning(const Trace &T, llvm::ArrayRef<DeviceGap> Gaps);

} // namespace memkit

#endif // MEMKIT_LIB_REPORT_GAPSENTENCES_H
