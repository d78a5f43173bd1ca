// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tree below memory spaces.

#ifndef MEMKIT_LIB_MODEL_SPACEROOTS_H
#define MEMKIT_LIB_MODEL_SPACEROOTS_H

#include "memkit/Model/ScopeView.h"
#include "llvm/ADT/DenseMap.h"

namespace memkit {

/// Puts a tree below frames `host`, `cuda:0`, ... For formats that hold only
/// one tree: the values at the peaks of different memory spaces must not be
/// added.
class SpaceRoots {
public:
  /// The objects to which T refers must outlive this object and the view.
  explicit SpaceRoots(ShownTree T) : T(T) {}

  /// The key, in the new tree, of the key Key of T in a memory space
  /// (TotalStats::Id).
  uint32_t keyOf(uint32_t Space, uint32_t Key);
  /// The tree of all keys given so far.
  ScopeView view() const;

private:
  struct SpaceKey {
    uint32_t Space, Key;
  };
  ShownTree T;
  std::vector<SpaceKey> Pairs{{0, 0}}; ///< by key
  llvm::DenseMap<std::pair<uint32_t, uint32_t>, uint32_t> Keys;
};

} // namespace memkit

#endif // MEMKIT_LIB_MODEL_SPACEROOTS_H
