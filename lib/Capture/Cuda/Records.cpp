// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the records of CUDA's memory: libmemrec.so's side of the table.
//
// The devices are in memory that children of fork inherit. Each process reports
// a device to its recorder before a record names the device.

#include "Cuda/Table.h"
#include "Runtime/Errand.h"
#include "Runtime/Hook.h"
#include "Runtime/Questions.h"
#include "Runtime/Recording.h"
#include "Stacks/Stack.h"

#include <cstring>

using namespace memkit;
using namespace memkit::capture;
using namespace memkit::capture::cuda;
using wire::CudaPlace;

namespace {
struct KnownDevice {
  std::atomic<bool> IsThere;
  DeviceInfo Facts;
};
} // namespace
static constinit KnownDevice Devices[wire::MaxCudaDevices]{};

static void tell(uint32_t Ordinal) {
  wire::CudaDevice &To = Proc.Ctl->CudaDevices[Ordinal];
  const KnownDevice &D = Devices[Ordinal];
  if (To.State.load(std::memory_order_relaxed) ||
      !D.IsThere.load(std::memory_order_acquire))
    return;
  // Concurrent threads write equal values.
  memcpy(To.Uuid, D.Facts.Uuid, sizeof(To.Uuid));
  memcpy(To.Name, D.Facts.Name, sizeof(To.Name));
  memcpy(To.Pci, D.Facts.Pci, sizeof(To.Pci));
  To.Bytes = D.Facts.Bytes;
  To.SharesMemory = D.Facts.SharesMemory;
  To.State.store(1, std::memory_order_release);
}

static bool begins(const wire::Record &What) {
  using wire::RecordKind;
  return What.is(RecordKind::DeviceAllocate) ||
         What.is(RecordKind::DeviceMap) || What.is(RecordKind::DeviceOom) ||
         What.is(RecordKind::DeviceLaunch);
}

/// encode() puts the place of a record of CUDA in Extra.
static uint32_t ordinalOf(const wire::Record &What) {
  return CudaPlace::device(What.Extra);
}

/// Opens the scope of what the thread works for; the scope's number, 0: none.
static uint64_t beginErrand(ThreadState &T, uint32_t Stack) {
  if (__builtin_expect(!ThisErrand.Text, 1) || ThisErrand.Epoch != T.Epoch ||
      !hasRoom(T))
    return 0;
  uint64_t Number = Kept.Scopes.fetch_add(1, std::memory_order_relaxed) + 1;
  T.Ring.write(wire::ScopeBeginRecord{ThisErrand.Text, 0, Number,
                                      wire::ScopeBeginRecord::atStack(Stack)});
  return Number;
}

static void write(const wire::Record &What,
                  const wire::DeviceDetailRecord *Detail,
                  const CallerFrame *Caller) {
  ThreadState *T = recordingThread();
  if (!T || (begins(What) && !isRecording()))
    return;
  uint32_t Ordinal = ordinalOf(What);
  if (Ordinal < wire::MaxCudaDevices)
    tell(Ordinal);
  wire::Record With = What;
  With.Stack = Caller ? stackNode(*T, *Caller) : 0;
  if (T->Epoch != Proc.Epoch.load(std::memory_order_relaxed))
    return;
  uint64_t Scope = What.is(wire::RecordKind::DeviceAllocate)
                       ? beginErrand(*T, With.Stack)
                       : 0;
  bool HasDetail = !Detail || hasRoom(*T);
  if (Detail && HasDetail)
    T->Ring.write(*Detail);
  if (HasDetail && hasRoom(*T))
    T->Ring.writeEncoded(With);
  if (Scope && hasRoom(*T))
    T->Ring.write(wire::ScopeEndRecord{Scope});
}

/// The recorder takes no work without its detail.
static void writeWork(const wire::DeviceWorkDetailRecord &Detail,
                      const wire::DeviceWorkRecord &What) {
  ThreadState *T = recordingThread();
  if (!T || !isRecording())
    return;
  if (uint32_t Ordinal = CudaPlace::device(What.Place);
      Ordinal < wire::MaxCudaDevices)
    tell(Ordinal);
  if (!hasRoom(*T))
    return;
  T->Ring.write(Detail);
  if (hasRoom(*T))
    T->Ring.write(What);
}

static void addDevice(uint32_t Ordinal, const DeviceInfo &F) {
  KnownDevice &D = Devices[Ordinal];
  if (D.IsThere.load(std::memory_order_acquire))
    return;
  D.Facts = F;
  D.IsThere.store(true, std::memory_order_release);
}

namespace {
struct CodeOfSource {
  uint32_t Code, Why, Argument;
  const char *Name; ///< or null
};
} // namespace

static void setFinding(wire::FindingSource Source, const CodeOfSource &F) {
  if (!recordingThread())
    return;
  wire::SourceFinding &To = Proc.Ctl->Findings[Source];
  size_t Size = F.Name ? strnlen(F.Name, sizeof(To.Name) - 1) : 0;
  memcpy(To.Name, F.Name ? F.Name : "", Size);
  To.Name[Size] = 0;
  To.Argument.store(F.Argument, std::memory_order_relaxed);
  To.Why.store(F.Why, std::memory_order_relaxed);
  To.Code.store(F.Code, std::memory_order_release);
}

static void setState(wire::CudaCapture S, uint32_t CuptiResult,
                     wire::CudaCapture Why, const char *Rival) {
  setFinding(wire::FS_Cuda, {uint32_t(S), uint32_t(Why), CuptiResult, Rival});
}

static void setTimeState(wire::CudaTimeCapture S, uint32_t Argument,
                         const char *Name) {
  setFinding(wire::FS_CudaTime, {uint32_t(S), 0, Argument, Name});
}

static uint32_t text(const char *Text, size_t Size) {
  return recordingThread() ? Proc.Names.intern(Text, Size) : 0;
}

static bool ask(const wire::DeviceAskRecord &Ask) {
  if (!recordingThread())
    return false;
  if (uint32_t Ordinal = CudaPlace::device(Ask.Place);
      Ordinal < wire::MaxCudaDevices)
    tell(Ordinal);
  wire::Reply R;
  return capture::ask(Ask, R);
}

static uint64_t sampleEveryNs() {
  constexpr uint64_t NsPerMs = 1'000'000;
  return recordingThread() ? Proc.Ctl->Settings.DeviceIntervalMs * NsPerMs : 0;
}

static wire::CudaMode mode() {
  return recordingThread() ? wire::CudaMode(Proc.Ctl->Settings.Cuda)
                           : wire::CudaMode::Off;
}

MEMKIT_EXPORT const CaptureTable *memrec_cuda_table(uint32_t Version) {
  static constexpr CaptureTable Of = {
      write,         addDevice,           setState,
      mode,          setListener,         ask,
      sampleEveryNs, writeWork,           text,
      setTimeState,  setActivityListener,
  };
  if (Version != TableVersion || !recordingThread() || !Proc.Ctl->Settings.Cuda)
    return nullptr;
  return &Of;
}
