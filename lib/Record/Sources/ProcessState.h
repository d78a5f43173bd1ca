// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of a recorded process: its sources of memory, and its scopes.
//
// Each record goes to the source that has a take() for the record's type.

#ifndef MEMKIT_LIB_RECORD_PROCESSSTATE_H
#define MEMKIT_LIB_RECORD_PROCESSSTATE_H

#include "Census/Census.h"
#include "Scopes/ProcessScopes.h"
#include "Sources/BlockHolders.h"
#include "Sources/BlockSnapshots.h"
#include "Sources/Collectors.h"
#include "Sources/CudaDriver.h"
#include "Sources/CudaNumbers.h"
#include "Sources/DeviceTimes.h"
#include "Sources/EventSink.h"
#include "Sources/Figures.h"
#include "Sources/HostHeap.h"
#include "Sources/Mappings.h"
#include "Sources/NvtxPools.h"
#include "Sources/OutOfMemory.h"
#include "Sources/PythonObjects.h"
#include "Sources/ReportedPools.h"
#include "Sources/ResidentWalk.h"
#include "Sources/RingOfProcess.h"
#include "Sources/Segments.h"
#include "Sources/SharedSources.h"
#include "Sources/TensorDevices.h"
#include "Sources/Tensors.h"
#include "Wire/RecordOrder.h"

namespace memkit {

/// Takes the records of one process. Belongs to the recorder's thread.
class ProcessState {
public:
  /// With must outlive the process.
  ProcessState(uint32_t Id, pid_t Pid, bool Forked,
               std::unique_ptr<SharedProcess> Shared, SharedSources &With);

  /// The memory of the last process that ended is kept for the next. malloc
  /// would map and clear it anew, and a build has hundreds of short processes.
  static void *operator new(size_t Bytes);
  static void operator delete(void *P);

  uint32_t id() const { return Sink.process(); }
  SharedProcess &shared() { return *Shared; }
  /// Unmaps the shared memory; the process takes no record after this call.
  void releaseShared() { Shared.reset(); }
  /// See CodeFrames.
  bool isDataWorker() const { return Sink.stacks().isDataWorker(); }
  RingThread &ring(uint32_t I) { return Sink.ring(I); }
  const std::vector<RingThread> &rings() const { return Sink.rings(); }

  //===--------------------------------------------------------------------===//
  // Records
  //===--------------------------------------------------------------------===//

  /// Prefetches memory for the first records of a batch; takeFast() prefetches
  /// for the others. Of: by MergedRecord::Source.
  static void prefetchFirst(llvm::ArrayRef<MergedRecord> Records,
                            const RingOfProcess *Of);
  /// Prefetches memory for the record that is Ahead places after At.
  LLVM_ATTRIBUTE_ALWAYS_INLINE static void
  prefetchAhead(llvm::ArrayRef<MergedRecord> Records, size_t At,
                const RingOfProcess *Of) {
    if (At + Ahead >= Records.size())
      return;
    const MergedRecord &Next = Records[At + Ahead];
    Of[Next.Source].Process->prefetch(Next.R);
  }
  /// Takes a run of usual records of this process, from the first record on,
  /// and returns the length of the run. Same result as process(), in less time.
  size_t takeFast(llvm::ArrayRef<MergedRecord> Records,
                  const RingOfProcess *Of) {
    if (LLVM_UNLIKELY(isObject(Records.front().R)))
      return Objects.takeFast(Records, Of, this);
    return Host.takeFast(Records, Of, this);
  }
  /// Takes one record. Records of exec are the caller's.
  void process(const wire::Record &Rec, uint32_t Ring);
  /// At the end of a pass over all rings: see HostHeap.
  void settleHeld(bool All = false) {
    Host.settleHeld(All);
    Failures.settle(All);
  }
  /// The thread of the ring has ended.
  void releaseRing(uint32_t Ring);
  /// Counts the losses that the program reports.
  void countLosses();

  //===--------------------------------------------------------------------===//
  // The recording
  //===--------------------------------------------------------------------===//

  /// Takes blocks that live already when the recording begins, at most Count
  /// from C.Blocks[First] on; those that are known by now stay as they are.
  /// Their stacks are the names of who holds them. Returns the first block
  /// after.
  size_t adopt(const Census &C, size_t First, size_t Count, uint64_t Tsc);
  /// Blocks that live already come later, by adopt(), until endAdopting().
  void expectAdopted() {
    Host.expectAdopted();
    Objects.expectAdopted();
    Reported.expectAdopted();
  }
  void endAdopting() {
    Host.endAdopting();
    Objects.endAdopting();
    Reported.endAdopting();
    AdoptedStacks.clear();
  }
  BlockSnapshots &snapshots() { return Snapshots; }
  // What lies at which address:
  const HostHeap &host() const { return Host; }
  HostHeap &hostHeap() { return Host; }
  const PythonObjects &objects() const { return Objects; }
  const Mappings &mappings() const { return Maps; }
  const ReportedPools &reported() const { return Reported; }
  ReportedPools &reportedPools() { return Reported; }
  const CudaDriver &cuda() const { return Driver; }
  /// Whether the program has set a mark since the last call.
  bool takeMarked() { return Scopes.takeMarked(); }
  /// No more records will come: ends tensors and scopes.
  void finish(uint64_t TimeNs) {
    Torch.finish();
    endScopes(TimeNs);
  }
  /// The kernel has killed the process for its memory; call before finish().
  void noteKill(uint64_t AtNs, const MetLimit &Limit) {
    Failures.killed(AtNs, Limit);
  }
  /// The recording ends before the process: the scopes end with the recording.
  void endScopes(uint64_t TimeNs) { Scopes.finish(TimeNs); }
  /// A sample that began at clock Tsc has found these pages. Exact: as
  /// TouchedPages::sample().
  void touch(llvm::ArrayRef<ResidentWalk::ReservedPages> Pages, uint64_t Tsc,
             bool Exact);
  /// Starts or stops recording allocations from now on, and adds a mark. Frees
  /// of known blocks are always recorded.
  void setRecording(bool On, uint64_t TimeNs);
  /// Announces blocks that will not be recorded. Call a pass before the first:
  /// until then threads may publish a free with an early clock.
  void expectUnknown();
  /// Whether allocations were left out on request: their blocks are not known.
  bool leavesUnrecorded() const { return Sink.HasUnknown; }
  /// Events not written yet.
  ProcessLog &log() { return Sink.Log; }

private:
  /// How many records ahead to prefetch.
  static constexpr size_t Ahead = 24;
  static bool isObject(const wire::Record &Rec) {
    return Rec.kind() >= uint8_t(wire::RecordKind::ObjectAllocate);
  }
  // GCC drops calls of functions that only prefetch, unless it inlines them
  // early.
  LLVM_ATTRIBUTE_ALWAYS_INLINE void prefetch(const wire::Record &Rec) const {
    if (isObject(Rec))
      Objects.prefetch(Rec);
    else
      Host.prefetch(Rec);
    // A free has no stack; prefetching node 0 is cheap.
    Sink.stacks().prefetch(Rec.Stack);
  }

  /// Passes a record to the source that has a take() for it.
  template <class T> void dispatch(const T &Rec, RecordOrigin From);
  void take(const wire::ThreadStartRecord &Rec, RecordOrigin From);
  void take(const wire::ThreadEndRecord &Rec, RecordOrigin From);
  void take(const wire::GeneratedLineRecord &Rec, RecordOrigin From);
  void take(const wire::AskDetoursRecord &Rec, RecordOrigin From);
  /// Takes a record of a scope, mark or query.
  template <class T> void takeScope(const T &Rec, RecordOrigin From);

  std::unique_ptr<SharedProcess> Shared;
  SharedSources &With;
  EventSink Sink;
  ProcessScopes Scopes;
  BlockSnapshots Snapshots;
  Mappings Maps;
  HostHeap Host;
  PythonObjects Objects;
  OutOfMemory Failures;
  CudaNumbers Numbers;
  CudaDriver Driver;
  DeviceTimes Times;
  TensorDevices Devices;
  Segments Segs;
  Tensors Torch;
  NvtxPools Nvtx;
  ReportedPools Reported;
  Collectors Collected;
  BlockHolders Holders;
  Figures Said;
  uint32_t frameOf(const BlockGraph::HolderName &N);
  uint32_t stackOf(const Census &C, uint32_t Name);
  bool wants(const Census &C, uint8_t Owner) const;
  std::vector<uint32_t> AdoptedStacks; ///< by name of the census; 0: not yet
  std::vector<wire::RingOrder> Orders; ///< by ring
  uint64_t TableFullSeen = 0, NoRingSeen = 0;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_PROCESSSTATE_H
