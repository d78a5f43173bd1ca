// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The programs of two traces, paired.

#ifndef MEMKIT_MODEL_MAINNAMES_H
#define MEMKIT_MODEL_MAINNAMES_H

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace memkit {

class Trace;

/// What the programs of a trace are called in another trace: two builds of one
/// program often have two file names. A program that runs in both traces under
/// one name keeps its name. Of the others the first process's program is that
/// of the first process; where both traces have as many others, the n-th is the
/// n-th. Executables and Python scripts are paired each on their own.
class MainNames {
public:
  MainNames() = default;
  /// What the programs of T are called in Other.
  MainNames(const Trace &T, const Trace &Other);

  /// The name in the other trace of a binary or source with the name Name, as
  /// steadyFile() gives it; Name itself for what is no program.
  llvm::StringRef name(llvm::StringRef Name) const {
    auto At = Names.find(Name);
    return At == Names.end() ? Name : llvm::StringRef(At->second);
  }

private:
  llvm::StringMap<std::string> Names;
};

} // namespace memkit

#endif // MEMKIT_MODEL_MAINNAMES_H
