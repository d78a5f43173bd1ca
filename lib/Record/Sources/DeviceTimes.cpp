// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A source: the work of CUDA's devices, and its time.

#include "Sources/DeviceTimes.h"
#include "Scopes/ProcessScopes.h"
#include "Sources/CudaNumbers.h"
#include "Sources/EventSink.h"

using namespace llvm;
using namespace memkit;
using wire::CudaPlace;

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

void DeviceTimes::take(const wire::DeviceLaunchRecord &Rec, RecordOrigin From) {
  auto Correlation = uint32_t(Rec.Correlation);
  if (!Sink.wanted().Cuda || !Correlation || Rec.Correlation > UINT32_MAX)
    return Sink.bad();
  Sink.threadOf(From.Ring);
  if (Launches.empty())
    Launches.resize(MaxLaunches);
  LaunchOfWork &L = Launches[Correlation % MaxLaunches];
  L.Correlation = Correlation;
  L.Stack = Sink.stacks().driverStack(Rec.Stack, wire::CudaFunction::Launch);
  L.ScopePath = Scopes.launches().scopePath(From.Ring);
  L.Scopes = Scopes.launches().openScopes(From.Ring);
}

const DeviceTimes::LaunchOfWork *
DeviceTimes::findLaunch(uint32_t Correlation) const {
  if (Launches.empty() || !Correlation)
    return nullptr;
  const LaunchOfWork &L = Launches[Correlation % MaxLaunches];
  return L.Correlation == Correlation ? &L : nullptr;
}

//===----------------------------------------------------------------------===//
// Work
//===----------------------------------------------------------------------===//

DeviceTimes::RingWork &DeviceTimes::ring(uint32_t Ring) {
  if (Ring >= Rings.size())
    Rings.resize(Ring + size_t(1));
  return Rings[Ring];
}

void DeviceTimes::take(const wire::DeviceClockRecord &Rec, RecordOrigin From) {
  if (!Sink.wanted().Cuda || !Rec.DeviceNs)
    return Sink.bad();
  RingWork &Of = ring(From.Ring);
  Of.DeviceNs = Rec.DeviceNs;
  Of.NowNs = Sink.clockNs(From.Tsc);
}

void DeviceTimes::take(const wire::DeviceWorkLostRecord &Rec, RecordOrigin) {
  // A program may write any number; sums must not overflow.
  constexpr uint64_t MaxLost = uint64_t(1) << 40;
  if (!Sink.wanted().Cuda || Rec.Count > MaxLost)
    return Sink.bad();
  Sink.lose(LossKind::DeviceWork, Rec.Count);
}

void DeviceTimes::take(const wire::DeviceWorkDetailRecord &Rec,
                       RecordOrigin From) {
  ring(From.Ring).Detail = Rec;
}

/// The trace's time of a time of CUPTI's clock; times before the recording are
/// its begin.
static uint64_t timeOf(uint64_t DeviceNs, uint64_t ClockNs, uint64_t NowNs) {
  if (DeviceNs >= ClockNs)
    return NowNs + std::min(DeviceNs - ClockNs, NowNs);
  return NowNs - std::min(ClockNs - DeviceNs, NowNs);
}

void DeviceTimes::take(const wire::DeviceWorkRecord &Rec, RecordOrigin From) {
  const RingWork &Of = ring(From.Ring);
  uint32_t Ordinal = CudaPlace::device(Rec.Place);
  if (!Sink.wanted().Cuda || uint8_t(Rec.Kind) >= wire::NumDeviceWorkKinds ||
      Ordinal >= wire::MaxCudaDevices || !Of.DeviceNs)
    return Sink.bad();
  DeviceTimeStats One;
  One.Process = Sink.process();
  One.Device = Sink.heaps().cudaSpace(Numbers.device(Ordinal));
  One.Stream = uint32_t(Of.Detail.Stream);
  One.Kind = WorkKind(Rec.Kind);
  One.Name = Scopes.launches().string(Of.Detail.Name);
  One.Graph = Of.Detail.Graph;
  One.Calls = 1;
  One.DurationNs = Rec.DurationNs;
  One.Bytes = Of.Detail.Bytes & wire::Record::MaxSize;
  One.BeginNs = timeOf(Rec.BeginNs, Of.DeviceNs, Of.NowNs);
  One.EndNs = One.BeginNs + Rec.DurationNs;
  const LaunchOfWork *L = findLaunch(Rec.Correlation);
  One.Stack = L ? L->Stack : 0;
  One.ScopePath = L ? L->ScopePath : 0;
  One.Untied = !L;
  if (L)
    Scopes.launches().add(L->Scopes, Rec.DurationNs);
  Sink.add(One);
}
