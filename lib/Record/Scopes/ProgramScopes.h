// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scopes, marks and queries of the program itself.

#ifndef MEMKIT_LIB_RECORD_PROGRAMSCOPES_H
#define MEMKIT_LIB_RECORD_PROGRAMSCOPES_H

#include "Scopes/ScopeDepth.h"
#include "Scopes/ScopeThreads.h"
#include "llvm/ADT/DenseSet.h"
#include <utility>

namespace memkit {

/// Belongs to the recorder's thread.
class ProgramScopes {
public:
  explicit ProgramScopes(ScopeThreads &Threads)
      : Threads(Threads), R(Threads.recording()), Depth(Threads.shared()) {}

  static bool owns(uint64_t Flags) { return !(Flags & wire::SF_KindMask); }
  // False: the record is invalid.
  bool take(const wire::ScopeBeginRecord &Rec, ScopeOrigin From);
  bool take(const wire::MarkRecord &Rec, ScopeOrigin From);
  bool take(const wire::AskRecord &Rec, ScopeOrigin From);

  /// Ends the scope Number if it has no scope path, and so is not open.
  void endPathless(uint64_t Number, uint64_t TimeNs);
  /// Whether the program has set a mark since the last call.
  bool takeMarked() { return std::exchange(WasMarked, false); }

private:
  void noteName(const ScopeTree::Entered &In, const ScopeNames::ScopeName &N,
                ScopeOrigin From);
  bool fill(const wire::MarkRecord &Rec, Mark &M);
  void addMark(Mark M, ScopeOrigin From);
  void write(const ScopeResult &S, wire::Reply &To) const;

  static constexpr uint64_t MaxFoldedMarks = 1 << 16;
  ScopeThreads &Threads;
  Recording &R;
  ScopeDepth Depth;
  uint64_t FoldedMarks = 0;
  /// Scopes without a scope path whose ends are steps.
  llvm::DenseSet<uint64_t> StepScopes;
  bool WasMarked = false;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_PROGRAMSCOPES_H
