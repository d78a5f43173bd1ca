// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// memtop's options.

#ifndef MEMKIT_TOOLS_MEMTOP_OPTIONS_H
#define MEMKIT_TOOLS_MEMTOP_OPTIONS_H

#include "AttachedRecorder.h"
#include "Session.h"

namespace memkit {

/// What the command line asks for.
struct TopOptions {
  std::string Input; ///< `live:PID` or a trace; empty: not given
  AttachWish Attach; ///< instead of Input
  bool Once = false, IsJson = false;
  unsigned Count = 0; ///< lines of JSON; 0: no end
  WatchState State;
  FrameStyle How;
  SessionOptions Shown;
};

/// The command line's options. Errors: usage errors.
llvm::Expected<TopOptions> topOptions();

/// Checks what depends on the trace, and sets the state's heap and the cursor
/// at the start. Errors: usage errors, reading errors.
llvm::Error chooseHeapAndMoment(TopOptions &O, Feed &S);

} // namespace memkit

#endif // MEMKIT_TOOLS_MEMTOP_OPTIONS_H
