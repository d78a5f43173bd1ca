// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `memkit run` does beside the recording: --run, --page, -m.

#ifndef MEMKIT_TOOLS_MEMREC_RUNCOMMAND_H
#define MEMKIT_TOOLS_MEMREC_RUNCOMMAND_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace memkit {

// Call these functions after the options are parsed.

/// Whether --run was given.
bool wantsRun();

/// The command that --run, if given, makes of a script or of a module of
/// Python: `train.py` becomes `python train.py`. A usage error: -m or --page
/// without --run, a Python that is not there.
llvm::Error prepareRun(std::vector<std::string> &Command);

/// The path of the Python of --run, else of the one on PATH; empty: none.
std::string pythonPath();

/// The interpreter of a script's kind, by its name's end; empty: no script.
llvm::StringRef interpreterOf(llvm::StringRef Script);

/// With --run, lets the memstat beside this program show the trace, and with
/// --page its memview open it. Waits for them.
void showAnswer(const char *Argv0, const std::string &Trace);

} // namespace memkit

#endif // MEMKIT_TOOLS_MEMREC_RUNCOMMAND_H
