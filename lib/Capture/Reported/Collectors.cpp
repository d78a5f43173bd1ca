// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collectors: functions of the program that tell the memory of its devices.
//
// The functions behind memkit_register_collector() and memkit_collect() of
// include/memkit/memkit.h, and the one by which the Python package passes on
// what its collectors tell.

#include "Reported/Collectors.h"

#include "Reported/DeviceName.h"
#include "Runtime/Hook.h"
#include "Runtime/Recording.h"

#include <cstring>
#include <ctime>

using namespace memkit;
using namespace memkit::capture;

namespace {
/// As struct memkit_sample: bytes; UINT64_MAX: not known.
struct DeviceSample {
  uint64_t Used, Total, Allocated, Reserved;
};
using SampleFunction = int (*)(void *Context, DeviceSample *To);

struct Collector {
  std::atomic<SampleFunction> Sample; ///< null: not there yet
  void *Context;
  size_t NameSize;
  char Name[MaxDeviceName];
};

/// The collectors of the process; a child of fork has none.
struct alignas(PageBytes) AllCollectors {
  static constexpr uint32_t Max = 16;
  std::atomic<uint32_t> Count; ///< places given out; may be above Max
  std::atomic<bool> IsRunning; ///< a thread calls collectors
  std::atomic<uint64_t> NextNs;
  Collector Each[Max];
};
} // namespace

static AllCollectors All;

static constexpr uint64_t Unknown = UINT64_MAX;

/// A part that is more than the whole is a mistake of the program.
static bool isPart(uint64_t Part, uint64_t Whole) {
  return Part == Unknown || Part <= Whole;
}

/// Writes what is known and can be. Allocated without Reserved, and Total
/// without Used, say nothing.
static void write(const char *Name, size_t NameSize, const DeviceSample &S) {
  ThreadState *T = recordingThread();
  if (!T)
    return;
  uint32_t Text = Proc.Names.intern(Name, NameSize);
  if (!Text)
    return;
  if (S.Reserved != Unknown && isPart(S.Allocated, S.Reserved) && hasRoom(*T))
    T->Ring.write(wire::CollectedReserveRecord{
        S.Reserved, S.Allocated == Unknown ? S.Reserved : S.Allocated, Text});
  // The recorder compares the used bytes with the reserved.
  if (S.Used != Unknown && isPart(S.Used, S.Total) && hasRoom(*T))
    T->Ring.write(wire::CollectedUseRecord{
        S.Used, S.Total == Unknown ? 0 : S.Total, Text});
}

/// What a collector has told of a device. False: Name is no device's.
MEMKIT_EXPORT int memrec_device_sample(const char *Name, size_t NameSize,
                                       const DeviceSample *S) {
  if (!isDeviceName(Name, NameSize))
    return false;
  write(Name, NameSize, *S);
  return true;
}

/// The time between calls of collectors; 0: never.
static uint64_t everyNs() {
  return uint64_t(Proc.Ctl->Settings.DeviceIntervalMs) * 1000000;
}

/// Any thread. False: nothing is recorded, Name is no device's, or there are
/// too many collectors.
MEMKIT_EXPORT int memrec_register_collector(const char *Name, size_t NameSize,
                                            SampleFunction Sample,
                                            void *Context) {
  if (!recordingThread() || !Sample || !isDeviceName(Name, NameSize))
    return false;
  uint32_t Place = All.Count.load(std::memory_order_relaxed);
  do
    if (Place >= AllCollectors::Max)
      return false;
  while (!All.Count.compare_exchange_weak(Place, Place + 1,
                                          std::memory_order_relaxed));
  Collector &C = All.Each[Place];
  C.Context = Context;
  C.NameSize = NameSize;
  std::memcpy(C.Name, Name, NameSize);
  C.Sample.store(Sample, std::memory_order_release);
  return true;
}

static uint64_t coarseNs() {
  timespec T;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &T);
  return uint64_t(T.tv_sec) * 1000000000 + uint64_t(T.tv_nsec);
}

/// Calls the collectors of the process, at most once in everyNs(), in one
/// thread at a time. They run in the calling thread.
static void callCollectors() {
  uint32_t Count = All.Count.load(std::memory_order_relaxed);
  if (!Count || !recordingThread() || !everyNs())
    return;
  uint64_t Now = coarseNs();
  if (Now < All.NextNs.load(std::memory_order_relaxed) ||
      All.IsRunning.exchange(true, std::memory_order_acquire))
    return;
  All.NextNs.store(Now + everyNs(), std::memory_order_relaxed);
  for (uint32_t I = 0; I != Count; ++I) {
    Collector &C = All.Each[I];
    DeviceSample S = {Unknown, Unknown, Unknown, Unknown};
    auto Sample = C.Sample.load(std::memory_order_acquire);
    if (Sample && Sample(C.Context, &S))
      write(C.Name, C.NameSize, S);
  }
  All.IsRunning.store(false, std::memory_order_release);
}

constinit const Source capture::CollectorSource = {
    .State = &All, .StateBytes = sizeof(All), .Stepped = callCollectors};

MEMKIT_EXPORT void memrec_collect() { callCollectors(); }
