// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layers, operators and functions of TensorFlow.
//
// An operator of a graph: the function's range > forward or backward > the
// layers of the node's name > operator; of an optimizer: optimizer > range >
// operator. The function's range is of the caller's thread: a link leads there
// from the threads that work for the function.
//
// An operator outside of graphs: as in PyTorch, with layers and the optimizer's
// range from Python's frames.
//
// The call of a function that computes gradients is a step of the program.

#ifndef MEMKIT_LIB_RECORD_TENSORFLOWSCOPES_H
#define MEMKIT_LIB_RECORD_TENSORFLOWSCOPES_H

#include "Scopes/GraphNodeNames.h"
#include "Scopes/LayerScopes.h"

namespace memkit {

/// Belongs to the recorder's thread.
class TensorFlowScopes : public ScopeOwner {
public:
  TensorFlowScopes(ScopeThreads &Threads, LayerScopes &Layers)
      : Threads(Threads), Layers(Layers) {}

  static bool owns(uint64_t Flags) { return Flags & wire::SF_TensorFlow; }
  /// False: the record is invalid.
  bool take(const wire::ScopeBeginRecord &Rec, RecordOrigin From);
  bool take(const wire::OperatorWorkRecord &Rec, RecordOrigin From);
  /// The dtype of the first result of the innermost operator that the ring's
  /// thread runs, a string; 0: the operator is none of TensorFlow, or the dtype
  /// is no type of elements.
  uint32_t resultDtype(uint32_t Ring);

  bool ended(const RunningScope &O, uint32_t Ring) override;
  void endedLayer(const RunningScope &O, uint32_t Ring, const LayerRange &S,
                  ScopeTotals::LayerWork Work, uint64_t TimeNs) override;

private:
  using RingScopes = ScopeThreads::RingScopes;
  /// A call of a tf.function that runs: where its operators begin, and whether
  /// an operator has computed a gradient.
  struct FunctionRun {
    ScopeContext Inside;
    uint32_t Text = 0;
    bool Trains = false;
  };
  /// The parts of a node's name.
  struct NodeParts {
    GraphNode::Direction In = GraphNode::Direction::Forward;
    llvm::SmallVector<uint32_t, 4> Layers; ///< texts
    uint32_t Optimizer = 0;                ///< text; 0: none
  };

  uint32_t beginOperator(const wire::ScopeBeginRecord &Rec, RecordOrigin From,
                         RunningScope &O);
  bool hasNodeName(uint32_t Text, uint64_t Flags) const;
  uint32_t beginNode(uint32_t Ring, RunningScope &O, uint32_t Text);
  uint32_t beginRange(const wire::ScopeBeginRecord &Rec, RecordOrigin From,
                      RunningScope &O);
  uint32_t beginFunction(uint32_t Ring, RunningScope &O, uint32_t Text);
  uint32_t beginLink(uint32_t Ring, RunningScope &O, uint64_t Number);
  void enterFunction(uint32_t Ring, RunningScope &O, uint64_t Number,
                     bool IsCall);
  bool endFunction(uint64_t Number);
  uint32_t operatorText(uint32_t Text, uint8_t DataType);
  const NodeParts &nodeParts(uint32_t Text);
  llvm::SmallVectorImpl<uint64_t> &functionsOf(uint32_t Ring);
  uint64_t functionOf(uint32_t Ring);

  static constexpr size_t MaxFunctions = 4096;
  ScopeThreads &Threads;
  LayerScopes &Layers;
  GraphNodeNames Graphs;
  llvm::DenseMap<uint64_t, FunctionRun> Functions; ///< by number of the range
  /// By ring: the ranges of the functions that the thread calls or works for,
  /// innermost last.
  std::vector<llvm::SmallVector<uint64_t, 2>> OfRings;
  llvm::DenseMap<uint32_t, NodeParts> Nodes;     ///< by text
  llvm::DenseMap<uint64_t, uint32_t> TypedTexts; ///< by text and data type
  llvm::DenseMap<uint8_t, uint32_t> DataTypes;   ///< strings, by TF_DataType
  /// By string and direction of a layer: the last function, or the complement
  /// of the last step, whose call was counted.
  llvm::DenseMap<uint64_t, uint64_t> LastFunctions;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_TENSORFLOWSCOPES_H
