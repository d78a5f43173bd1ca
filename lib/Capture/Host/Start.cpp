// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The library's constructor.

#include "Host/ChildEnvironment.h"
#include "Host/Exec.h"
#include "Host/Maps.h"
#include "Host/Sandbox.h"
#include "Runtime/Thread.h"

using namespace memkit;
using namespace memkit::capture;

/// A hook may run before the constructor: both orders work.
__attribute__((constructor)) static void start() {
  if (!recordingThread())
    return;
  if (Kept.NoFollow)
    leaveEnvironment();
  prepareMaps();
  prepareExec();
  prepareExit();
  prepareSandbox();
}
