// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What of a name holds across builds.

#ifndef MEMKIT_MODEL_STEADYNAMES_H
#define MEMKIT_MODEL_STEADYNAMES_H

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <atomic>
#include <string>
#include <vector>

namespace memkit {

/// Function without what compilers append to the names of clones (`.isra.0`,
/// ` [clone .cold]`), which differs from build to build.
llvm::StringRef withoutCloneSuffix(llvm::StringRef Function);

/// Function without what compilers number or hash anew in each build: suffixes
/// of clones, the numbers of lambdas and of types without a name
/// (`{lambda(int)#2}`, `'lambda0'`, `$_1`), Rust's `::h0123456789abcdef`. Room
/// holds the result where it is no part of Function.
llvm::StringRef steadyFunction(llvm::StringRef Function, std::string &Room);

/// The file name of a binary or source without what changes with its version:
/// `libz.so.1.2.13` is `libz.so`, `libgomp-a34b3233.so.1` is `libgomp.so`.
/// As steadyFunction().
llvm::StringRef steadyFile(llvm::StringRef Path, std::string &Room);

/// Names that changed from one build to the other: `--map=OLD=NEW`. A name is
/// that of a heap, of a binary or source (its file name, whole or steady), or
/// of a function: whole, or what stands before `(`, `<` or `::`.
class Renames {
public:
  /// Text is OLD=NEW; the first `=` parts them. The error says what is wrong
  /// with it.
  llvm::Error add(llvm::StringRef Text);
  bool empty() const { return Old.empty(); }

  /// The new name of a heap or file, or Name.
  llvm::StringRef name(llvm::StringRef Name) const;
  /// The new name of a function; as steadyFunction().
  llvm::StringRef function(llvm::StringRef Name, std::string &Room) const;
  /// The old names that were never asked for.
  std::vector<std::string> unused() const;

private:
  struct New {
    explicit New(llvm::StringRef Name) : Name(Name) {}
    std::string Name;
    /// Looking a name up marks it, in any thread.
    mutable std::atomic<bool> Used = false;
  };
  llvm::StringMap<New> Old;
};

} // namespace memkit

#endif // MEMKIT_MODEL_STEADYNAMES_H
