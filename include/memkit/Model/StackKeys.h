// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stacks that mean the same.

#ifndef MEMKIT_MODEL_STACKKEYS_H
#define MEMKIT_MODEL_STACKKEYS_H

#include "memkit/Model/MainNames.h"
#include "memkit/Model/SteadyNames.h"
#include "memkit/Model/Trace.h"
#include "llvm/ADT/StringSet.h"

namespace memkit {

/// What makes two frames the same.
enum class SameFrame {
  Function, ///< function and binary's name (Python: file's): holds across
            ///< builds
  Location, ///< also file and line: what a printed stack shows
};

/// What SameFrame::Function has to know of the other traces.
struct KeyRules {
  /// The names of this trace that others have otherwise.
  const Renames *Renamed = nullptr;
  /// What its programs are called in the trace it is compared with.
  const MainNames *Mains = nullptr;
  /// movedBinaries() of all traces.
  const llvm::StringSet<> *Moved = nullptr;
};

/// A number for each node of T.view() (by id, 0 for the root) that depends only
/// on the frames from the root to it, as SameFrame says: equal stacks of
/// different traces have equal numbers. 64 bits: among a million stacks the
/// chance of two that are taken for one is below 10^-7.
///
/// Function takes what steadyFunction() and steadyFile() give. A function, or a
/// cycle of two or three nodes, that calls itself counts once, however often it
/// did. A frame without symbols is the same at the same address of a binary
/// that did not move, else by its binary alone; without a binary (code that was
/// made at run time, whose address is chance) all are one.
std::vector<uint64_t> nodeKeys(const Trace &T, SameFrame How,
                               const KeyRules &Rules = {});

/// The same for one node at a time, for those who want few.
class StackKeyer {
public:
  /// T and what Rules point to must outlive it; T.view() must not change.
  StackKeyer(const Trace &T, SameFrame How, const KeyRules &Rules = {});
  ~StackKeyer();
  /// The number of node N, of which those of the nodes above it stand in Keys.
  uint64_t key(uint32_t N, llvm::ArrayRef<uint64_t> Keys) const;

private:
  class FrameKeys;
  uint32_t beforeTurn(uint32_t N) const;
  bool isTurn(uint32_t A, uint32_t B, unsigned Length) const;

  const StackView &V;
  bool Folds;
  std::unique_ptr<FrameKeys> Frames;
};

/// The same for the name of a heap.
uint64_t heapKey(llvm::StringRef Name, const KeyRules &Rules = {});

/// The name of a binary or source by which it is known in the other traces.
std::string steadyFileName(llvm::StringRef Path, const KeyRules &Rules);

/// The steadyFileName() of binaries that have several builds among Traces, so
/// that an address says nothing. Rules: of each trace; none: no names changed.
llvm::StringSet<> movedBinaries(llvm::ArrayRef<const Trace *> Traces,
                                llvm::ArrayRef<KeyRules> Rules = {});

} // namespace memkit

#endif // MEMKIT_MODEL_STACKKEYS_H
