// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One file to send: a trace, and what a reader asks about it.

#ifndef MEMKIT_TOOLS_MEMSTAT_BUNDLE_H
#define MEMKIT_TOOLS_MEMSTAT_BUNDLE_H

#include "Model/Replay/TempTrace.h"
#include "Report/FirstScreen.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace memkit {

struct BundleInput {
  std::string Trace;            ///< the path
  PageInput Page;               ///< of the trace
  bool WithEnvironment = false; ///< values of variables, of this environment
  bool IsRedacted = false;      ///< Trace is a redactedCopy()
};

/// A copy of the trace Path without private names (memkit/Model/Redact.h).
llvm::Expected<TempTrace> redactedCopy(llvm::StringRef Path);

/// The usual name: `train.bundle.tar.zst` of `train.fb`.
std::string bundleName(llvm::StringRef Trace);

/// Writes the bundle: the trace, memstat's page as text and JSON, the machine,
/// versions, warnings, and with WithEnvironment the variables that change how
/// memory is allocated. The file is private to the user. Errors: the trace
/// cannot be read, the output not be written.
llvm::Error writeBundle(const BundleInput &In, const std::string &Output);

} // namespace memkit

#endif // MEMKIT_TOOLS_MEMSTAT_BUNDLE_H
