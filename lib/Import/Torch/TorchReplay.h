// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes the events of a trace from a PyTorch snapshot.

#ifndef MEMKIT_LIB_IMPORT_TORCHREPLAY_H
#define MEMKIT_LIB_IMPORT_TORCHREPLAY_H

#include "TorchScopes.h"
#include "TorchSegments.h"
#include "TorchSizes.h"
#include "memkit/Support/ProgressCallback.h"

namespace memkit {

/// Replays the events of all devices in the order of time. First come the
/// blocks that lived before the first event: the blocks of the snapshot, with
/// the events undone. A tensor ends with free_requested, as in a recording of
/// memrec; until free_completed its memory is in use, and counts as active.
class TorchReplay {
public:
  TorchReplay(TraceBuilder &To, TorchSnapshotData &In);
  void run(const ProgressCallback &OnProgress);

private:
  struct LiveTorchTensor {
    uint64_t Block = 0; ///< TraceBuilder::allocate()
    uint64_t Size = 0;
    TorchPlace Made = TorchPlace::Other;
    /// Of the open optimizer's range; 0: none was open.
    uint32_t Optimizer = 0;
  };
  /// A device while its events are replayed. Addresses in maps are XORed with
  /// BlockTable::Flip.
  struct DeviceReplay {
    DeviceReplay(uint32_t Index, TorchDevice &Data, TraceBuilder &To,
                 const TorchLabels &Labels, TorchRangeTable &Ranges)
        : Index(Index), Data(&Data), Events(Data.Trace.Log),
          Scopes(To, Labels, Ranges) {}
    uint32_t Index;
    TorchDevice *Data;
    TorchLog::Reader Events;
    TorchScopes Scopes;
    TorchSegmentTable Segments;
    llvm::DenseMap<uint64_t, LiveTorchTensor> Live;
    llvm::DenseMap<uint64_t, uint64_t> InUse; ///< bytes
    /// Ends of blocks of more than TorchSizes::SmallRequest, live or in use, by
    /// address.
    std::map<uint64_t, uint64_t> Large;
    /// Tensors of the snapshot.
    llvm::DenseMap<uint64_t, const TorchBlock *> Last;
    uint32_t SegmentHeap = 0, TensorHeap = 0;
    uint64_t LiveBytes = 0, InUseBytes = 0, Reserved = 0;
    uint64_t MarkedBytes = 0; ///< the most active bytes of a mark so far
    uint64_t NowUs = 0;
    bool MarksNext = false; ///< a mark comes after the next tensor
  };

  // TorchReplay.cpp: the order of events
  void start();
  DeviceReplay *next();
  uint64_t timeNs(uint64_t Us) const;
  uint64_t markNs() const;
  void takeAnnotations(uint64_t UntilUs);
  void annotate(const TorchAnnotation &A, DeviceReplay *On);
  void take(DeviceReplay &D, const TorchEvent &E);
  void report();

  // TorchTensors.cpp: tensors, and the failures to make one
  std::vector<TorchBlock> tensorsBefore(DeviceReplay &D);
  void addBefore(DeviceReplay &D, const TorchBlock &B);
  void allocate(DeviceReplay &D, const TorchEvent &E);
  void addTensor(DeviceReplay &D, const TorchEvent &E, uint64_t Size);
  void requestFree(DeviceReplay &D, const TorchEvent &E);
  void completeFree(DeviceReplay &D, const TorchEvent &E);
  bool freeTensor(DeviceReplay &D, uint64_t Address, uint64_t &Size,
                  uint32_t Stack = 0);
  void categorize(const DeviceReplay &D, const LiveTorchTensor &L, bool IsLive,
                  uint32_t Stack);
  void beginInUse(DeviceReplay &D, uint64_t Address, uint64_t Bytes);
  void endInUse(DeviceReplay &D, uint64_t Address);
  uint64_t sizeOf(DeviceReplay &D, const TorchEvent &E);
  uint64_t sizeInSegment(DeviceReplay &D, const TorchEvent &E);
  void finishTensors(DeviceReplay &D);
  void categorizeLive(const DeviceReplay &D);
  void fail(DeviceReplay &D, const TorchEvent &E);

  // TorchSegmentEvents.cpp
  static bool hidesLines(const TorchDevice &D);
  void startDevice(DeviceReplay &D);
  void findSizes(TorchSegment &S) const;
  void putSegment(DeviceReplay &D, const TorchSegment &S);
  void takeSegment(DeviceReplay &D, const TorchEvent &E);
  void map(DeviceReplay &D, const TorchSegment &S);
  void shrink(DeviceReplay &D, TorchSegmentMap::iterator It, uint64_t Bytes);
  void endSegment(DeviceReplay &D, TorchSegmentMap::iterator It);
  void finishSegments(DeviceReplay &D);
  uint32_t poolAt(const DeviceReplay &D, uint64_t Address) const;
  void markReserved(DeviceReplay &D);
  void markHigh(DeviceReplay &D);
  void markAgain(DeviceReplay &D);

  TraceBuilder &To;
  TorchSnapshotData &In;
  TorchSizes Sizes;
  uint32_t Process, Thread;
  TorchRangeTable Ranges;
  std::vector<DeviceReplay> Devices;
  TorchSteps Steps;
  size_t NumAnnotations = 0; ///< taken so far
  uint64_t FirstUs = 0, NowNs = 0;
  uint64_t NumTaken = 0, NumEvents = 0;
  uint64_t NumBefore = 0;    ///< blocks from before the first event
  uint64_t NumCorrected = 0; ///< blocks that differ from the snapshot's
};

} // namespace memkit

#endif // MEMKIT_LIB_IMPORT_TORCHREPLAY_H
