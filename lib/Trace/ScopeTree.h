// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scope paths of a trace that is being written.

#ifndef MEMKIT_LIB_TRACE_SCOPETREE_H
#define MEMKIT_LIB_TRACE_SCOPETREE_H

#include "memkit/Trace/Sections.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <tuple>

namespace memkit {

class Catalog;

/// Assigns ids to scopes and scope paths, the same id to equal ones of all
/// processes. Of the scopes with the same parent whose names differ only in
/// digits, the first MaxAlike have scope paths of their own; later ones share
/// one scope path, with `#` for the digits. Belongs to one thread.
class ScopeTree {
public:
  explicit ScopeTree(Catalog &Names) : Names(Names) {}

  static constexpr uint32_t MaxAlike = 256;
  /// Bounds the memory of scope paths; beyond the limit a scope has its
  /// parent's scope path.
  static constexpr uint32_t MaxScopePaths = 1u << 22;

  struct Entered {
    uint32_t ScopePath = 0;
    bool Folded = false; ///< the scope has another name than the given one
  };
  /// The scope path of a scope of this kind and name, entered in the scope path
  /// Parent (0: none) below Depth frames. Color: as in Scope, from the first
  /// scope of this name.
  Entered enter(uint32_t Parent, ScopeKind Kind, llvm::StringRef Name,
                uint32_t Depth, uint32_t Color = 0);

  /// A new scope, even if other scopes have this name.
  uint32_t newScope(ScopeKind Kind, llvm::StringRef Name);
  /// The scope path of a scope of newScope().
  uint32_t enterScope(uint32_t Parent, uint32_t Scope);
  /// Renames a scope of newScope() to Name; false: its old name is written
  /// already.
  bool rename(uint32_t Scope, ScopeKind Kind, llvm::StringRef Name);
  /// Whether a scope of newScope() has not been renamed, and still can be.
  bool awaitsNames();

private:
  uint32_t scope(ScopeKind Kind, llvm::StringRef Name, uint32_t Color);
  uint32_t find(uint32_t Parent, uint32_t Scope, uint32_t Depth);
  uint32_t add(uint32_t Parent, uint32_t Scope, uint32_t Depth);
  uint32_t firstPending() const;

  using ScopeKey = std::tuple<uint32_t, uint32_t, uint32_t>;
  Catalog &Names;
  llvm::DenseMap<std::pair<uint32_t, uint32_t>, uint32_t> Scopes;
  llvm::DenseMap<ScopeKey, uint32_t> ScopePaths;
  /// By parent and the scope with `#` in its name.
  llvm::DenseMap<std::pair<uint32_t, uint32_t>, uint32_t> Alike;
  uint32_t NumScopes = 0, NumScopePaths = 0;
  /// Scopes of newScope() without a rename; some may be written.
  std::vector<uint32_t> Nameless;
};

/// The name with `#` for each run of digits.
std::string foldDigits(llvm::StringRef Name);

} // namespace memkit

#endif // MEMKIT_LIB_TRACE_SCOPETREE_H
