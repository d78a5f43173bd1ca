// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files that the user names for binaries of a trace.

#ifndef MEMKIT_LIB_SYMBOLIZE_TWINFILES_H
#define MEMKIT_LIB_SYMBOLIZE_TWINFILES_H

#include "SymbolFiles.h"
#include "TraceFrames.h"
#include "llvm/Support/Error.h"
#include <map>
#include <string>
#include <vector>

namespace memkit {

/// A file that stands for a binary.
struct NamedFile {
  std::string Name; ///< the binary's path, or its last part; empty: the program
  std::string File;
};

/// The file for a binary.
struct TwinFile {
  std::string File;
  std::string Note; ///< why the file serves without the build-id; may be empty
};

/// Why A and B are not one binary, stripped or not: the first difference of
/// their segments, of their sections in memory or of the bytes of their code.
/// Empty: they agree. NameA and NameB are paths, for the text.
std::string differenceOf(const ElfOutline &A, llvm::StringRef NameA,
                         const ElfOutline &B, llvm::StringRef NameB);

/// Finds the binaries of the files Named, by binary from 1. A file with another
/// build-id, or without a build-id, must agree with the recorded file. If the
/// recorded file is not found and a build-id is missing, the file must agree
/// with the size and the addresses in the trace. Otherwise returns a
/// RequestError of the field Binaries. PageSize is the recorded machine's.
llvm::Expected<std::map<uint32_t, TwinFile>>
chooseTwins(const TraceFrames &Trace, llvm::ArrayRef<NamedFile> Named,
            SymbolFinder &Finder, uint64_t PageSize);

} // namespace memkit

#endif // MEMKIT_LIB_SYMBOLIZE_TWINFILES_H
