// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scopes of an invented framework.

#ifndef MEMKIT_TEST_UNIT_RECORD_MOCKFRAMEWORK_MOCKSCOPES_H
#define MEMKIT_TEST_UNIT_RECORD_MOCKFRAMEWORK_MOCKSCOPES_H

#include "Scopes/LayerScopes.h"

namespace memkit {

/// The framework starts an episode, a layer or an operator.
struct MockBeginRecord {
  enum class Kind { Episode, Layer, Operator } Is;
  uint32_t Text;
  uint64_t Number;
};

/// The end of an episode is the end of a step.
class MockScopes : public ScopeOwner {
public:
  MockScopes(ScopeThreads &Threads, LayerScopes &Layers)
      : Threads(Threads), Layers(Layers) {}

  bool take(const MockBeginRecord &Rec, RecordOrigin From);
  bool ended(const RunningScope &O, uint32_t Ring) override;

private:
  ScopeThreads &Threads;
  LayerScopes &Layers;
};

} // namespace memkit

#endif // MEMKIT_TEST_UNIT_RECORD_MOCKFRAMEWORK_MOCKSCOPES_H
