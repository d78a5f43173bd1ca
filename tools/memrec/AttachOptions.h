// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options for a program that runs already.

#ifndef MEMKIT_TOOLS_MEMREC_ATTACHOPTIONS_H
#define MEMKIT_TOOLS_MEMREC_ATTACHOPTIONS_H

#include "Record/Recorder.h"

namespace memkit {

// Call these functions after the options are parsed.

/// Whether --pid or --census was given.
bool wantsAttach();
/// Whether --census was given.
bool wantsCensus();

/// The process that --pid or --census names, and for how long, in O; what
/// memrec records of such a process. Command: the program of the command line,
/// which must be empty. Target: the process of --census. Errors: of the
/// options; there is no such process.
llvm::Error takeAttach(RecordOptions &O, llvm::ArrayRef<std::string> Command,
                       llvm::StringRef Target);

/// `one thread stood for 4.1 ms; 312 words of 14 binaries changed`.
std::string pauseText(const AttachResult &R);

/// That a program with CUDA is attached to without it; empty: it is not.
std::string cudaHint(const RecordOptions &O);

/// `1.2 GiB of malloc in 4 k blocks, 80 MiB free in malloc`.
std::string censusText(const Census &C);

} // namespace memkit

#endif // MEMKIT_TOOLS_MEMREC_ATTACHOPTIONS_H
