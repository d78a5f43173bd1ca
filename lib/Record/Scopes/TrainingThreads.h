// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The place in the training of each thread, for the categories of tensors.

#ifndef MEMKIT_LIB_RECORD_TRAININGTHREADS_H
#define MEMKIT_LIB_RECORD_TRAININGTHREADS_H

#include "Scopes/ScopeThreads.h"
#include "Scopes/TensorCategories.h"

namespace memkit {

/// Belongs to the recorder's thread.
class TrainingThreads {
public:
  using RingScopes = ScopeThreads::RingScopes;

  /// The training of the process.
  const TensorCategories &categories() const { return Categories; }
  TensorCategories &categories() { return Categories; }

  // Each is called before a scope of the ring begins, and moves the thread.
  void beginLayer(RingScopes &Of, uint32_t Ring);
  /// Outside: the place of the operator's work outside of passes.
  void beginOperator(RingScopes &Of, uint32_t Ring, TrainingPlace Outside);
  /// The engine's work around a node of the backward pass.
  void beginEngine(RingScopes &Of, uint32_t Ring);
  void beginNode(RingScopes &Of, uint32_t Ring, bool Accumulates);
  /// The update ends with endUpdate().
  void beginUpdate(RingScopes &Of, uint32_t Ring);
  void endUpdate() { Categories.endUpdate(); }
  /// A scope of another kind.
  void beginOther(const RingScopes &Of, uint32_t Ring);

private:
  static bool isOutside(const RingScopes &Of) {
    return Of.Now.Place < TrainingPlace::Forward;
  }
  void setTrains(uint32_t Ring);

  TensorCategories Categories;
  /// By ring: the thread has run a layer, a node or an optimizer.
  std::vector<bool> Trains;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_TRAININGTHREADS_H
