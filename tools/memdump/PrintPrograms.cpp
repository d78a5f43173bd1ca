// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints compiled programs of JAX, live arrays at marks, and the work of
// devices.

#include "Cli/ToolMain.h"
#include "Input.h"
#include "Jobs.h"
#include "Reports.h"

using namespace llvm;
using namespace memkit;

Error memkit::printPrograms(OutputFile &Out) {
  bool IsArrays = What == DumpJob::Arrays;
  bool IsKernels = What == DumpJob::Kernels;
  StringRef Name = IsArrays ? "arrays" : IsKernels ? "kernels" : "programs";
  if (OutputFormat == DumpFormat::Asm)
    return makeUsageError("--" + Name +
                          " supports only --format=text, json and csv");
  Expected<std::unique_ptr<Trace>> T = openTrace(TP_All);
  if (!T)
    return T.takeError();
  Expected<Selection> All = Selection::create(**T, SelectionSpec());
  if (!All)
    return All.takeError();
  Expected<SelectedStats> S = SelectedStats::create(**T, std::move(*All));
  if (!S)
    return S.takeError();
  if (IsKernels) {
    writeReport(Out.os(), kernelReport(*S));
    return Error::success();
  }
  Expected<ProgramReport> R = queryPrograms(*S);
  if (!R)
    return R.takeError();
  writeReport(Out.os(), IsArrays ? arrayReport(**T, R->Arrays)
                                 : programReport(R->Programs));
  return Error::success();
}
