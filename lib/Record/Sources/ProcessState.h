// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the recorder knows of a process: its sources of memory, and its scopes.
//
// A record goes to the source that has a take() for its type.

#ifndef MEMKIT_LIB_RECORD_PROCESSSTATE_H
#define MEMKIT_LIB_RECORD_PROCESSSTATE_H

#include "Scopes/ProcessScopes.h"
#include "Sources/BlockSnapshots.h"
#include "Sources/CudaDriver.h"
#include "Sources/CudaNumbers.h"
#include "Sources/EventSink.h"
#include "Sources/HostHeap.h"
#include "Sources/Mappings.h"
#include "Sources/NvtxPools.h"
#include "Sources/PythonObjects.h"
#include "Sources/ReportedPools.h"
#include "Sources/Segments.h"
#include "Sources/SharedSources.h"
#include "Sources/TensorDevices.h"
#include "Sources/Tensors.h"
#include "Wire/RecordOrder.h"

namespace memkit {

class ProcessState;

/// A ring, and whose it is.
struct RingOfProcess {
  ProcessState *Process;
  uint32_t Ring;
};

/// Belongs to the recorder's thread.
class ProcessState {
public:
  /// With must outlive the process, and has the recording.
  ProcessState(uint32_t Id, pid_t Pid, bool Forked,
               std::unique_ptr<SharedProcess> Shared, SharedSources &With);

  uint32_t id() const { return Sink.process(); }
  SharedProcess &shared() { return *Shared; }
  /// Gives the shared memory back; no record can be taken after it.
  void releaseShared() { Shared.reset(); }
  /// See CodeFrames.
  bool isDataWorker() const { return Sink.stacks().isDataWorker(); }
  RingThread &ring(uint32_t I) { return Sink.ring(I); }
  const std::vector<RingThread> &rings() const { return Sink.rings(); }

  //===--------------------------------------------------------------------===//
  // Records
  //===--------------------------------------------------------------------===//

  /// Fetches what the first records of a batch will touch; takeUsual() goes on
  /// with it. Of: by MergedRecord::Source.
  static void prefetchFirst(llvm::ArrayRef<MergedRecord> Records,
                            const RingOfProcess *Of);
  /// Fetches what the record some places after At will touch.
  LLVM_ATTRIBUTE_ALWAYS_INLINE static void
  prefetchAhead(llvm::ArrayRef<MergedRecord> Records, size_t At,
                const RingOfProcess *Of) {
    if (At + Ahead >= Records.size())
      return;
    const MergedRecord &Next = Records[At + Ahead];
    Of[Next.Source].Process->prefetch(Next.R);
  }
  /// Takes as many of the next records as are usual records of this process,
  /// and returns how many: what take() would do, in less time.
  size_t takeUsual(llvm::ArrayRef<MergedRecord> Records,
                   const RingOfProcess *Of) {
    if (LLVM_UNLIKELY(isObject(Records.front().R)))
      return Objects.takeUsual(Records, Of, this);
    return Host.takeUsual(Records, Of, this);
  }
  /// Takes the next record. The caller takes those of exec.
  void process(const wire::Record &Rec, uint32_t Ring);
  /// At the end of a pass over all rings: see HostHeap.
  void settleHeld(bool All = false) { Host.settleHeld(All); }
  /// The ring's owner is gone.
  void releaseRing(uint32_t Ring);
  /// Counts what the program says it lost.
  void countLosses();

  //===--------------------------------------------------------------------===//
  // The recording
  //===--------------------------------------------------------------------===//

  BlockSnapshots &snapshots() { return Snapshots; }
  /// Has the program put a mark since the last call?
  bool takeMarked() { return Scopes.takeMarked(); }
  /// No record comes any more: ends tensors and scopes.
  void finish(uint64_t TimeNs) {
    Torch.finish();
    endScopes(TimeNs);
  }
  /// The recording ends before the process: its tensors end with the recording.
  void endScopes(uint64_t TimeNs) { Scopes.finish(TimeNs); }
  /// The program's allocations are recorded from now on, or let go by; frees of
  /// blocks that are known are recorded always. A mark says so.
  void setRecording(bool On, uint64_t TimeNs);
  /// There will be blocks that were let go by. Must be known a pass before the
  /// first: until then threads may publish a free with an early clock.
  void expectUnknown();
  /// Events that are not written yet.
  ProcessLog &log() { return Sink.Log; }

private:
  /// How many records ahead their memory is fetched.
  static constexpr size_t Ahead = 24;
  static bool isObject(const wire::Record &Rec) {
    return Rec.kind() >= uint8_t(wire::RecordKind::ObjectAllocate);
  }
  // (GCC drops calls of functions that only fetch, unless it inlines them
  // early.)
  LLVM_ATTRIBUTE_ALWAYS_INLINE void prefetch(const wire::Record &Rec) const {
    if (isObject(Rec))
      Objects.prefetch(Rec);
    else
      Host.prefetch(Rec);
    // A free has no stack: that of node 0 is near.
    Sink.stacks().prefetch(Rec.Stack);
  }

  /// Hands a record to the source that has a take() for it.
  template <class T> void dispatch(const T &Rec, RecordOrigin From);
  void take(const wire::ThreadStartRecord &Rec, RecordOrigin From);
  void take(const wire::ThreadEndRecord &Rec, RecordOrigin From);
  /// Of a scope, mark or question.
  template <class T> void takeScope(const T &Rec, RecordOrigin From);

  std::unique_ptr<SharedProcess> Shared;
  SharedSources &With;
  EventSink Sink;
  ProcessScopes Scopes;
  BlockSnapshots Snapshots;
  Mappings Maps;
  HostHeap Host;
  PythonObjects Objects;
  CudaNumbers Numbers;
  CudaDriver Driver;
  TensorDevices Devices;
  Segments Segs;
  Tensors Torch;
  NvtxPools Nvtx;
  ReportedPools Reported;
  std::vector<wire::RingOrder> Orders; ///< by ring
  uint64_t TableFullSeen = 0, NoRingSeen = 0;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_PROCESSSTATE_H
