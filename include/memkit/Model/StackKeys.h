// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers that recognise equal stacks in different traces.

#ifndef MEMKIT_MODEL_STACKKEYS_H
#define MEMKIT_MODEL_STACKKEYS_H

#include "memkit/Model/MainNames.h"
#include "memkit/Model/SteadyNames.h"
#include "memkit/Model/Trace.h"
#include "llvm/ADT/StringSet.h"

namespace memkit {

/// Which properties make two frames equal.
enum class SameFrame {
  /// Function and name of the binary (Python: of the file): equal across
  /// builds.
  Function,
  Location, ///< also file and line, as in a printed stack
};

/// Facts about the other traces, for SameFrame::Function.
struct KeyRules {
  /// Names of this trace that differ in the other traces.
  const Renames *Renamed = nullptr;
  /// The names of this trace's programs in the other trace.
  const MainNames *Mains = nullptr;
  /// movedBinaries() of all traces.
  const llvm::StringSet<> *Moved = nullptr;
  /// namelessBinaries() of all traces.
  const llvm::StringSet<> *Nameless = nullptr;
  /// By function of this trace, the functionFrameKey() of its counterpart; 0,
  /// or beyond the end: the function's own.
  llvm::ArrayRef<uint64_t> Counterparts;
};

/// The number of a frame of a function for SameFrame::Function. Binary: the
/// path of the binary; empty: Python, whose functions are those of a file.
uint64_t functionFrameKey(llvm::StringRef Function, llvm::StringRef Binary,
                          llvm::StringRef File, const KeyRules &Rules);

/// A number for each node of T.view() (by id, 0 for the root). The number
/// depends only on the frames from the root to the node, compared as in How:
/// equal stacks of different traces have equal numbers. 64 bits: among a
/// million stacks, the chance that any two different stacks have one number is
/// below 10^-7.
///
/// Function compares the results of steadyFunction() and steadyFile(). A
/// recursive function, or a recursive cycle of two or three nodes, counts once.
/// Frames without symbols are equal at the same address of a binary that is not
/// in Moved; in a binary of Moved, all are equal. In a binary of Nameless, all
/// frames are equal. All frames without symbols
/// and without a binary are equal: code made at run time has random addresses.
/// A function with a counterpart is equal to the counterpart.
std::vector<uint64_t> nodeKeys(const Trace &T, SameFrame How,
                               const KeyRules &Rules = {});

/// Computes nodeKeys() one node at a time, for callers that need few nodes.
class StackKeyer {
public:
  /// T and the objects of Rules must outlive the keyer; T.view() must not
  /// change.
  StackKeyer(const Trace &T, SameFrame How, const KeyRules &Rules = {});
  ~StackKeyer();
  /// The number of node N. Keys has the numbers of the nodes above N.
  uint64_t key(uint32_t N, llvm::ArrayRef<uint64_t> Keys) const;

private:
  class FrameKeys;
  uint32_t beforeTurn(uint32_t N) const;
  bool isTurn(uint32_t A, uint32_t B, unsigned Length) const;

  const StackView &V;
  bool Folds;
  std::unique_ptr<FrameKeys> Frames;
};

/// The number of a heap's name.
uint64_t heapKey(llvm::StringRef Name, const KeyRules &Rules = {});

/// The name of a binary or source in the other traces.
std::string steadyFileName(llvm::StringRef Path, const KeyRules &Rules);

/// The steadyFileName() of binaries with several builds among Traces, whose
/// addresses cannot be compared. Rules: for each trace; none: no names changed.
llvm::StringSet<> movedBinaries(llvm::ArrayRef<const Trace *> Traces,
                                llvm::ArrayRef<KeyRules> Rules = {});

/// The steadyFileName() of binaries that have symbols in one of Traces and none
/// in another, so that their functions cannot be compared. Rules: for each
/// trace.
llvm::StringSet<> namelessBinaries(llvm::ArrayRef<const Trace *> Traces,
                                   llvm::ArrayRef<KeyRules> Rules);

} // namespace memkit

#endif // MEMKIT_MODEL_STACKKEYS_H
