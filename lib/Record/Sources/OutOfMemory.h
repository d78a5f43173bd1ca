// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The out-of-memory events of a process, whoever had no memory.

#ifndef MEMKIT_LIB_RECORD_OUTOFMEMORY_H
#define MEMKIT_LIB_RECORD_OUTOFMEMORY_H

#include "Output/CategoryTable.h"
#include "Shared/HostLimits.h"
#include "Shared/RecordOrigin.h"
#include "Wire/HostRecords.h"
#include "memkit/Trace/Marks.h"
#include <functional>
#include <vector>

namespace memkit {

class EventSink;

/// Takes the failures of all allocators of a process, and keeps the live memory
/// at each failure.
///
/// One request may fail several times: PyTorch's allocator asks the driver,
/// frees what it has cached, asks again, and fails. Only the outermost
/// allocator of a thread counts, so an inner failure waits a moment for the
/// outer one. The driver's refusal is no event if a request of about the same
/// size succeeds meanwhile: allocators try again with less. Belongs to the
/// recorder's thread.
class OutOfMemory {
public:
  OutOfMemory(EventSink &Sink, pid_t Pid) : Sink(Sink), Pid(Pid) {
    readLimits(Pid, AtStart);
  }

  /// Who failed, from the innermost on.
  enum class Allocator : uint8_t { Pages, Malloc, Driver, Tensors };

  void take(const wire::HostOomRecord &Rec, RecordOrigin From);
  /// An allocator has failed; adds the mark M, of MarkKind::Oom.
  void failed(Allocator By, Mark M, uint32_t Ring);
  /// The driver has allocated Size bytes for the thread of the ring.
  void allocated(uint32_t Ring, uint64_t Size) {
    if (LLVM_UNLIKELY(!Waiting.empty()))
      forget(Ring, Size);
  }
  /// The kernel has killed the process, which ends AtNs. Call before the end of
  /// the process's tensors.
  void killed(uint64_t AtNs, const MetLimit &Limit);
  /// Call once a pass: ends waits that have been long enough, or all.
  void settle(bool All) {
    if (LLVM_UNLIKELY(!Waiting.empty()))
      endWaits(All);
  }

  /// Adds the live tensors in the memory space of a heap to an event.
  using TensorList = std::function<void(OomLog::OomTimePoint &)>;
  void listTensorsBy(TensorList Do) { ListTensors = std::move(Do); }

private:
  struct WaitingFailure {
    OomLog::OomTimePoint What;
    Allocator By;
    uint32_t Ring;
  };
  static bool isNextTry(const WaitingFailure &W, Allocator By, uint64_t Size);
  bool isWorthALook() const;
  OomLog::OomTimePoint look(const Mark &M);
  void forget(uint32_t Ring, uint64_t Size);
  void endWaits(bool All);

  EventSink &Sink;
  pid_t Pid;
  HostUse AtStart;                     ///< limits alone
  std::vector<WaitingFailure> Waiting; ///< at most one of each ring
  TensorList ListTensors;
  unsigned NumLooks = 0;
  /// First event of the process at which to list the live memory again.
  uint64_t NextLook = 0;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_OUTOFMEMORY_H
