// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scope paths of a trace in the making.

#ifndef MEMKIT_LIB_RECORD_SCOPETREE_H
#define MEMKIT_LIB_RECORD_SCOPETREE_H

#include "memkit/Trace/Sections.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <tuple>

namespace memkit {

class Catalog;

/// Gives out the ids of scopes and scope paths, over all processes, equal ones
/// one id. Of the scopes at one place whose names differ in digits alone the
/// first MaxAlike have scope paths of their own; those after them share one,
/// with `#` for the digits. Belongs to the recorder's thread.
class ScopeTree {
public:
  explicit ScopeTree(Catalog &Names) : Names(Names) {}

  static constexpr uint32_t MaxAlike = 256;
  /// So that a program cannot make us grow without end; past it a scope has its
  /// parent's scope path.
  static constexpr uint32_t MaxScopePaths = 1u << 22;

  struct Entered {
    uint32_t ScopePath = 0;
    bool Folded = false; ///< its scope's name is not the one given
  };
  /// The scope path of a scope of that kind and name, entered in the scope path
  /// Parent (0: none) below Depth frames.
  /// Color: as Scope has it, of the first that comes with the name.
  Entered enter(uint32_t Parent, ScopeKind Kind, llvm::StringRef Name,
                uint32_t Depth, uint32_t Color = 0);

  /// A scope of its own, though others may have its name.
  uint32_t newScope(ScopeKind Kind, llvm::StringRef Name);
  /// The scope path of a scope of newScope().
  uint32_t enterScope(uint32_t Parent, uint32_t Scope);
  /// It is called Name from now on; false: its old name is written already.
  bool rename(uint32_t Scope, ScopeKind Kind, llvm::StringRef Name);
  /// Whether a scope of newScope() has not been renamed, and still can be.
  bool awaitsNames();

private:
  uint32_t scope(ScopeKind Kind, llvm::StringRef Name, uint32_t Color);
  uint32_t find(uint32_t Parent, uint32_t Scope, uint32_t Depth);
  uint32_t add(uint32_t Parent, uint32_t Scope, uint32_t Depth);
  uint32_t firstPending() const;

  using Key = std::tuple<uint32_t, uint32_t, uint32_t>;
  Catalog &Names;
  llvm::DenseMap<std::pair<uint32_t, uint32_t>, uint32_t> Scopes;
  llvm::DenseMap<Key, uint32_t> ScopePaths;
  /// By parent and the scope of the name with `#`.
  llvm::DenseMap<std::pair<uint32_t, uint32_t>, uint32_t> Alike;
  uint32_t NumScopes = 0, NumScopePaths = 0;
  std::vector<uint32_t> Nameless; ///< of newScope(), some of them written
};

/// The name with each run of digits as `#`; as it is when there is none.
std::string foldDigits(llvm::StringRef Name);

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_SCOPETREE_H
