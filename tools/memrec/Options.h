// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of memrec's options.

#ifndef MEMKIT_TOOLS_MEMREC_OPTIONS_H
#define MEMKIT_TOOLS_MEMREC_OPTIONS_H

#include "Record/Recorder.h"

namespace memkit {

// Call these functions after the options are parsed.

/// Whether --check was given.
bool wantsCheck();

/// Whether -q does not silence by which signal the program was killed.
bool saysKilled();

/// What --bundle asks for.
enum class WantedBundle { None, Plain, Environment };
WantedBundle wantedBundle();

/// The capture library: the absolute path of --library, or the library that
/// belongs to this program. The file may not exist.
std::string findLibrary(const char *Argv0);

/// The library for CUDA's driver beside the capture library; empty if missing.
std::string findCudaLibrary(llvm::StringRef Library);
/// Whether --cuda was given.
bool wantsCuda();

/// The folder of the Python package that belongs to this program; empty if
/// missing.
std::string findPythonFolder(const char *Argv0);

/// Options for record(). The caller sets the command, the libraries, the Python
/// folder, Warn and Note. Usage errors name the option.
llvm::Expected<RecordOptions> recordOptions();

} // namespace memkit

#endif // MEMKIT_TOOLS_MEMREC_OPTIONS_H
