// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What memrec's options say.

#ifndef MEMKIT_TOOLS_MEMREC_OPTIONS_H
#define MEMKIT_TOOLS_MEMREC_OPTIONS_H

#include "Record/Recorder.h"

namespace memkit {

// After the options were parsed.
//
/// Whether --check was given.
bool wantsCheck();

/// The capture library: that of --library, as an absolute path, or the one that
/// belongs to this program. It may not be there.
std::string findLibrary(const char *Argv0);

/// The library for CUDA's driver, which lies beside the capture library; empty:
/// there is none.
std::string findCudaLibrary(llvm::StringRef Library);

/// The folder of the Python package that belongs to this program; empty: there
/// is none.
std::string findPythonFolder(const char *Argv0);

/// What the options ask for; all but the command, the library, the folder and
/// Warn is set. Usage errors name the option.
llvm::Expected<RecordOptions> recordOptions();

} // namespace memkit

#endif // MEMKIT_TOOLS_MEMREC_OPTIONS_H
