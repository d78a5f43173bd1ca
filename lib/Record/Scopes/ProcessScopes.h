// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scopes, steps and marks that a process reports.

#ifndef MEMKIT_LIB_RECORD_PROCESSSCOPES_H
#define MEMKIT_LIB_RECORD_PROCESSSCOPES_H

#include "Scopes/GraphNodeNames.h"
#include "Scopes/OperatorTable.h"
#include "Scopes/ParameterTable.h"
#include "Scopes/ScopeDepth.h"
#include "Scopes/ScopeReserved.h"
#include "Scopes/ScopeStatsTable.h"
#include "Scopes/ShapeRows.h"
#include "Scopes/TensorCategories.h"
#include "Shared/RecordOrigin.h"
#include "Trace/ScopeTree.h"
#include "Wire/ScopeRecords.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"

namespace memkit {

class Recording;

/// Turns a process's records of scopes, steps and marks into scope paths, stats
/// and marks of the trace. The open scopes of each ring follow from the ring's
/// records in their order: a scope ends at its own end record, at the end of a
/// scope that the ring opened earlier, and at the end of the ring.
///
/// Many functions in one class: scopes of the program, of PyTorch and of NVTX
/// lie in each other, and one end may close all three.
///
/// Belongs to the recorder's thread.
class ProcessScopes {
public:
  ProcessScopes(SharedProcess &Shared, Recording &R, uint32_t Process,
                uint64_t BeginNs);

  /// Each takes a record of thread Thread, and returns the ring whose scope
  /// path may have changed; nothing: the record is invalid.
  std::optional<uint32_t> take(const wire::ScopeBeginRecord &Rec,
                               RecordOrigin From, uint32_t Thread);
  std::optional<uint32_t> take(const wire::ScopeEndRecord &Rec,
                               RecordOrigin From, uint32_t Thread);
  std::optional<uint32_t> take(const wire::MarkRecord &Rec, RecordOrigin From,
                               uint32_t Thread);
  std::optional<uint32_t> take(const wire::AskRecord &Rec, RecordOrigin From,
                               uint32_t Thread);
  std::optional<uint32_t> take(const wire::ScopeNameRecord &Rec,
                               RecordOrigin From, uint32_t Thread);
  std::optional<uint32_t> take(const wire::LayerTensorRecord &Rec,
                               RecordOrigin From, uint32_t Thread);
  /// Takes a record that changes only the ring's scope path, and no stats but
  /// those of operators: an operator starts, or ends as the innermost scope.
  /// False: another record, which is not taken.
  bool takeOperator(const wire::Record &Rec, uint32_t Ring);
  /// The trace's id of the innermost scope's scope path; 0: no scope is open.
  uint32_t scopePath(uint32_t Ring) const {
    return Ring < Rings.size() ? Rings[Ring].ScopePath : 0;
  }
  /// Where device allocators' reserved and live bytes are reported.
  ScopeReserved &reserved() { return Reserved; }
  /// The heap's allocator reserves Reserved bytes from now on, Active of them
  /// in use.
  void noteReserved(uint32_t Heap, uint64_t Reserved, uint64_t Active) {
    Spans.noteReserved(Heap, Reserved, Active);
  }
  /// Whether the program has set a mark since the last call.
  bool takeMarked() { return std::exchange(WasMarked, false); }
  /// The memory at Address is a new tensor's.
  void beginTensor(uint64_t Address) { Parameters.forget(Address); }
  /// The calls, times and tensors of operators.
  OperatorTable &operators() { return Operators; }
  /// The training of the process, and each thread's place in the training.
  const TensorCategories &categories() const { return Categories; }
  TensorCategories &categories() { return Categories; }
  TrainingPlace place(uint32_t Ring) const {
    return Ring < Rings.size() ? Rings[Ring].Place : TrainingPlace::Outside;
  }
  /// The text of the innermost layer, forward or backward, for layerName(); 0:
  /// none.
  uint32_t layer(uint32_t Ring) const {
    return Ring < Rings.size() ? Chains[Rings[Ring].Chain].Text : 0;
  }
  /// The string of the layer's name as known by now; 0 for 0.
  uint32_t layerName(uint32_t Text);
  /// The dtype of the first result of the innermost operator of TensorFlow that
  /// the ring's thread runs, a string; 0: there is none, or no type of
  /// elements.
  uint32_t resultDtype(uint32_t Ring);
  /// The place of a tensor that a compiled graph makes. Layer: as layer().
  struct CompiledPlace {
    uint32_t ScopePath, Layer;
  };
  /// Layers: a text of StackMap::layersAt(), not 0.
  CompiledPlace compiledPlace(uint32_t Ring, uint32_t Layers);
  /// Ends the open scopes of the ring.
  void endRing(uint32_t Ring, uint64_t TimeNs);
  /// Ends all open scopes, and adds the stats of all scopes to the recording.
  void finish(uint64_t TimeNs);
  /// Adds stats to Out: of scopes and layers that have ended, and of open
  /// scopes up to TimeNs. OnlyChanged: those that have changed since the last
  /// such call.
  void addStats(uint64_t TimeNs, bool OnlyChanged,
                std::vector<LayerStats> &Out);

private:
  /// The work of a PyTorch thread. Recompute: forward again, in backward.
  enum class TrainingPhase : uint8_t {
    None,
    Forward,
    Backward,
    Recompute,
    Optimizer
  };
  /// Node, NodeBackward: an operator of a graph, for the layers of its name.
  enum class Measure : uint8_t {
    None,
    Scope,
    Range,
    Layer,
    Backward,
    Node,
    NodeBackward
  };
  /// Whether a scope that is measured as a layer counts as a call of it.
  enum class LayerCall : uint8_t {
    Whole,
    Part,       ///< a further node of a call in the backward pass
    Recomputed, ///< the forward pass again, beside the call's nodes
  };
  /// An open scope. ScopePath, Chain, In, Place, Function: the values outside
  /// of the scope.
  struct RunningScope {
    uint64_t Number;
    uint32_t ScopePath;
    uint32_t Chain;
    TrainingPhase In;
    Measure Measured;
    bool EndsStep;
    TrainingPlace Place = TrainingPlace::Outside;
    bool IsUpdate = false; ///< the step of an optimizer
    uint64_t Function = 0;
    bool IsFunction = false;
    uint32_t NodeChain = 0;  ///< of the graph node's layers
    bool IsOperator = false; ///< open in Operators
    uint8_t DataType = 0;    ///< TF_DataType of the operator's first result
    LayerCall Call = LayerCall::Whole;
  };
  struct LayerBegin {
    uint64_t InnerNs = 0;     ///< the time of layers inside
    uint64_t FlopsBefore = 0; ///< of the ring
  };
  struct RingScopes {
    llvm::SmallVector<RunningScope, 4> Opens;
    uint32_t ScopePath = 0;
    uint32_t Chain = 0; ///< of the innermost layer
    TrainingPhase In = TrainingPhase::None;
    TrainingPlace Place = TrainingPlace::Outside;
    /// Has run a layer, a node or an optimizer.
    bool Trains = false;
    /// Of each open scope measured as a layer.
    llvm::SmallVector<LayerBegin, 8> Layers;
    /// The range of the tf.function that the thread calls or works for; 0:
    /// none.
    uint64_t Function = 0;
  };
  /// A text, and its string in the trace.
  struct ScopeName {
    uint32_t String = 0;
    std::string Text;
    bool EndsSteps = false; ///< ranges of this name match --step
  };
  /// An operator's name, and its row in Operators.
  struct OperatorName {
    uint32_t Row = 0;
    bool IsEngine = false; ///< autograd's work around a node
    TrainingPlace Outside = TrainingPlace::Computing; ///< outside of passes
  };
  /// The number of a text or node, in the low half of the program's word; 0 for
  /// numbers too large: maps reserve them.
  static uint32_t numberOf(uint64_t Word) {
    return uint32_t(Word) <= INT32_MAX ? uint32_t(Word) : 0;
  }
  const ScopeName &name(uint32_t Text);
  bool endsSteps(llvm::StringRef Name) const;
  RingScopes &ring(uint32_t I);
  static bool isInStep(const RingScopes &Of);
  bool begin(const wire::ScopeBeginRecord &Rec, RecordOrigin From,
             uint32_t Thread);
  void noteName(const ScopeTree::Entered &In, const ScopeName &N,
                RecordOrigin From, uint32_t Thread);
  // TorchScopes.cpp: layers, operators, autograd's nodes, ranges.
  bool beginTorch(const wire::ScopeBeginRecord &Rec, RecordOrigin From);
  uint32_t beginLayer(RingScopes &Of, RunningScope &O, uint64_t Flags,
                      uint32_t Text);
  uint32_t beginOptimizer(RingScopes &Of, RunningScope &O, uint32_t Text,
                          uint32_t Optimizer);
  void open(RingScopes &Of, const RunningScope &O, uint32_t ScopePath,
            uint32_t RangeText, RecordOrigin From);
  // CompiledScopes.cpp
  llvm::SmallVector<uint32_t, 8> layersInside(uint32_t Chain,
                                              llvm::StringRef Rows);
  std::string layerText(uint32_t Text);
  uint32_t innerLayer(uint32_t Chain, uint32_t Text);
  // TensorFlowScopes.cpp
  bool beginTensorFlow(const wire::ScopeBeginRecord &Rec, RecordOrigin From);
  uint32_t beginGraphNode(RingScopes &Of, RunningScope &O, uint32_t Text);
  uint32_t beginFunction(RingScopes &Of, RunningScope &O, uint32_t Text);
  uint32_t beginLink(RingScopes &Of, uint64_t Number);
  bool endFunction(uint64_t Number);
  void endNode(const LayerRange &S, const RunningScope &O, uint64_t SelfNs);
  uint32_t operatorText(uint32_t Text, uint8_t DataType);
  llvm::DenseMap<uint8_t, uint32_t> DataTypes; ///< strings, by TF_DataType
  uint32_t ownText(llvm::StringRef Name);
  uint32_t enter(uint32_t Parent, ScopeKind Kind, uint32_t Text,
                 uint32_t Color = 0);
  uint32_t enterAs(uint32_t Parent, ScopeKind Kind, uint32_t Id,
                   llvm::StringRef Name, uint32_t Color = 0);
  uint32_t enterLayer(uint32_t Parent, uint32_t Text);
  bool nameLayer(uint32_t Old, uint32_t New);
  uint32_t enterPhase(RingScopes &Of, uint32_t Parent, TrainingPhase P);
  static uint64_t runOf(const RingScopes &Of);
  bool isFirstOfRun(uint64_t ForwardNumber, uint32_t Text);
  uint32_t enterForward(uint32_t Parent, uint64_t Forward, uint32_t &Chain);
  uint32_t enterLayers(uint32_t Parent, uint32_t Chain);
  uint32_t chainOf(uint32_t Outer, uint32_t Text);
  uint32_t lineOf(uint32_t Node);
  uint32_t findLine(uint32_t Node);
  const OperatorName &operatorName(uint32_t Text, bool IsNode);
  void beginOperator(const OperatorName &Operator,
                     const wire::ScopeBeginRecord &Rec, RecordOrigin From);
  void enterPlace(RingScopes &Of, uint64_t Kind, const OperatorName &Operator,
                  uint32_t Text, RunningScope &O);
  void addOperators(bool OnlyChanged, std::vector<LayerStats> &Out);
  /// What a run of a layer did itself, or with the layers inside.
  struct LayerWork {
    uint64_t SelfNs = 0, Flops = 0;
  };
  /// Stats of all calls of a scope or layer.
  struct ScopeTotal {
    LayerStats Stats;
    bool HasChanged = false; ///< since the last addStats() of changes
  };
  LayerStats &totalOf(uint64_t Key) {
    ScopeTotal &T = TotalStats[Key];
    T.HasChanged = true;
    return T.Stats;
  }
  void addCall(LayerStats &T, const ScopeResult &S, ScopeKind Kind);
  void endLayer(const LayerRange &S, const RunningScope &O, LayerWork Work,
                uint64_t TimeNs);
  LayerStats &addLayer(const LayerRange &S, uint32_t Name, bool Backward,
                       LayerWork Work);
  static SpaceShare &shareOf(LayerStats &T, uint32_t Space);
  static void addToLayer(LayerStats &T, uint32_t Space,
                         const LayerRange::HeapRow &Row);
  void raisePeaks(LayerStats &T) const;
  static void addSpaces(LayerStats &T, const ScopeResult &S);
  void addTensors(LayerStats &T, const ScopeResult &S) const;
  void end(uint64_t Number, uint32_t &Ring, uint64_t TimeNs);
  void endFrom(uint32_t Ring, size_t First, uint64_t TimeNs);
  void endRange(uint64_t Number, uint64_t TimeNs, ScopeKind Kind);
  bool mark(const wire::MarkRecord &Rec, RecordOrigin From, uint32_t Thread);
  void step(uint64_t TimeNs, uint32_t Thread);
  bool answer(const wire::AskRecord &Rec, RecordOrigin From);
  void write(const ScopeResult &S, wire::Reply &To) const;

  /// Bounds the memory that a thread's records can use.
  static constexpr size_t MaxOfRing = 1 << 16, MaxNames = 1 << 16;
  static constexpr uint64_t MaxFoldedMarks = 1 << 16;
  /// Bounds each cache and table of names: chains of layers, scope paths,
  /// lines.
  static constexpr size_t MaxKept = 1 << 20;
  static constexpr uint32_t DeepestChain = 1024;

  SharedProcess &Shared;
  Recording &R;
  uint32_t Process;
  std::vector<RingScopes> Rings;
  ScopeDepth Depth;
  ScopeStatsTable Spans;
  ScopeReserved Reserved; ///< of scopes of layers
  /// For layers, by the key of TotalStats: the time with known reserved bytes,
  /// and this time multiplied by the share that was no live block.
  llvm::DenseMap<uint64_t, std::pair<double, double>> Wasted;
  llvm::DenseMap<uint32_t, ScopeName> Names; ///< by text
  /// Key: string of the name; above it direction and kind.
  llvm::MapVector<uint64_t, ScopeTotal> TotalStats;
  uint64_t Steps = 0, FoldedMarks = 0;
  /// Open scopes without a scope path whose ends are steps.
  llvm::DenseSet<uint64_t> StepScopes;

  // Operators of frameworks
  OperatorTable Operators;
  /// By text, times 2, plus 1 for nodes of autograd.
  llvm::DenseMap<uint64_t, OperatorName> OperatorNames;
  /// Their rows, by string, as the key of OperatorNames.
  llvm::DenseMap<uint64_t, uint32_t> RowsOfNames;
  /// By row: the operator's text, as the key of OperatorNames.
  llvm::DenseMap<uint32_t, uint64_t> OperatorTexts;
  ShapeRows RowsOfShapes;
  ParameterTable Parameters;

  // PyTorch only
  TensorCategories Categories;
  /// The running modules, linked to their outer modules; 0: none.
  struct ChainLink {
    uint32_t Outer, Text, Depth;
  };
  std::vector<ChainLink> Chains{{0, 0, 0}};
  /// A layer that ran before its name was known, by the text in place of the
  /// name. Text: of the name; 0: still unknown.
  struct Unnamed {
    uint32_t Scope = 0, Text = 0;
  };
  llvm::DenseMap<uint32_t, Unnamed> UnnamedLayers;
  llvm::DenseMap<uint64_t, uint32_t> ChainIds;    ///< by link
  llvm::DenseMap<uint64_t, uint32_t> InnerLayers; ///< by chain and text
  /// By the ring's scope path and chain, and the text of layers.
  llvm::DenseMap<std::pair<uint64_t, uint32_t>, CompiledPlace> CompiledPlaces;
  /// The scope path by parent, kind and text.
  llvm::DenseMap<std::pair<uint64_t, uint32_t>, uint32_t> Entered;
  llvm::DenseMap<uint32_t, uint32_t> Lines; ///< by Python node
  llvm::StringMap<uint32_t> LineIds;
  std::vector<std::string> LineTexts{""};
  /// The last operators, by number: nodes of autograd stem from them, and other
  /// threads continue their work.
  struct ForwardOperator {
    uint64_t Number = 0;
    uint32_t Chain = 0, Node = 0;
    uint32_t ScopePath = 0; ///< of its scope
    uint64_t Run = 0;       ///< the number of the innermost layer's scope
  };
  static constexpr size_t NumForwards = 1 << 18;
  std::vector<ForwardOperator> Forwards;
  /// By the number of a layer's run: the node of the backward pass that counted
  /// a call of it first, its forward operator and its text. The same node again
  /// is another pass over the graph.
  llvm::DenseMap<uint64_t, std::pair<uint64_t, uint32_t>> BackwardRuns;
  struct BackwardCalls {
    uint64_t OfNodes = 0, Recomputed = 0;
  };
  llvm::DenseMap<uint32_t, BackwardCalls> CallsOfLayers; ///< by name
  uint64_t StepRange = 0;   ///< the range whose ends are steps; 0: unknown
  bool HasOwnSteps = false; ///< the program reports its steps
  bool WasMarked = false;

  // TensorFlow only
  /// A call of a tf.function that runs, by the number of its range: where its
  /// operators begin, and whether an operator has computed a gradient.
  struct FunctionRun {
    uint32_t ScopePath = 0, Chain = 0, Text = 0;
    TrainingPhase In = TrainingPhase::None;
    bool Trains = false;
  };
  static constexpr size_t MaxFunctions = 4096;
  llvm::DenseMap<uint64_t, FunctionRun> Functions;
  GraphNodeNames Graphs;
  /// The parts of a node's name, by the name's text.
  struct NodeParts {
    GraphNode::Direction In = GraphNode::Direction::Forward;
    llvm::SmallVector<uint32_t, 4> Layers; ///< texts
    uint32_t Optimizer = 0;                ///< text; 0: none
  };
  const NodeParts &nodeParts(uint32_t Text);
  llvm::DenseMap<uint32_t, NodeParts> Nodes;
  /// Texts of the recorder's own: numbers from FirstOwn on.
  static constexpr uint32_t FirstOwn = 1u << 31;
  llvm::StringMap<uint32_t> OwnTexts;
  llvm::DenseMap<uint64_t, uint32_t> TypedTexts; ///< by text and data type
  /// By the key of TotalStats: the last function, or the complement of the
  /// last step, whose call was counted.
  llvm::DenseMap<uint64_t, uint64_t> LastFunctions;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_PROCESSSCOPES_H
