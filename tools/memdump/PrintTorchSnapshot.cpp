// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes a trace as a memory snapshot of PyTorch.

#include "Cli/Progress.h"
#include "Cli/ToolMain.h"
#include "Export/TorchSnapshot.h"
#include "Jobs.h"
#include "memkit/Model/Trace.h"

using namespace llvm;
using namespace memkit;

Error memkit::printTorchSnapshot(OutputFile &Out, const SelectionSpec &Spec) {
  Expected<std::unique_ptr<Trace>> Opened =
      Trace::open(Input, TP_All, showProgress());
  if (!Opened)
    return Opened.takeError();
  Trace &T = **Opened;
  for (const std::string &Warning : T.warnings())
    warn(Warning);
  Expected<Selection> Sel = Selection::create(T, Spec);
  if (!Sel)
    return Sel.takeError();
  uint32_t Process = 0;
  if (!Spec.Processes.empty())
    for (uint32_t Id = 1; Id <= T.processes().size(); ++Id) {
      if (!Sel->hasProcess(Id))
        continue;
      if (Process)
        return makeUsageError("--format=torch-snapshot writes one process");
      Process = Id;
    }
  return writeTorchSnapshot(Out.os(), T, Process, [&] { return Out.failed(); });
}
