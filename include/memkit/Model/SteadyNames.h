// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names without the parts that change from build to build.

#ifndef MEMKIT_MODEL_STEADYNAMES_H
#define MEMKIT_MODEL_STEADYNAMES_H

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <atomic>
#include <string>
#include <vector>

namespace memkit {

/// Function without the suffixes of clones (`.isra.0`, ` [clone .cold]`), which
/// differ between builds.
llvm::StringRef withoutCloneSuffix(llvm::StringRef Function);

/// Function without numbers and hashes that compilers make anew in each build:
/// suffixes of clones, the numbers of lambdas and unnamed types
/// (`{lambda(int)#2}`, `'lambda0'`, `$_1`), Rust's `::h0123456789abcdef`. Room
/// holds the result if it is no part of Function.
llvm::StringRef steadyFunction(llvm::StringRef Function, std::string &Room);

/// The file name of a binary or source without version parts: `libz.so.1.2.13`
/// gives `libz.so`, `libgomp-a34b3233.so.1` gives `libgomp.so`. Room: as for
/// steadyFunction().
llvm::StringRef steadyFile(llvm::StringRef Path, std::string &Room);

/// Names that changed between two builds: `--map=OLD=NEW`. A name is the name
/// of a heap, of a binary or source (its file name, whole or steady), or of a
/// function: whole, or the part before `(`, `<` or `::`.
class Renames {
public:
  /// Adds Text, OLD=NEW, split at the first `=`. The error describes the
  /// mistake.
  llvm::Error add(llvm::StringRef Text);
  bool empty() const { return Old.empty(); }

  /// The new name of a heap or file, or Name.
  llvm::StringRef name(llvm::StringRef Name) const;
  /// The new name of a function. Room: as for steadyFunction().
  llvm::StringRef function(llvm::StringRef Name, std::string &Room) const;
  /// The old names that no lookup used.
  std::vector<std::string> unused() const;

private:
  struct New {
    explicit New(llvm::StringRef Name) : Name(Name) {}
    std::string Name;
    /// Set by lookups, in any thread.
    mutable std::atomic<bool> Used = false;
  };
  llvm::StringMap<New> Old;
};

} // namespace memkit

#endif // MEMKIT_MODEL_STEADYNAMES_H
