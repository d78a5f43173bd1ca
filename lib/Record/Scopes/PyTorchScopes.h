// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layers and operators of PyTorch.
//
// Turns the reports of PyTorch's observers, and Python frames, into scope
// paths. JAX's programs are operators, too.
//
// Backward pass: backward > the layers of the operator that made the node > the
// source line of this operator > node > operators. Other passes are as in
// LayerScopes.h.

#ifndef MEMKIT_LIB_RECORD_PYTORCHSCOPES_H
#define MEMKIT_LIB_RECORD_PYTORCHSCOPES_H

#include "Scopes/CompiledLayers.h"
#include "Scopes/ForwardOperators.h"
#include "Scopes/ParameterTable.h"
#include "Scopes/PythonLines.h"
#include "Scopes/TorchOperators.h"
#include "Scopes/TrainingThreads.h"

namespace memkit {

/// Belongs to the recorder's thread.
class PyTorchScopes : public ScopeOwner {
public:
  PyTorchScopes(ScopeThreads &Threads, LayerScopes &Layers,
                CompiledLayers &Compiled, TrainingThreads &Training);

  /// Whether scopes with these flags, of no other class, are PyTorch's.
  static bool owns(uint64_t Flags) { return Flags & wire::SF_KindMask; }
  /// False: the record is invalid.
  bool take(const wire::ScopeBeginRecord &Rec, RecordOrigin From);
  bool take(const wire::LayerTensorRecord &Rec, RecordOrigin From);
  /// The memory at Address is a new tensor's.
  void beginTensor(uint64_t Address) { Parameters.forget(Address); }

  bool ended(const RunningScope &O, uint32_t Ring) override;

private:
  using RingScopes = ScopeThreads::RingScopes;
  /// What a scope adds to the scopes outside of it.
  struct EnteredScope {
    uint32_t ScopePath;
    uint32_t RangeText = 0; ///< for stats
  };
  EnteredScope beginLayer(const wire::ScopeBeginRecord &Rec, RecordOrigin From,
                          RunningScope &O);
  EnteredScope beginOperator(const wire::ScopeBeginRecord &Rec,
                             RecordOrigin From, RunningScope &O);
  EnteredScope beginContinued(const wire::ScopeBeginRecord &Rec,
                              RecordOrigin From);
  EnteredScope beginRange(const wire::ScopeBeginRecord &Rec, RecordOrigin From,
                          RunningScope &O);
  EnteredScope beginNode(const wire::ScopeBeginRecord &Rec, RecordOrigin From,
                         RunningScope &O);
  uint32_t enterForward(uint32_t Parent,
                        const ForwardOperators::ForwardOperator &F);
  void countCall(uint32_t Row, RecordOrigin From, RunningScope &O);

  ScopeThreads &Threads;
  LayerScopes &Layers;
  CompiledLayers &Compiled;
  TrainingThreads &Training;
  TorchOperators Operators;
  ForwardOperators Forwards;
  PythonLines Lines;
  ParameterTable Parameters;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_PYTORCHSCOPES_H
