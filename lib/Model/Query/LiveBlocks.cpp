// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks one by one.

#include "memkit/Model/LiveBlocks.h"
#include "memkit/Model/Replay.h"
#include "memkit/Support/Format.h"
#include "memkit/Support/RequestError.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

namespace {

struct AgedBlock {
  uint64_t AllocatedNs;
  uint64_t AllocationId;
  uint64_t Enclosing; ///< allocation id + 1; 0: none
  uint64_t Size;
  uint64_t Bytes; ///< counted bytes of the block
  uint32_t Heap;
  uint32_t Stack, ScopePath;
  uint32_t Weight;
  bool Chosen;
  /// Estimated.
  uint64_t countedBytes() const {
    return Bytes * std::max<uint64_t>(Weight, 1);
  }
  uint64_t allBytes() const { return Size * std::max<uint64_t>(Weight, 1); }
};

/// Calls OnEnd at the end of a process, while its blocks are still live.
class ProcessEnds : public ReplayObserver {
public:
  std::function<Error(uint32_t Process)> OnEnd;
  Error processEnds(uint32_t Process, uint64_t) override {
    return OnEnd ? OnEnd(Process) : Error::success();
  }
};

} // namespace

Error replayTo(const Trace &T, const Selection &Sel, const TimePoint &At,
               StringRef Needs,
               function_ref<Error(uint32_t Process, const Replay &)> Do) {
  bool IsNear = Sel.canStartNear();
  if (Error E = requireEvents(T, Needs, IsNear ? &At : nullptr))
    return E;
  ReplayOptions Options;
  Options.KeepThreads = !IsNear;
  Options.BlocksOnly = true;
  ProcessEnds Ends;
  Expected<std::unique_ptr<Replay>> R =
      Replay::create(T.reader(), Options, &Ends);
  if (!R)
    return R.takeError();
  BitVector Left(T.processes().size() + 1);
  for (uint32_t Process = 1; Process < Left.size(); ++Process)
    Left[Process] = Sel.hasProcess(Process);
  auto Give = [&](uint32_t Process) -> Error {
    if (!Left[Process])
      return Error::success();
    Left.reset(Process);
    return Do(Process, **R);
  };
  if (At.IsEnd)
    Ends.OnEnd = Give;
  if (IsNear)
    if (Error E = (*R)->startNear(At.TimeNs, /*KeepEnded=*/At.IsEnd))
      return E;
  if (Error E = runTo(**R, &At))
    return E;
  for (uint32_t Process = 1; Process < Left.size(); ++Process)
    if (Error E = Give(Process))
      return E;
  return Error::success();
}

/// Subtracts from each block the bytes of its inner blocks. Blocks: of one
/// process, by rising allocation id. A block whose enclosing block is gone
/// keeps all its bytes.
static void makeExclusive(const Trace &T, MutableArrayRef<AgedBlock> Blocks) {
  auto Counts = [&](uint32_t Heap) {
    return !(T.heap(Heap).Flags & HF_OutsideTotals);
  };
  for (AgedBlock &B : Blocks) {
    if (!B.Enclosing || !Counts(B.Heap))
      continue;
    auto Outer = lower_bound(Blocks, B.Enclosing - 1,
                             [](const AgedBlock &Of, uint64_t AllocationId) {
                               return Of.AllocationId < AllocationId;
                             });
    if (Outer == Blocks.end() || Outer->AllocationId != B.Enclosing - 1 ||
        !Counts(Outer->Heap) ||
        T.heap(Outer->Heap).Space != T.heap(B.Heap).Space)
      continue;
    // An estimate is not subtracted from an exact size.
    if (B.Weight)
      B.Bytes = 0;
    else
      Outer->Bytes -= std::min(Outer->Bytes, B.Size);
  }
}

/// The live blocks of a process, with all bytes of each.
static void readBlocks(const Selection &Sel, uint32_t Process, const Replay &R,
                       std::vector<AgedBlock> &Blocks) {
  Blocks.clear();
  Blocks.reserve(R.liveBlocks(Process));
  R.forEachLive(Process, [&](const LiveBlock &B, uint32_t Thread) {
    bool Chosen = Sel.hasAllocation(
        {B.AllocatedNs, B.Size, Process, Thread, B.Heap, B.Stack, B.ScopePath});
    Blocks.push_back({B.AllocatedNs, B.AllocationId, B.Enclosing, B.Size,
                      B.Size, B.Heap, B.Stack, B.ScopePath, B.Weight, Chosen});
  });
}

/// Calls Do for the parts of a process in the state of a replay. Blocks: memory
/// to use.
static void forEachPart(const Trace &T, const Selection &Sel, uint32_t Process,
                        const Replay &R, std::vector<AgedBlock> &Blocks,
                        function_ref<void(const LivePart &)> Do) {
  readBlocks(Sel, Process, R, Blocks);
  makeExclusive(T, Blocks);
  for (const AgedBlock &B : Blocks)
    if (B.Chosen)
      Do({B.AllocatedNs, B.countedBytes(), B.allBytes(), B.AllocationId,
          Process, B.Heap, B.Stack, B.ScopePath});
}

Error forEachLivePart(const Trace &T, const Selection &Sel, const TimePoint &At,
                      StringRef Needs,
                      function_ref<void(const LivePart &)> Do) {
  std::vector<AgedBlock> Blocks;
  auto Take = [&](uint32_t Process, const Replay &R) -> Error {
    forEachPart(T, Sel, Process, R, Blocks, Do);
    return Error::success();
  };
  return replayTo(T, Sel, At, Needs, Take);
}

namespace {
/// Stops a replay at given times.
class TimeStops : public ReplayObserver {
public:
  explicit TimeStops(ArrayRef<uint64_t> TimesNs) : Left(TimesNs) {}
  std::function<Error(uint64_t TimeNs)> OnStop;

  uint64_t nextTimeStop() override {
    return Left.empty() ? UINT64_MAX : Left.front();
  }
  Error timeStop(uint64_t TimeNs, uint64_t) override {
    Left = Left.drop_front();
    return OnStop(TimeNs);
  }
  ArrayRef<uint64_t> left() const { return Left; }

private:
  ArrayRef<uint64_t> Left;
};
} // namespace

Error forEachLiveMoment(
    const Trace &T, const Selection &Sel, ArrayRef<uint64_t> TimesNs,
    StringRef Needs,
    function_ref<Error(uint64_t TimeNs, std::vector<LivePart> &)> Do) {
  if (TimesNs.empty())
    return Error::success();
  if (Error E = requireEvents(T, Needs))
    return E;
  TimeStops Stops(TimesNs);
  ReplayOptions Options;
  Options.BlocksOnly = true;
  Expected<std::unique_ptr<Replay>> R =
      Replay::create(T.reader(), Options, &Stops);
  if (!R)
    return R.takeError();
  std::vector<LivePart> Parts;
  std::vector<AgedBlock> Blocks;
  auto Give = [&](uint64_t TimeNs) {
    Parts.clear();
    for (uint32_t Process = 1; Process <= T.processes().size(); ++Process)
      if (Sel.hasProcess(Process))
        forEachPart(T, Sel, Process, **R, Blocks,
                    [&](const LivePart &P) { Parts.push_back(P); });
    return Do(TimeNs, Parts);
  };
  Stops.OnStop = Give;
  // The last stop needs an event behind it, which may not exist.
  if (Error E = (*R)->run())
    return E;
  for (uint64_t TimeNs : Stops.left())
    if (Error E = Give(TimeNs))
      return E;
  return Error::success();
}

Expected<Profile> liveBlocks(const Trace &T, const Selection &Sel, StatsBy By) {
  Expected<TimePoint> At = Sel.atOrPeak(T);
  if (!At)
    return At.takeError();
  if (At->IsEnd)
    return makeRequestError("the order of allocation needs a time point before "
                            "the end");
  bool Outer = Sel.isOuterView();
  uint32_t Space = peakSpace(T);
  std::vector<AgedBlock> All, Blocks;
  auto Take = [&](uint32_t Process, const Replay &R) -> Error {
    readBlocks(Sel, Process, R, Blocks);
    if (!Outer)
      makeExclusive(T, Blocks);
    copy_if(Blocks, std::back_inserter(All), [&](const AgedBlock &B) {
      return B.Chosen && B.Bytes && (Outer || T.heap(B.Heap).Space == Space);
    });
    return Error::success();
  };
  if (Error E = replayTo(T, Sel, *At, "the order of allocation needs", Take))
    return std::move(E);
  // Allocation ids of a process rise with time, except those of splits.
  stable_sort(All, [](const AgedBlock &A, const AgedBlock &B) {
    return A.AllocatedNs < B.AllocatedNs;
  });
  Profile P;
  P.Name =
      ((Outer ? "selected heaps" : T.spaceName(Space)) +
       Twine(": blocks live at ") +
       (Sel.times().At ? StringRef(At->Text) : "the peak") + ", oldest first")
          .str();
  for (const AgedBlock &B : All) {
    uint64_t Value = B.countedBytes();
    P.Values.push_back(
        {By == StatsBy::ScopePaths ? B.ScopePath : B.Stack, Value});
    P.Total += Value;
  }
  return P;
}

Expected<Profile> shortLived(const Trace &T, const Selection &Sel, StatsBy By,
                             uint64_t AgeNs) {
  if (Error E = requireEvents(T, "the age of a freed block needs"))
    return E;
  std::vector<uint64_t> Counts;
  ReplayOptions Options;
  Options.Select = [&](const Allocation &B) {
    return Sel.hasAllocation(B) &&
           (Sel.isOuterView() || T.heap(B.Heap).Space == 0);
  };
  Options.OnEvent = [&](const ReplayedEvent &E) {
    if (E.Kind != EventKind::Free || E.TimeNs - E.AllocatedNs > AgeNs)
      return true;
    uint32_t Key = By == StatsBy::ScopePaths ? E.ScopePath : E.Stack;
    if (Key >= Counts.size())
      Counts.resize(Key + size_t(1));
    ++Counts[Key];
    return true;
  };
  Expected<std::unique_ptr<Replay>> R = Replay::create(T.reader(), Options);
  if (!R)
    return R.takeError();
  if (Error E = runTo(**R, Sel.times().last()))
    return E;
  Profile P;
  P.M = Metric::Temporary;
  P.Name = ((Sel.isOuterView() ? "selected heaps" : "host") +
            Twine(": allocations freed within ") + formatTime(AgeNs))
               .str();
  for (uint32_t Key = 0; Key != Counts.size(); ++Key)
    if (Counts[Key]) {
      P.Values.push_back({Key, Counts[Key]});
      P.Total += Counts[Key];
    }
  return P;
}

} // namespace memkit
