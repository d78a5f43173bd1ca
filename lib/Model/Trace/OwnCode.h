// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whose code a frame is.

#ifndef MEMKIT_LIB_MODEL_OWNCODE_H
#define MEMKIT_LIB_MODEL_OWNCODE_H

#include "memkit/Model/Trace.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSet.h"

namespace memkit {

/// Decides which files and binaries are the user's own, by the rules of the
/// trace. Answers are kept.
class OwnCode {
public:
  explicit OwnCode(const Trace &T);

  /// A Python file.
  bool isOwnPython(llvm::StringRef File) const;
  /// A binary: an executable or library that is not of the system.
  bool isOwnBinary(llvm::StringRef Path) const;
  /// A source file of native code.
  bool isOwnSource(llvm::StringRef File) const;
  bool isExecutable(llvm::StringRef Path) const {
    return Executables.contains(Path);
  }
  /// Whether a frame is a line of the user's own code, or a function of the
  /// executable.
  bool isOwn(const ShownFrame &F) const;
  /// Whether the compiler wrote the function (a constructor, destructor or
  /// assignment): its line is the head of its class, or ends in `= default;`.
  /// Its caller asks for its memory. False if the line's text is not recorded.
  bool isImplicit(const ShownFrame &F) const;

  /// From now on the code of this Python package is the user's, and, with
  /// WithExecutables, that of all executables.
  void adopt(llvm::StringRef PythonPackage, bool WithExecutables);

private:
  const Trace &T;
  llvm::StringSet<> Executables;
  bool RunsText = false; ///< a process runs `python -c TEXT`
  llvm::StringRef Package;
  bool OwnsExecutables = false;
  /// By the address of a path: the paths are texts of the trace.
  mutable llvm::DenseMap<const char *, bool> Python, Binaries, Sources;
};

/// Whether a Python file is of the standard library.
bool isStandardPython(llvm::StringRef File);
/// The top-level package or module of a Python file: `torch` for
/// `.../site-packages/torch/nn/modules/module.py`.
llvm::StringRef packageOf(llvm::StringRef File);
/// Whether a file is a script that only starts an installed package:
/// `.../bin/flask`.
bool isLauncher(llvm::StringRef File);

} // namespace memkit

#endif // MEMKIT_LIB_MODEL_OWNCODE_H
