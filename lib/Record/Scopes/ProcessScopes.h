// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a process tells of itself.

#ifndef MEMKIT_LIB_RECORD_PROCESSSCOPES_H
#define MEMKIT_LIB_RECORD_PROCESSSCOPES_H

#include "Output/ScopeTree.h"
#include "Scopes/ReservedSpans.h"
#include "Scopes/ScopeDepth.h"
#include "Scopes/SpanTable.h"
#include "Scopes/TensorCategories.h"
#include "Shared/RecordOrigin.h"
#include "Wire/ScopeRecords.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"

namespace memkit {

class Recording;

/// The scopes, steps and marks of a process, from the records in which it tells
/// of them. Which scopes are open is known for each ring, from its records in
/// their order: a scope is over at its end, at the end of one that its ring
/// began before it, and at the ring's.
///
/// Belongs to the recorder's thread.
class ProcessScopes {
public:
  ProcessScopes(SharedProcess &Shared, Recording &R, uint32_t Process,
                uint64_t BeginNs);

  /// Each takes a record of thread Thread and gives the ring whose scope path
  /// may have changed; nothing: the record is nonsense.
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
  /// Of a record by which the ring's scope path alone changes, nothing that is
  /// measured: an operator of PyTorch begins, or ends as the innermost scope.
  /// False: it is another, and nothing was done.
  bool takeOperator(const wire::Record &Rec, uint32_t Ring);
  /// The innermost scope's scope path of the trace, 0 for none.
  uint32_t scopePath(uint32_t Ring) const {
    return Ring < Rings.size() ? Rings[Ring].ScopePath : 0;
  }
  /// To be told what allocators of devices hold.
  ReservedSpans &reserved() { return Reserved; }
  /// What the allocator of a heap reserves from now on, and of it has given
  /// out.
  void noteReserved(uint32_t Heap, uint64_t Reserved, uint64_t Active) {
    Spans.noteReserved(Heap, Reserved, Active);
  }
  /// Has the program put a mark since the last call?
  bool takeMarked() { return std::exchange(WasMarked, false); }
  /// The training, and what a thread does in it.
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
  /// The string of the layer's name as it is known by now; 0 for 0.
  uint32_t layerName(uint32_t Text);
  /// The scopes that are open in the ring end.
  void endRing(uint32_t Ring, uint64_t TimeNs);
  /// All that are open end, and the sums of all go to the recording.
  void finish(uint64_t TimeNs);

private:
  /// What a thread of PyTorch does. Recompute: forward again, in backward.
  enum class Phase : uint8_t { None, Forward, Backward, Recompute, Optimizer };
  enum class Measure : uint8_t { None, Scope, Range, Layer, Backward };
  /// A scope that is open. ScopePath, Chain, In: those outside of it.
  struct Open {
    uint64_t Number;
    uint32_t ScopePath;
    uint32_t Chain;
    Phase In;
    Measure Measured;
    bool EndsStep;
    TrainingPlace Place = TrainingPlace::Outside;
    bool IsUpdate = false; ///< the step of an optimizer
  };
  struct RingScopes {
    llvm::SmallVector<Open, 4> Opens;
    uint32_t ScopePath = 0;
    uint32_t Chain = 0; ///< of the innermost layer
    Phase In = Phase::None;
    TrainingPlace Place = TrainingPlace::Outside;
    bool Trains = false; ///< has run a layer, a node or an optimizer
  };
  /// A text, as the trace has it.
  struct Name {
    uint32_t String = 0;
    std::string Text;
    bool EndsSteps = false; ///< ranges of this name do, as --step says
  };
  /// Of a text or a node, in the low half of what a program says; 0: there are
  /// none of that number, and maps keep it for themselves.
  static uint32_t numberOf(uint64_t Word) {
    return uint32_t(Word) <= INT32_MAX ? uint32_t(Word) : 0;
  }
  const Name &name(uint32_t Text);
  bool endsSteps(llvm::StringRef Name) const;
  RingScopes &ring(uint32_t I);
  static bool isInStep(const RingScopes &Of);
  bool begin(const wire::ScopeBeginRecord &Rec, RecordOrigin From,
             uint32_t Thread);
  void noteName(const ScopeTree::Entered &In, const Name &N, RecordOrigin From,
                uint32_t Thread);
  // TorchScopes.cpp: layers, operators, autograd's nodes, ranges.
  bool beginTorch(const wire::ScopeBeginRecord &Rec, RecordOrigin From);
  uint32_t enter(uint32_t Parent, ScopeKind Kind, uint32_t Text,
                 uint32_t Color = 0);
  uint32_t enterAs(uint32_t Parent, ScopeKind Kind, uint32_t Id,
                   llvm::StringRef Name, uint32_t Color = 0);
  uint32_t enterLayer(uint32_t Parent, uint32_t Text);
  bool nameLayer(uint32_t Old, uint32_t New);
  uint32_t enterPhase(RingScopes &Of, uint32_t Parent, Phase P);
  uint32_t enterForward(uint32_t Parent, uint64_t Forward, uint32_t &Chain);
  uint32_t enterLayers(uint32_t Parent, uint32_t Chain);
  uint32_t chainOf(uint32_t Outer, uint32_t Text);
  uint32_t lineOf(uint32_t Node);
  uint32_t findLine(uint32_t Node);
  void enterPlace(RingScopes &Of, uint64_t Kind, llvm::StringRef Name, Open &O);
  void endLayer(const LayerSpan &S, bool Backward, uint64_t TimeNs);
  static SpaceShare &shareOf(LayerStats &T, uint32_t Space);
  static void addToLayer(LayerStats &T, uint32_t Space,
                         const LayerSpan::HeapRow &Row);
  void raisePeaks(LayerStats &T) const;
  static void addDevices(LayerStats &T, const Span &S);
  void addTensors(LayerStats &T, const Span &S) const;
  void end(uint64_t Number, uint32_t &Ring, uint64_t TimeNs);
  void endFrom(RingScopes &Of, size_t First, uint64_t TimeNs);
  void endSpan(uint64_t Number, uint64_t TimeNs, ScopeKind Kind);
  bool mark(const wire::MarkRecord &Rec, RecordOrigin From, uint32_t Thread);
  void step(uint64_t TimeNs, uint32_t Thread);
  bool answer(const wire::AskRecord &Rec, RecordOrigin From);
  void write(const Span &S, wire::Reply &To) const;

  /// A thread cannot make us keep more.
  static constexpr size_t MaxOfRing = 1 << 16, MaxNames = 1 << 16;
  static constexpr uint64_t MaxFoldedMarks = 1 << 16;
  /// Each of what is kept to be found again quickly, or to be named: chains of
  /// layers, scope paths, lines.
  static constexpr size_t MaxKept = 1 << 20;
  static constexpr uint32_t DeepestChain = 1024;

  SharedProcess &Shared;
  Recording &R;
  uint32_t Process;
  std::vector<RingScopes> Rings;
  ScopeDepth Depth;
  SpanTable Spans;
  ReservedSpans Reserved; ///< of those of layers
  /// Of layers, as TotalStats: the time in which it is known what is reserved,
  /// and of it the share that was no live block.
  llvm::DenseMap<uint64_t, std::pair<double, double>> Wasted;
  llvm::DenseMap<uint32_t, Name> Names; ///< by text
  /// By string, and kind and direction above it.
  llvm::MapVector<uint64_t, LayerStats> TotalStats;
  uint64_t Steps = 0, FoldedMarks = 0;
  /// Scopes without a scope path, that are open, whose ends are steps.
  llvm::DenseSet<uint64_t> StepScopes;

  // Of PyTorch.
  TensorCategories Categories;
  /// The modules that run, one in the other: 0: none does.
  struct ChainLink {
    uint32_t Outer, Text, Depth;
  };
  std::vector<ChainLink> Chains{{0, 0, 0}};
  /// By a text that stands for a name: the scope, and the name's text; 0: it
  /// has not come.
  struct Unnamed {
    uint32_t Scope = 0, Text = 0;
  };
  llvm::DenseMap<uint32_t, Unnamed> UnnamedLayers;
  llvm::DenseMap<uint64_t, uint32_t> ChainIds; ///< by link
  /// By parent, kind and text: the scope path.
  llvm::DenseMap<std::pair<uint64_t, uint32_t>, uint32_t> Entered;
  llvm::DenseMap<uint32_t, uint32_t> Lines; ///< by node of Python
  llvm::StringMap<uint32_t> LineIds;
  std::vector<std::string> LineTexts{""};
  /// Of the last operators, by number: what a node of autograd may be of.
  struct Forward {
    uint64_t Number = 0;
    uint32_t Chain = 0, Node = 0;
  };
  static constexpr size_t NumForwards = 1 << 18;
  std::vector<Forward> Forwards;
  uint64_t StepRange = 0;   ///< the one whose ends are steps; 0: none is known
  bool HasOwnSteps = false; ///< the program names them
  bool WasMarked = false;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_PROCESSSCOPES_H
