// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pairs the programs of two traces.

#ifndef MEMKIT_MODEL_MAINNAMES_H
#define MEMKIT_MODEL_MAINNAMES_H

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace memkit {

class Trace;

/// Maps the names of a trace's programs to names in another trace: two builds
/// of a program often have two file names. A program with the same name in both
/// traces keeps its name. Of the remaining programs, the programs of the two
/// first processes are a pair; if both traces have equally many remaining
/// programs, the n-th of each are a pair. Executables and Python scripts are
/// paired separately.
class MainNames {
public:
  MainNames() = default;
  /// Maps from T to Other.
  MainNames(const Trace &T, const Trace &Other);

  /// The name in the other trace of the binary or source Name (from
  /// steadyFile()); Name itself if Name is no program.
  llvm::StringRef name(llvm::StringRef Name) const {
    auto At = Names.find(Name);
    return At == Names.end() ? Name : llvm::StringRef(At->second);
  }

private:
  llvm::StringMap<std::string> Names;
};

} // namespace memkit

#endif // MEMKIT_MODEL_MAINNAMES_H
