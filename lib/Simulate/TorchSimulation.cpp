// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a recorded program would take of its devices with other settings.

#include "TorchSimulation.h"
#include "Support/RunBoth.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Threading.h"

using namespace llvm;
using namespace memkit;

TorchSimulation::TorchSimulation(const TorchConfig &C, uint64_t DeviceBytes)
    : Allocator(C, DeviceBytes ? DeviceBytes : TorchAllocator::Unlimited),
      HasLimit(DeviceBytes != 0) {}

void TorchSimulation::notePeak(uint64_t TimeNs) {
  Result.Reserved = Allocator.stats().Reserved;
  Result.Allocated = Allocator.stats().Allocated;
  Result.LargestFree = Allocator.largestFree();
  Result.PeakNs = TimeNs;
}

void TorchSimulation::noteFailure(const RequestBatch &Batch, size_t At,
                                  bool IsRecorded) {
  ++Result.NumFailures;
  // What ends the program is worth more than what it survived.
  if (Result.Failure && IsRecorded)
    return;
  Result.Failure = {Batch.TimeNs[At],
                    Batch.Requests[At].Bytes,
                    Batch.Stack[At],
                    IsRecorded,
                    Allocator.stats().Reserved,
                    Allocator.stats().Allocated,
                    Allocator.largestFree()};
}

void TorchSimulation::allocate(const RequestBatch &Batch, size_t At) {
  const DeviceRequest &R = Batch.Requests[At];
  uint32_t Block = Allocator.allocate(R.Bytes, R.Stream);
  if (LLVM_UNLIKELY(Allocator.isNewPeak()))
    notePeak(Batch.TimeNs[At]);
  if (LLVM_UNLIKELY(Block == TorchAllocator::NoBlock)) {
    noteFailure(Batch, At, /*IsRecorded=*/false);
    HasEnded = true;
    return;
  }
  if (R.Tensor >= Blocks.size())
    Blocks.resize(R.Tensor + 1, TorchAllocator::NoBlock);
  Blocks[R.Tensor] = Block;
}

/// A request that failed in the recorded run; its stream is not known, and
/// taken for the default stream. Where the device has no limit, the request
/// only empties the cache, as a failing request does: served, it might be
/// larger than all else.
void TorchSimulation::retry(const RequestBatch &Batch, size_t At) {
  if (!HasLimit)
    return Allocator.emptyCache();
  const DeviceRequest &R = Batch.Requests[At];
  uint32_t Block = Allocator.allocate(R.Bytes, R.Stream);
  if (Block == TorchAllocator::NoBlock)
    return noteFailure(Batch, At, /*IsRecorded=*/true);
  if (Allocator.isNewPeak())
    notePeak(Batch.TimeNs[At]);
  ++Result.NumServed;
  Allocator.free(Block);
}

void TorchSimulation::run(const RequestBatch &Batch) {
  while (Allocator.numStreams() != Batch.Pools.size())
    Allocator.addStream(Batch.Pools[Allocator.numStreams()]);
  for (size_t At = 0; At != Batch.Requests.size() && !HasEnded; ++At) {
    const DeviceRequest &R = Batch.Requests[At];
    switch (R.Kind) {
    case DeviceRequestKind::Allocate:
      allocate(Batch, At);
      break;
    case DeviceRequestKind::Free:
      Allocator.free(Blocks[R.Tensor]);
      break;
    case DeviceRequestKind::EmptyCache:
      Allocator.emptyCache();
      break;
    case DeviceRequestKind::Refused:
      retry(Batch, At);
      break;
    case DeviceRequestKind::ReleasePool:
      Allocator.releasePool(uint32_t(R.Bytes));
      break;
    }
  }
  Result.NumMallocs = Allocator.stats().NumMallocs;
  Result.NumFrees = Allocator.stats().NumFrees;
  Result.NumRetries = Allocator.stats().NumRetries;
}

//===----------------------------------------------------------------------===//
// All targets and settings
//===----------------------------------------------------------------------===//

/// Runs a batch through all simulations, on up to Threads processors.
static void runAll(MutableArrayRef<TorchSimulation> All,
                   const RequestBatch &Batch, unsigned Threads) {
  if (Threads < 2 || All.size() < 2) {
    for (TorchSimulation &S : All)
      S.run(Batch);
    return;
  }
  size_t Half = All.size() / 2;
  runBoth([&] { runAll(All.take_front(Half), Batch, Threads / 2); },
          [&] { runAll(All.drop_front(Half), Batch, Threads - Threads / 2); });
}

Expected<std::vector<TargetResults>>
memkit::simulateTorch(const Trace &T, const Selection &Sel,
                      ArrayRef<TorchConfig> Configs, uint64_t DeviceBytes,
                      TensorSource Which) {
  std::vector<std::vector<TorchSimulation>> ByTarget;
  unsigned Threads = hardware_concurrency().compute_thread_count();
  auto Take = [&](size_t Target, const DeviceTarget &Of,
                  const RequestBatch &Batch) {
    if (Target >= ByTarget.size())
      ByTarget.resize(Target + 1);
    std::vector<TorchSimulation> &All = ByTarget[Target];
    if (All.empty())
      for (const TorchConfig &C : Configs)
        All.emplace_back(C, DeviceBytes ? DeviceBytes : Of.DeviceBytes);
    runAll(All, Batch, Threads);
  };
  auto Targets = readDeviceRequests(T, Sel, Which, DeviceBytes, Take);
  if (!Targets)
    return Targets.takeError();
  ByTarget.resize(Targets->size());
  std::vector<TargetResults> Out;
  for (auto &&[Target, Simulations] : zip_equal(*Targets, ByTarget)) {
    if (!Target.Recorded.NumRequests)
      continue;
    if (DeviceBytes)
      Target.DeviceBytes = DeviceBytes;
    TargetResults &R = Out.emplace_back();
    R.Target = Target;
    for (const TorchSimulation &S : Simulations)
      R.Results.push_back(S.result());
  }
  return Out;
}
