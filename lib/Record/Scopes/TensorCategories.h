// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The category of a tensor: its purpose in training.
//
// A tensor's category often shows only at its free: an activation dies in the
// backward pass, a temporary before the end of the pass that made it, a
// gradient outlives the backward pass. So a tensor's origin is kept while the
// tensor lives, and its category is decided at its free, or at the end of the
// recording. docs/Recorded.md has the rule.

#ifndef MEMKIT_LIB_RECORD_TENSORCATEGORIES_H
#define MEMKIT_LIB_RECORD_TENSORCATEGORIES_H

#include "memkit/Trace/Sections.h"
#include <bitset>

namespace memkit {

/// The place of a thread in the training.
enum class TrainingPlace : uint8_t {
  Outside,
  /// In an operator that reads no tensor, outside of all places below.
  Making,
  /// In an operator that only copies, outside of all places below.
  Moving,
  /// In any other operator, outside of all places below.
  Computing,
  Forward,   ///< a layer
  Recompute, ///< a layer, in backward
  /// In a node of autograd, or in the engine's work around the node.
  Backward,
  Accumulate, ///< the node that gives a parameter its gradient
  Optimizer,  ///< the step of an optimizer
};

/// The code that allocates, by its Python frames: the first entry that applies.
enum class MadeBy : uint8_t {
  Unknown,
  Initializer,  ///< torch.nn.init, works in place
  Loading,      ///< Module.load_state_dict
  Module,       ///< making, moving or copying a module
  Optimizer,    ///< of torch.optim
  Buckets,      ///< DistributedDataParallel's gradient buckets
  BackwardCall, ///< torch.autograd.backward() itself
  /// By any code; a module or optimizer holds the tensor as a parameter.
  Held,
  /// By any code; an optimizer holds the tensor as its state.
  HeldState
};

/// Decides the categories of tensors from the course of a process's training,
/// reported in order. Belongs to the recorder's thread.
class TensorCategories {
public:
  /// The facts about a tensor that are known at its allocation.
  struct Origin {
    uint64_t Event = 0; ///< as LiveStats::events() counts
    uint64_t Turn = 0, Node = 0;
    uint32_t Forward = 0, Run = 0, Update = 0;
    uint32_t Heap = 0;
    uint32_t Layer = 0; ///< text
    TrainingPlace Place = TrainingPlace::Outside;
    MadeBy By = MadeBy::Unknown;
    bool AfterForward = false; ///< the last pass was a forward pass
  };

  /// The outermost layer of a forward pass starts.
  void beginForward() {
    ++Forwards;
    turn(false);
    InRun = false;
  }
  /// The engine of autograd starts a node. Consecutive nodes, with no other
  /// work of training between them, are one backward pass.
  void beginBackward() {
    if (InRun)
      return;
    InRun = true;
    ++Runs;
    turn(true);
  }
  /// A node other than Accumulate runs.
  void beginNode() { ++Nodes; }
  void beginUpdate() {
    ++Updates;
    ++Updating;
    InRun = false;
  }
  void endUpdate() { --Updating; }
  /// Memory ran out after event Event. The running passes may be over now and
  /// free their tensors as no other pass does: such tensors count as live ones.
  void fail(uint64_t Event) {
    Failed = {Event, Nodes, Forwards, InRun ? Runs : 0, Updating ? Updates : 0};
  }
  /// A thread that trains does other work.
  void otherWork() { InRun = false; }

  /// The caller sets Event, Heap and Layer.
  Origin origin(TrainingPlace Place, MadeBy By) const;
  /// The category of a tensor that is freed by a thread in place FreedAt.
  TensorCategory ofFreed(const Origin &B, TrainingPlace FreedAt) const;
  /// The category of a live tensor. Worker: in a process that loads data.
  TensorCategory ofLive(const Origin &B, bool Worker) const;

private:
  void turn(bool IsBackward) { Backwards[Turns++ % KnownTurns] = IsBackward; }
  bool anyTurnSince(const Origin &B) const { return Turns != B.Turn; }
  bool isForwardLast() const {
    return Turns && !Backwards[(Turns - 1) % KnownTurns];
  }
  bool backwardCameFirst(const Origin &B) const {
    return Turns - B.Turn <= KnownTurns && Backwards[B.Turn % KnownTurns];
  }
  TensorCategory ofOutside(const Origin &B, bool Freed) const;
  bool isOfFailed(const Origin &B) const;

  /// The last forward and backward passes.
  static constexpr size_t KnownTurns = 4096;
  std::bitset<KnownTurns> Backwards;
  uint64_t Turns = 0, Nodes = 0;
  uint32_t Forwards = 0, Runs = 0, Updates = 0, Updating = 0;
  bool InRun = false;
  /// The last failure, and the passes that ran then, from 1; 0: no pass.
  struct {
    uint64_t Event = 0, Node = 0;
    uint32_t Forward = 0, Run = 0, Update = 0;
  } Failed;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_TENSORCATEGORIES_H
