// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The time of a device's work, by CUPTI's activity records.

#include "Cuda/Activity.h"

#include "Cuda/ActivityRecords.h"
#include "Cuda/CoarseClock.h"
#include "Cuda/Writer.h"
#include "Runtime/Syscall.h"

#include <atomic>
#include <cstdlib>
#include <unistd.h>

using namespace memkit;
using namespace memkit::capture;
using namespace memkit::capture::cuda;
using wire::CudaPlace;
using wire::CudaTimeCapture;

static const CuptiActivity *Use; ///< set before IsOn
static std::atomic<bool> IsOn;
static pid_t Owner;
/// Are records taken, and not in a child of fork, which has neither CUDA nor
/// CUPTI's threads?
static bool isOn() {
  return IsOn.load(std::memory_order_acquire) && getpid() == Owner;
}
static constexpr uint32_t NoPlace = CudaPlace::pack(CudaPlace::NoDevice, 0, 0);

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

namespace {
/// Buffers of equal size. Any thread takes and returns a buffer, without a
/// lock.
class BufferPool {
public:
  static constexpr size_t BufferBytes = 256 << 10, NumBuffers = 32;

  bool begin() {
    Memory = static_cast<uint8_t *>(
        sys::map(BufferBytes * NumBuffers,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    Free.store(~uint32_t(0), std::memory_order_release);
    return Memory;
  }
  /// Null: all are in use.
  uint8_t *take() {
    uint32_t Bits = Free.load(std::memory_order_acquire);
    while (Bits)
      if (Free.compare_exchange_weak(Bits, Bits & (Bits - 1)))
        return Memory + BufferBytes * size_t(__builtin_ctz(Bits));
    return nullptr;
  }
  /// A buffer of another owner is left alone.
  void giveBack(const uint8_t *Buffer) {
    size_t At = size_t(Buffer - Memory) / BufferBytes;
    if (Buffer >= Memory && At < NumBuffers)
      Free.fetch_or(uint32_t(1) << At, std::memory_order_release);
  }

private:
  uint8_t *Memory = nullptr;
  std::atomic<uint32_t> Free; ///< a bit for each buffer
};
static_assert(BufferPool::NumBuffers == 32);
} // namespace
static constinit BufferPool Buffers{};

static void CUPTIAPI request(uint8_t **Buffer, size_t *Size,
                             size_t *MaxRecords) {
  *Buffer = Buffers.take();
  *Size = *Buffer ? BufferPool::BufferBytes : 0;
  *MaxRecords = 0; // as many as fit
}

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

static void countLost(uint64_t Count) {
  if (Count)
    writeRecord(wire::DeviceWorkLostRecord{Count, NoPlace});
}

/// The pair of clocks that gives the times of the records behind it.
static bool writeClock() {
  uint64_t Now = 0;
  if (Use->GetTimestamp(&Now))
    return false;
  writeRecord(wire::DeviceClockRecord{Now, NoPlace});
  return true;
}

/// Returns the number of records that cannot be read, or, without the time of
/// CUPTI's clock, used.
static uint64_t readBuffer(uint8_t *Buffer, size_t Valid, bool HasClock) {
  KernelNames Names;
  CUpti_Activity *R = nullptr;
  const uint8_t *End = Buffer + Valid;
  uint64_t Bad = 0;
  while (Use->GetNextRecord(Buffer, Valid, &R) == CUPTI_SUCCESS) {
    auto *At = reinterpret_cast<const uint8_t *>(R);
    // Each CUPTI steps by the size of its own records.
    if (At < Buffer || End - At < ptrdiff_t(sizeof(CUpti_Activity)))
      return Bad + 1;
    ActivityWork W;
    ActivityRead Is = readActivity(R, End, Names, W);
    if (Is == ActivityRead::Work && HasClock)
      Memrec->WriteWork(W.Detail, W.What);
    else
      Bad += Is != ActivityRead::Other;
  }
  return Bad;
}

static void CUPTIAPI complete(CUcontext Context, uint32_t Stream,
                              uint8_t *Buffer, size_t Size, size_t Valid) {
  uint64_t Bad = Valid > Size;
  if (Buffer && Valid && !Bad)
    Bad = readBuffer(Buffer, Valid, writeClock());
  size_t Dropped = 0;
  if (Use->GetNumDropped(Context, Stream, &Dropped))
    Dropped = 0;
  countLost(Bad + Dropped);
  Buffers.giveBack(Buffer);
}

//===----------------------------------------------------------------------===//
// Begin and end
//===----------------------------------------------------------------------===//

static void disableAll() {
  for (unsigned I = 0; I != NumWantedActivities; ++I)
    Use->Disable(WantedActivities[I]);
}

static CUptiResult enableAll() {
  CUptiResult R = Use->RegisterCallbacks(request, complete);
  for (unsigned I = 0; !R && I != NumWantedActivities; ++I) {
    CUptiResult One = Use->Enable(WantedActivities[I]);
    if (I < NumNeededActivities)
      R = One;
  }
  if (R)
    disableAll();
  return R;
}

static void report(CudaTimeCapture S, uint32_t Argument = 0,
                   const char *Name = nullptr) {
  Memrec->SetTimeState(S, Argument, Name);
}

void cuda::endActivity(const char *Who) {
  if (!isOn() || !IsOn.exchange(false))
    return;
  disableAll();
  // All buffers come back to memkit, also those with work under way.
  Use->FlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  report(CudaTimeCapture::TakenLater, 0, Who);
}

/// The last work of the program. The handler runs before those of libraries
/// that were loaded earlier.
static void flushAtExit() {
  if (isOn())
    Use->FlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
}

void cuda::flushActivityIfDue() {
  constexpr uint64_t EveryNs = 1000000000;
  static std::atomic<uint64_t> LastNs;
  if (!IsOn.load(std::memory_order_acquire))
    return;
  uint64_t Now = coarseNs(), Last = LastNs.load(std::memory_order_relaxed);
  // One thread takes the turn.
  if (Now - Last >= EveryNs && LastNs.compare_exchange_strong(Last, Now))
    Use->FlushAll(0);
}

bool cuda::beginActivity(const CuptiActivity &C, bool HearsCalls,
                         void (*Leave)(const char *Who)) {
  auto Fail = [](CudaTimeCapture S, uint32_t Argument = 0,
                 const char *Name = nullptr) {
    report(S, Argument, Name);
    return false;
  };
  uint32_t Version = 0;
  if (!HearsCalls)
    return Fail(CudaTimeCapture::NoCalls);
  if (!C.isWhole() || C.GetVersion(&Version))
    return Fail(CudaTimeCapture::NoFunctions);
  if (!isKnownActivityVersion(Version))
    return Fail(CudaTimeCapture::UnknownVersion, Version);
  if (!Buffers.begin())
    return Fail(CudaTimeCapture::NoMemory);
  Use = &C;
  if (const char *Who = Memrec->SetActivityListener(Leave))
    return Fail(CudaTimeCapture::Taken, 0, Who);
  if (CUptiResult R = enableAll())
    return Fail(CudaTimeCapture::Refused, R);
  Owner = getpid();
  IsOn.store(true, std::memory_order_release);
  atexit(flushAtExit);
  report(CudaTimeCapture::Recorded);
  return true;
}
