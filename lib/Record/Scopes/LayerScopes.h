// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layers, passes and optimizers.
//
// Forward pass: forward > layers > operators.
//
// Layers that run in the backward pass (checkpoints): backward > recompute > as
// in the forward pass.
//
// Optimizer: optimizer > range > operators.

#ifndef MEMKIT_LIB_RECORD_LAYERSCOPES_H
#define MEMKIT_LIB_RECORD_LAYERSCOPES_H

#include "Scopes/ScopeReserved.h"
#include "Scopes/ScopeThreads.h"
#include "llvm/ADT/STLExtras.h"

namespace memkit {

/// The parts of scope paths that frameworks share. A framework opens its scopes
/// itself; this class enters the layers and passes, and adds the stats of the
/// scopes that it measures as layers. Belongs to the recorder's thread.
class LayerScopes : public ScopeOwner {
public:
  explicit LayerScopes(ScopeThreads &Threads) : Threads(Threads) {}

  using RingScopes = ScopeThreads::RingScopes;
  /// False: the record is invalid.
  bool take(const wire::ScopeNameRecord &Rec, ScopeOrigin From);

  /// Whether a scope that is measured as a layer counts as a call of it.
  enum class LayerCall : uint8_t {
    Whole,
    Part,       ///< a further node of a call in the backward pass
    Recomputed, ///< the forward pass again, beside the call's nodes
  };
  /// The scope O is measured as a run of a layer.
  void measure(RunningScope &O, bool Backward, LayerCall Call);
  /// Whether the scope O, measured as a layer, runs in the backward pass.
  static bool isBackward(const RunningScope &O);
  /// As ScopeThreads::open(); also measures the reserved memory of runs of
  /// layers.
  void open(const RunningScope &O, uint32_t ScopePath, uint32_t RangeText,
            RecordOrigin From) {
    Threads.open(O, ScopePath, RangeText, From);
    if (isRun(O))
      Reserved.begin(O.Number, Threads.timeNs(From));
  }
  /// The number of the innermost scope that is measured as a layer; 0: none.
  uint64_t runOf(const RingScopes &Of) const {
    for (const RunningScope &O : llvm::reverse(Of.Opens))
      if (isRun(O))
        return O.Number;
    return 0;
  }
  /// Enters a layer that runs, for the scope O. IsUnnamed: a ScopeNameRecord
  /// may define its name.
  uint32_t beginLayer(RingScopes &Of, RunningScope &O, bool IsUnnamed,
                      uint32_t Text);
  /// Enters a range. The step of an optimizer is a range, and its end is the
  /// end of a step of the program unless the program says otherwise. Optimizer:
  /// distinguishes optimizers with one text.
  uint32_t beginOptimizer(RingScopes &Of, RunningScope &O, uint32_t Text,
                          uint32_t Optimizer);
  /// Whether the range of this name is the step of an optimizer.
  static bool isOptimizer(llvm::StringRef Name) {
    return Name.starts_with("Optimizer.step#");
  }
  uint32_t enterPhase(RingScopes &Of, uint32_t Parent, TrainingPhase P);
  /// As ScopeThreads::enter(). A layer without a name gets a scope of its own.
  uint32_t enterLayer(uint32_t Parent, uint32_t Text);
  uint32_t enterLayers(uint32_t Parent, uint32_t Chain);

  /// The running layers, linked to their outer layers; 0: none.
  struct ChainLink {
    uint32_t Outer, Text, Depth;
  };
  const ChainLink &chain(uint32_t Chain) const { return Chains[Chain]; }
  uint32_t chainOf(uint32_t Outer, uint32_t Text);
  static constexpr uint32_t DeepestChain = 1024;

  /// The text of the ring's innermost layer, forward or backward; 0: none.
  uint32_t layer(uint32_t Ring) const {
    return Chains[Threads.context(Ring).Chain].Text;
  }
  /// The string of the layer's name as known by now; 0 for 0.
  uint32_t layerName(uint32_t Text);
  std::string layerText(uint32_t Text) {
    return Threads.name(nameOf(Text)).Text;
  }
  /// Where device allocators' reserved and live bytes are reported.
  ScopeReserved &reserved() { return Reserved; }

  void endedLayer(const RunningScope &O, uint32_t Ring, const LayerRange &S,
                  ScopeTotals::LayerWork Work, uint64_t TimeNs) override;

private:
  bool isRun(const RunningScope &O) const {
    return O.Measured == ScopeMeasure::Layer && O.Owner == this;
  }
  uint32_t nameOf(uint32_t Text) const;
  void addReserved(LayerStats &T, const LayerRange &S, uint64_t TimeNs);

  ScopeThreads &Threads;
  ScopeReserved Reserved;
  /// By string and direction: the time with known reserved bytes, and this time
  /// multiplied by the share that was no live block.
  llvm::DenseMap<uint64_t, std::pair<double, double>> Wasted;
  std::vector<ChainLink> Chains{{0, 0, 0}};
  llvm::DenseMap<uint64_t, uint32_t> ChainIds; ///< by link
  /// A layer that ran before its name was known, by the text in place of the
  /// name. Text: of the name; 0: still unknown.
  struct Unnamed {
    uint32_t Scope = 0, Text = 0;
  };
  llvm::DenseMap<uint32_t, Unnamed> UnnamedLayers;
  struct BackwardCalls {
    uint64_t OfNodes = 0, Recomputed = 0;
  };
  llvm::DenseMap<uint32_t, BackwardCalls> CallsOfLayers; ///< by name
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_LAYERSCOPES_H
