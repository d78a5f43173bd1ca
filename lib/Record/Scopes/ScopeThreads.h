// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The open scopes of a process's threads.

#ifndef MEMKIT_LIB_RECORD_SCOPETHREADS_H
#define MEMKIT_LIB_RECORD_SCOPETHREADS_H

#include "Scopes/OperatorRows.h"
#include "Scopes/ProcessSteps.h"
#include "Scopes/ScopeNames.h"
#include "Scopes/ScopeTotals.h"
#include "Scopes/TensorCategories.h"
#include "Shared/RecordOrigin.h"
#include "Shared/TscClock.h"
#include "Trace/ScopeTree.h"
#include "Wire/ScopeRecords.h"
#include "llvm/ADT/SmallVector.h"

namespace memkit {

struct RunningScope;

/// The origin of a record of scopes. Thread: the trace's thread of the ring.
struct ScopeOrigin : RecordOrigin {
  uint32_t Thread;
};

/// A class of scopes that acts at the end of its scopes.
class ScopeOwner {
public:
  /// The scope O of the ring has ended, and all scopes inside of it. Returns
  /// whether this ends a step.
  virtual bool ended(const RunningScope &O, uint32_t Ring) { return false; }
  /// As ended(), of a scope measured as a layer; called after it.
  virtual void endedLayer(const RunningScope &O, uint32_t Ring,
                          const LayerRange &S, ScopeTotals::LayerWork Work,
                          uint64_t TimeNs) {}

protected:
  ~ScopeOwner() = default;
};

/// The work of a thread that trains. Recompute: forward again, in backward.
enum class TrainingPhase : uint8_t {
  None,
  Forward,
  Backward,
  Recompute,
  Optimizer
};

/// What the open scopes of a thread say together.
struct ScopeContext {
  uint32_t ScopePath = 0; ///< the trace's id
  uint32_t Chain = 0;     ///< of the innermost layer: see LayerScopes
  TrainingPhase In = TrainingPhase::None;
  TrainingPlace Place = TrainingPlace::Outside;
};

enum class ScopeMeasure : uint8_t { None, Scope, Range, Layer };

struct RunningScope {
  uint64_t Number;
  ScopeContext Outside; ///< before the scope
  ScopeMeasure Measured = ScopeMeasure::None;
  bool EndsStep = false;
  bool IsOperator = false; ///< open in the table of operators
  uint32_t RangeText = 0;  ///< of a measured scope: its name in the stats
  uint64_t Detail = 0;     ///< the owner's
  ScopeOwner *Owner = nullptr;
};

/// The open scopes of each ring follow from the ring's records in their order:
/// a scope ends at its own end record, at the end of a scope that the ring
/// opened earlier, and at the end of the ring. Scopes of all classes lie in
/// each other, and one end may close several.
///
/// Belongs to the recorder's thread.
class ScopeThreads {
public:
  ScopeThreads(SharedProcess &Shared, Recording &R, uint32_t Process,
               uint64_t BeginNs);

  SharedProcess &shared() { return Shared; }
  Recording &recording() { return R; }
  uint32_t process() const { return Process; }
  ScopeNames &names() { return Names; }
  OperatorRows &operators() { return Operators; }
  ProcessSteps &steps() { return Steps; }
  ScopeStatsTable &measured() { return Spans; }
  ScopeTotals &totals() { return Totals; }
  const ScopeNames::ScopeName &name(uint32_t Text) { return Names.name(Text); }
  uint64_t timeNs(RecordOrigin From) const { return Clock.toNs(From.Tsc); }

  struct RingScopes {
    llvm::SmallVector<RunningScope, 4> Opens;
    ScopeContext Now;
    /// Of each open scope that is measured as a layer.
    struct LayerBegin {
      uint64_t InnerNs = 0;     ///< the time of layers inside
      uint64_t FlopsBefore = 0; ///< of the ring
    };
    llvm::SmallVector<LayerBegin, 8> Layers;
    /// Whether the ring is in a range that ends a step; ranges inside of that
    /// range end no step.
    bool isInStep() const;
  };
  RingScopes &ring(uint32_t I) {
    if (I >= Rings.size())
      Rings.resize(I + size_t(1));
    return Rings[I];
  }
  /// The context of the ring's thread now.
  ScopeContext context(uint32_t Ring) const {
    return Ring < Rings.size() ? Rings[Ring].Now : ScopeContext();
  }
  /// Bounds the memory that a thread's records can use.
  static constexpr size_t MaxOfRing = 1 << 16;
  /// Bounds each cache of chains of layers, scope paths and lines.
  static constexpr size_t MaxKept = 1 << 20;

  /// Enters a scope whose name is a text of the process.
  uint32_t enter(uint32_t Parent, ScopeKind Kind, uint32_t Text,
                 uint32_t Color = 0);
  /// \p Id: distinguishes \p Name from other names of the kind.
  uint32_t enterAs(uint32_t Parent, ScopeKind Kind, uint32_t Id,
                   llvm::StringRef Name, uint32_t Color = 0);
  /// A new scope of the ring, with the context as of now.
  static RunningScope newScope(const RingScopes &Of, uint64_t Number) {
    return {.Number = Number, .Outside = Of.Now};
  }
  /// Opens the scope O, with the scope path ScopePath, and starts to measure
  /// the scope if necessary. RangeText: of the name in the stats.
  void open(const RunningScope &O, uint32_t ScopePath, uint32_t RangeText,
            RecordOrigin From) {
    RingScopes &Of = ring(From.Ring);
    if (O.Measured != ScopeMeasure::None)
      measure(Of, O, RangeText, From);
    Of.Opens.push_back(O);
    Of.Opens.back().RangeText = RangeText;
    Of.Now.ScopePath = ScopePath;
  }
  /// Ends the scope Number of the ring, or of another, which \p Ring then
  /// names. False: no such scope is open.
  bool end(uint64_t Number, uint32_t &Ring, uint64_t TimeNs);
  /// Ends the innermost scope of the ring if it is Number and changes no stats
  /// but those of operators. False: it is another.
  bool endUnmeasured(uint64_t Number, RecordOrigin From);
  /// Ends a measured scope, open or without a scope path. Keeps user scopes
  /// alone for queries: a program cannot query a range.
  void endMeasured(uint64_t Number, uint64_t TimeNs, ScopeKind Kind);
  /// Ends the open scopes of the ring. EndsSteps: these may end steps.
  void endRing(uint32_t Ring, uint64_t TimeNs, bool EndsSteps = true);
  /// Ends all open scopes; the end of the process completes no step.
  void finish(uint64_t TimeNs);
  /// As ProcessScopes::addStats().
  void addStats(uint64_t TimeNs, bool OnlyChanged,
                std::vector<LayerStats> &Out);

private:
  void measure(RingScopes &Of, const RunningScope &O, uint32_t RangeText,
               RecordOrigin From);
  void endFrom(uint32_t Ring, size_t First, uint64_t TimeNs,
               bool EndsSteps = true);
  bool endScope(const RunningScope &O, uint32_t Ring, uint64_t TimeNs);
  void endLayer(const RunningScope &O, uint32_t Ring, uint64_t TimeNs);

  SharedProcess &Shared;
  Recording &R;
  const TscClock &Clock;
  uint32_t Process;
  std::vector<RingScopes> Rings;
  ScopeNames Names;
  OperatorRows Operators;
  ProcessSteps Steps;
  ScopeStatsTable Spans;
  ScopeTotals Totals;
  /// The scope path by parent, kind and text.
  llvm::DenseMap<std::pair<uint64_t, uint32_t>, uint32_t> Entered;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_SCOPETHREADS_H
