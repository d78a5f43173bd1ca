// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The blocks that are live when their process ends.

#include "memkit/Model/LastBlocks.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

namespace {
/// Visits the live blocks of each process as the process ends.
class BlocksAtEnds : public ReplayObserver {
public:
  BlocksAtEnds(const Selection &Sel,
               function_ref<void(uint32_t, uint64_t, const LiveBlock &)> Do)
      : Sel(Sel), Do(Do) {}
  void start(Replay &R) { Run = &R; }
  Error processEnds(uint32_t Process, uint64_t TimeNs) override {
    if (Sel.hasProcess(Process))
      Run->forEachLive(Process, [&](const LiveBlock &B, uint32_t) {
        if (Sel.hasHeap(B.Heap) && Sel.hasStack(B.Stack))
          Do(Process, TimeNs, B);
      });
    return Error::success();
  }
  void finish() {
    for (uint32_t Id = 1; Id <= Run->limits().Processes; ++Id)
      if (!Run->stats().isEnded(Id))
        cantFail(processEnds(Id, Run->endNs()));
  }

private:
  const Selection &Sel;
  function_ref<void(uint32_t, uint64_t, const LiveBlock &)> Do;
  Replay *Run = nullptr;
};
} // namespace

bool hasLastBlocks(const Trace &T) {
  if (!T.hasReader())
    return false;
  uint64_t Stored = T.summary().Events;
  uint64_t Held = 0;
  for (const SectionInfo &B : T.reader().sections())
    Held += B.Events;
  return Held && Held >= Stored;
}

Error forEachLastBlock(
    const SelectedStats &S,
    function_ref<void(uint32_t, uint64_t, const LiveBlock &)> Do) {
  const Selection &Sel = S.selection();
  const TimeWindow &W = Sel.times();
  if (W.Since || W.Until || W.At)
    return Error::success();
  ReplayOptions Options;
  if (Sel.needsAllocationTimes())
    Options.Select = [&](const Allocation &B) { return Sel.hasAllocation(B); };
  // Nobody asks for stats, which take half of a replay's time.
  Options.BlocksOnly = !Options.Select;
  BlocksAtEnds Observer(Sel, Do);
  auto Run = Replay::create(S.trace().reader(), std::move(Options), &Observer);
  if (!Run)
    return Run.takeError();
  Observer.start(**Run);
  if (Sel.canStartNear())
    if (Error E = (*Run)->startNear(UINT64_MAX, /*KeepEnded=*/true))
      return E;
  if (Error E = (*Run)->run())
    return E;
  Observer.finish();
  return Error::success();
}

} // namespace memkit
