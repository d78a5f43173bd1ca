// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The blocks of a selection, each from its allocation to its free.

#include "BlockSpans.h"
#include "Model/Replay/ReplayProgress.h"
#include "SpanMerger.h"
#include "memkit/Model/Profile.h"
#include "memkit/Support/RequestError.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace memkit {

namespace {

/// Replays the events. A span is complete when it ends: only the times at which
/// the current size of a resized block began are kept here.
class SpanReader : public ReplayProgress {
public:
  SpanReader(const SelectedStats &S, StatsBy By, size_t Max)
      : ReplayProgress(S.trace().onProgress(), S.trace().reader()),
        T(S.trace()), Sel(S.selection()), By(By), To(Max, T.endNs()),
        Ended(T.processes().size() + 1) {}

  Error run();
  BlockSpans finish() { return To.finish(); }
  Error processEnds(uint32_t Process, uint64_t TimeNs) override;

private:
  using BlockOfProcess = std::pair<uint32_t, uint64_t>;

  Error start();
  void take(const ReplayedEvent &E);
  void takeLive(uint32_t Process, uint64_t EndNs);
  bool isChosen(uint32_t Process, uint32_t Heap, uint32_t Stack,
                uint32_t ScopePath) const {
    return Sel.hasProcess(Process) && Sel.hasHeap(Heap) &&
           Sel.hasStack(Stack) && Sel.hasScopePath(ScopePath);
  }
  uint32_t key(uint32_t Stack, uint32_t ScopePath) const {
    return By == StatsBy::ScopePaths ? ScopePath : Stack;
  }

  const Trace &T;
  const Selection &Sel;
  StatsBy By;
  SpanMerger To;
  BitVector Ended; ///< by process
  std::unique_ptr<Replay> R;
  /// When the current size of resized and split blocks began.
  DenseMap<BlockOfProcess, uint64_t> Restarted;
};

} // namespace

static uint64_t bytesOf(uint64_t Size, uint32_t Weight) {
  return SaturatingMultiply<uint64_t>(Size, std::max<uint32_t>(Weight, 1));
}

void SpanReader::take(const ReplayedEvent &E) {
  bool Goes = E.Kind == EventKind::Free;
  if (E.Kind == EventKind::Allocate ||
      (E.Kind == EventKind::Resize && E.Size == E.SizeBefore) ||
      !isChosen(E.Process, E.Heap, E.Stack, E.ScopePath))
    return;
  auto Began = Restarted.find({E.Process, E.Block});
  uint64_t BeginNs = Began == Restarted.end() ? E.AllocatedNs : Began->second;
  // With a time point only blocks that live then count.
  if (!Sel.times().At)
    To.add(E.Process, E.Heap,
           {BeginNs, E.TimeNs, bytesOf(Goes ? E.Size : E.SizeBefore, E.Weight),
            E.Block, key(E.Stack, E.ScopePath), E.AllocatedBy, E.Thread});
  if (Goes) {
    if (Began != Restarted.end())
      Restarted.erase(Began);
    return;
  }
  Restarted[{E.Process, E.Block}] = E.TimeNs;
  if (E.Kind == EventKind::Split)
    Restarted[{E.Process, R->nextAllocationId(E.Process)}] = E.TimeNs;
}

/// Takes the live blocks of a process. EndNs: when they go, or Alive.
void SpanReader::takeLive(uint32_t Process, uint64_t EndNs) {
  if (!Sel.hasProcess(Process))
    return;
  R->forEachLive(Process, [&](const LiveBlock &B, uint32_t Thread) {
    if (!isChosen(Process, B.Heap, B.Stack, B.ScopePath))
      return;
    auto Began = Restarted.find({Process, B.AllocationId});
    To.add(Process, B.Heap,
           {Began == Restarted.end() ? B.AllocatedNs : Began->second, EndNs,
            bytesOf(B.Size, B.Weight), B.AllocationId,
            key(B.Stack, B.ScopePath), Thread, 0});
  });
}

Error SpanReader::processEnds(uint32_t Process, uint64_t TimeNs) {
  Ended.set(Process);
  const TimePoint *Last = Sel.times().last();
  if (!Last || Last->IsEnd)
    takeLive(Process, BlockSpan::Alive);
  else if (!Sel.times().At)
    takeLive(Process, TimeNs);
  return Error::success();
}

Error SpanReader::start() {
  ReplayOptions Options;
  Options.KeepThreads = true;
  if (Sel.needsAllocationTimes(By))
    Options.Select = [&](const Allocation &B) { return Sel.hasAllocation(B); };
  else
    Options.BlocksOnly = true;
  Options.OnEvent = [&](const ReplayedEvent &E) {
    take(E);
    return true;
  };
  Expected<std::unique_ptr<Replay>> Made =
      Replay::create(T.reader(), std::move(Options), this);
  if (!Made)
    return Made.takeError();
  R = std::move(*Made);
  // As SelectedStats: earlier allocations do not count, or only live blocks.
  const TimeWindow &W = Sel.times();
  const std::optional<TimePoint> &From = W.Since ? W.Since : W.At;
  if (From && !From->IsEnd && Sel.canStartNear())
    return R->startNear(From->TimeNs);
  return Error::success();
}

Error SpanReader::run() {
  if (Error E = start())
    return E;
  if (Error E = runTo(*R, Sel.times().last()))
    return E;
  for (uint32_t Process = 1; Process < Ended.size(); ++Process)
    if (!Ended[Process])
      takeLive(Process, BlockSpan::Alive);
  return Error::success();
}

Expected<BlockSpans> readBlockSpans(const SelectedStats &S, StatsBy By,
                                    size_t Max) {
  const Trace &T = S.trace();
  const std::optional<TimePoint> &At = S.selection().times().At;
  if (isDiff(T))
    return makeRequestError("a trace of differences has no allocations");
  bool IsNear = At && !S.selection().needsAllocationTimes(By);
  if (Error E =
          requireEvents(T, "single allocations need", IsNear ? &*At : nullptr))
    return std::move(E);
  SpanReader Reader(S, By, Max);
  if (Error E = Reader.run())
    return std::move(E);
  return Reader.finish();
}

} // namespace memkit
