// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The library's constructor.

#include "Host/ChildEnvironment.h"
#include "Host/Exec.h"
#include "Host/Maps.h"
#include "Runtime/Thread.h"

using namespace memkit;
using namespace memkit::capture;

/// The first hook may have come before it: both orders are good.
__attribute__((constructor)) static void start() {
  if (!recordingThread())
    return;
  if (Kept.NoFollow)
    leaveEnvironment();
  prepareMaps();
  prepareExec();
  prepareExit();
}
