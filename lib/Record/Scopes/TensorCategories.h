// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a tensor is for.
//
// A tensor's category often shows only when it dies: an activation dies in the
// backward pass, a temporary before the pass that made it is over, a gradient
// outlives the backward pass. So what is known at its allocation is kept while
// it lives, and its category is told when it is freed, or at the end.
// docs/Capture.md has the rule.

#ifndef MEMKIT_LIB_RECORD_TENSORKINDS_H
#define MEMKIT_LIB_RECORD_TENSORKINDS_H

#include "memkit/Trace/Sections.h"
#include <bitset>

namespace memkit {

/// What a thread does.
enum class TrainingPlace : uint8_t {
  Outside,
  Making,     ///< outside of all below, an operator that reads no tensor
  Computing,  ///< likewise any other
  Forward,    ///< a layer
  Recompute,  ///< a layer, in backward
  Backward,   ///< a node of autograd, or what the engine does around it
  Accumulate, ///< the node that gives a parameter its gradient
  Optimizer,  ///< the step of an optimizer
};

/// What the frames of Python say of who allocates, the first that applies.
enum class MadeBy : uint8_t {
  Unknown,
  Initializer,  ///< torch.nn.init, which works in place
  Loading,      ///< Module.load_state_dict
  Module,       ///< the making, moving or copying of a module
  Optimizer,    ///< of torch.optim
  Buckets,      ///< of gradients, of DistributedDataParallel
  BackwardCall, ///< torch.autograd.backward() itself
  Held,         ///< whoever: a module or optimizer has it as a parameter
  HeldState     ///< whoever: an optimizer has it as what it keeps of one
};

/// The training of a process, as far as the categories of its tensors need it:
/// what happens is told in its order. Belongs to the recorder's thread.
class TensorCategories {
public:
  /// What is known of a tensor from its allocation.
  struct Origin {
    uint64_t Event = 0; ///< its number, as LiveStats::events() counts
    uint64_t Turn = 0, Node = 0;
    uint32_t Forward = 0, Run = 0, Update = 0;
    uint32_t Heap = 0;
    uint32_t Layer = 0; ///< text
    TrainingPlace Place = TrainingPlace::Outside;
    MadeBy By = MadeBy::Unknown;
  };

  /// An outermost layer begins.
  void beginForward() {
    ++Forwards;
    turn(false);
    InRun = false;
  }
  /// The engine of autograd takes up a node. Runs of nodes with nothing else
  /// between them are one backward pass.
  void beginBackward() {
    if (InRun)
      return;
    InRun = true;
    ++Runs;
    turn(true);
  }
  /// A node that is no Accumulate runs.
  void beginNode() { ++Nodes; }
  void beginUpdate() {
    ++Updates;
    ++Updating;
    InRun = false;
  }
  void endUpdate() { --Updating; }
  /// After the event Event memory could not be had: of what lives the passes
  /// that run may be over, and it is freed as in no other.
  void fail(uint64_t Event) {
    Failed = {Event, Nodes, Forwards, InRun ? Runs : 0, Updating ? Updates : 0};
  }
  /// A thread that trains does something else.
  void otherWork() { InRun = false; }

  /// Event, Heap and Layer are the caller's.
  Origin origin(TrainingPlace Place, MadeBy By) const;
  /// What a tensor was that is freed by a thread at FreedAt.
  TensorCategory ofFreed(const Origin &B, TrainingPlace FreedAt) const;
  /// What one is that lives; Workers: in a process that loads data.
  TensorCategory ofLive(const Origin &B, bool Worker) const;

private:
  void turn(bool IsBackward) { Backwards[Turns++ % KnownTurns] = IsBackward; }
  bool anyTurnSince(const Origin &B) const { return Turns != B.Turn; }
  bool backwardCameFirst(const Origin &B) const {
    return Turns - B.Turn <= KnownTurns && Backwards[B.Turn % KnownTurns];
  }
  TensorCategory ofOutside(const Origin &B, bool Freed) const;
  bool isOfFailed(const Origin &B) const;

  /// Forward and backward passes, of which the last are kept.
  static constexpr size_t KnownTurns = 4096;
  std::bitset<KnownTurns> Backwards;
  uint64_t Turns = 0, Nodes = 0;
  uint32_t Forwards = 0, Runs = 0, Updates = 0, Updating = 0;
  bool InRun = false;
  /// The last failure, and what ran then; 0: no such pass, of which the first
  /// is 1.
  struct {
    uint64_t Event = 0, Node = 0;
    uint32_t Forward = 0, Run = 0, Update = 0;
  } Failed;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_TENSORKINDS_H
