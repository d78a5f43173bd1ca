// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of ids, for a trace in growth.
//
// What ids stand for, as dictionaries come. Unlike Model's Trace it grows with
// a trace that is still being written, and it is given ids that nobody checked:
// an id that is not there has an empty name.

#ifndef MEMKIT_LIB_TRACETEXT_NAMETABLE_H
#define MEMKIT_LIB_TRACETEXT_NAMETABLE_H

#include "memkit/Trace/FrameRoles.h"
#include "memkit/Trace/Sections.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace memkit::tracetext {

class NameTable {
public:
  void add(const Dictionary &D);

  llvm::StringRef string(uint32_t Id) const {
    return Id && Id <= Strings.size() ? llvm::StringRef(Strings[Id - 1])
                                      : llvm::StringRef();
  }
  llvm::StringRef heap(uint32_t Id) const;
  uint32_t numStacks() const { return uint32_t(Leaves.size()); }
  /// The stack's frames, innermost first, each as people read it: `main
  /// (main.c:3)`, `train.py:42 step` for Python. A frame without symbols is its
  /// binary and address. Unless AllFrames, those that make Python run are left
  /// out (see FrameRoles.h).
  std::vector<std::string> stack(uint32_t Id, bool AllFrames) const;
  /// The scopes of a scope path, outermost first, joined by `/`.
  std::string scopePath(uint32_t Id) const;
  /// What a process is called: its role (`train.py`), else the last part of its
  /// program's path.
  llvm::StringRef process(uint32_t Id) const;
  uint32_t numProcesses() const { return uint32_t(Processes.size()); }
  /// Roles that were found after the processes' entries were written.
  void addRoles(const Summary &S);
  /// A thread's id in its system.
  uint32_t tid(uint32_t Id) const;

private:
  template <class T> static T get(const std::vector<T> &V, uint32_t Id) {
    return Id && Id <= V.size() ? V[Id - 1] : T();
  }
  void addStacks(const Dictionary &D);
  std::string function(Location L) const;
  std::string pythonLine(const Frame &F) const;
  FrameRole role(uint32_t Id) const;
  void frame(uint32_t Id, std::vector<std::string> &Out) const;

  struct Node {
    uint32_t Parent, Frame;
  };
  std::vector<std::string> Strings;
  std::vector<Binary> Binaries;
  std::vector<Function> Functions;
  std::vector<Frame> Frames;
  std::vector<Node> Nodes;
  std::vector<uint32_t> Leaves;
  std::vector<Scope> Scopes;
  std::vector<ScopePath> ScopePaths;
  std::vector<ProcessRecord> Processes;
  std::vector<Thread> Threads;
  std::vector<Heap> Heaps;
  llvm::DenseMap<uint32_t, std::vector<Location>> Symbols; ///< by frame
};

} // namespace memkit::tracetext

#endif // MEMKIT_LIB_TRACETEXT_NAMETABLE_H
