// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operators, layers, scopes and ranges that launch work of devices.
//
// Work ends long after its launch, when its operator and layers have ended,
// too. So the open scopes of a launching thread get a number, which stays
// valid, and the time of the work is added to all of them later.

#ifndef MEMKIT_LIB_RECORD_LAUNCHSCOPES_H
#define MEMKIT_LIB_RECORD_LAUNCHSCOPES_H

#include "Scopes/LayerScopes.h"

namespace memkit {

/// Belongs to the recorder's thread.
class LaunchScopes {
public:
  LaunchScopes(ScopeThreads &Threads, LayerScopes &Layers)
      : Threads(Threads), Layers(Layers) {}

  /// The number of the open scopes of the ring that have stats; 0: none.
  uint32_t openScopes(uint32_t Ring);
  /// The trace's id of the innermost scope path.
  uint32_t scopePath(uint32_t Ring) const {
    return Threads.context(Ring).ScopePath;
  }
  /// Adds the time of work that was launched in the scopes of the number: to
  /// each of them, once to those of one name; as self time to the innermost
  /// operator and to the innermost layer.
  void add(uint32_t Scopes, uint64_t Ns);
  /// The string of a text of the process; 0 for 0.
  uint32_t string(uint32_t Text) {
    Text = ScopeNames::numberOf(Text);
    return Text ? Threads.name(Text).String : 0;
  }

private:
  enum class OwnerKind : uint8_t {
    Operator,
    Layer,
    BackwardLayer,
    Scope,
    Range
  };
  /// An open scope, linked to the scopes outside of it. Key: the row of an
  /// operator, the text of a name.
  struct OpenLink {
    uint32_t Outer = 0, Key = 0;
    OwnerKind Kind = OwnerKind::Operator;
    bool IsOuter = true; ///< no scope outside has the name
  };
  uint32_t linkOf(uint32_t Outer, OwnerKind Kind, uint32_t Key);
  bool isInside(uint32_t Outer, OwnerKind Kind, uint32_t Key) const;
  static OwnerKind kindOf(const RunningScope &O);

  ScopeThreads &Threads;
  LayerScopes &Layers;
  std::vector<OpenLink> Links{{}};
  /// By outer link and key, and by kind.
  llvm::DenseMap<std::pair<uint64_t, uint32_t>, uint32_t> Ids;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_LAUNCHSCOPES_H
