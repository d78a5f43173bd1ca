// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Updates lifetimes when an interval ends.
//
// When an interval ends, each row that changed in the interval contributes the
// rise or fall of its live bytes. Then each late free moves its bytes from this
// interval to the cohort in which the block was allocated. So the live bytes
// allocated in the interval are the rise plus the bytes of older blocks that
// were freed.

#include "RowOrder.h"
#include "llvm/ADT/STLExtras.h"

using namespace memkit;

/// The Lifetime of a row that has one of both kinds.
Lifetime &LiveStats::lifetimeOf(uint32_t &AllocatedIn, Lifetime::CutAndLog C) {
  uint32_t Index = AllocatedIn & StatsRowCold::LifetimeIndex;
  if (AllocatedIn & StatsRowCold::HasLifetime)
    return LifetimesOf[Index];
  AllocatedIn =
      static_cast<uint32_t>(LifetimesOf.size()) | StatsRowCold::HasLifetime;
  return LifetimesOf.emplace_back(BriefsOf[Index].expand(C));
}

/// Before and At: the row at the begin and at the end of the interval. AnyLate:
/// late frees of the interval may follow.
void LiveStats::addAllocated(LiveProcess &I, uint32_t Interval,
                             const DirtyRow &Before, const DirtyRow &At,
                             bool AnyLate) {
  if (!IntervalsOn)
    return;
  uint32_t &AllocatedIn = StackRows.cold(Before.Row).AllocatedIn;
  bool WasEmpty = !Before.LiveBlocks && !Before.LiveBytes;
  bool IsSame = At.livesAs(Before);
  // A changed row counts as work if it had live blocks before: its cohorts
  // change again.
  I.IntervalWork += !IsSame && !WasEmpty;
  bool IsEmpty = !At.LiveBlocks && !At.LiveBytes;
  if (!(AllocatedIn & (StatsRowCold::HasLifetime | StatsRowCold::HasBrief))) {
    if (!AllocatedIn || WasEmpty) {
      AllocatedIn = IsEmpty ? 0 : Interval + 1;
      return;
    }
    if (IsSame && !AnyLate)
      return;
    if (IsEmpty) {
      BriefsOf.push_back({.AllocatedIn = AllocatedIn - 1,
                          .FreedIn = Interval,
                          .Blocks = Before.LiveBlocks,
                          .Bytes = Before.LiveBytes});
      AllocatedIn =
          static_cast<uint32_t>(BriefsOf.size() - 1) | StatsRowCold::HasBrief;
      return;
    }
    LifetimesOf.emplace_back(AllocatedIn - 1, Before.LiveBlocks,
                             Before.LiveBytes);
    AllocatedIn = static_cast<uint32_t>(LifetimesOf.size() - 1) |
                  StatsRowCold::HasLifetime;
  }
  if (IsSame && (AllocatedIn & StatsRowCold::HasBrief))
    return;
  // Cohorts on both sides of the cut must not be merged.
  uint32_t Cut = Cells[StackRows[Before.Row].Cell].S->Cut.intervals();
  Lifetime &L = lifetimeOf(AllocatedIn, {Cut, I.Intervals});
  // Computed in 64 bits: a difference of the 32-bit counts would lose its sign.
  uint64_t Blocks = uint64_t(At.LiveBlocks) - Before.LiveBlocks;
  L.addAllocated(Interval, static_cast<int64_t>(Blocks),
                 static_cast<int64_t>(At.LiveBytes - Before.LiveBytes),
                 {Cut, I.Intervals});
}

// Not inline: late frees are few, and the loops over events need the registers.
void LiveStats::noteLateFree(LiveProcess &I, uint32_t Row,
                             uint64_t AllocationId, uint64_t Bytes,
                             uint32_t Blocks) {
  I.Late.add({Row, I.Intervals.intervalOf(AllocationId), Bytes, Blocks});
}

void LiveStats::noteLateFree(uint32_t Process, uint32_t Row,
                             uint64_t AllocationId, uint64_t Bytes,
                             uint32_t Blocks) {
  noteLateFree(*Processes[Process], Row, AllocationId, Bytes, Blocks);
}

/// Applies the late frees From to before To. Each needs three cache lines: the
/// row's two parts and its lifetime.
void LiveStats::applyLate(LiveProcess &I, const std::deque<LateFree> &Late,
                          size_t From, size_t To, uint32_t Interval) {
  constexpr size_t Near = 8, Far = 16;
  auto PrefetchLifetime = [&](uint32_t Row) {
    uint32_t AllocatedIn = StackRows.cold(Row).AllocatedIn,
             Index = AllocatedIn & StatsRowCold::LifetimeIndex;
    if (AllocatedIn & StatsRowCold::HasLifetime)
      __builtin_prefetch(&LifetimesOf[Index], 1);
    else if (AllocatedIn & StatsRowCold::HasBrief)
      __builtin_prefetch(&BriefsOf[Index], 1);
  };
  I.IntervalWork += To - From;
  // Iterators, since an index into a deque costs more than a step.
  auto End = Late.begin() + ptrdiff_t(To), At = Late.begin() + ptrdiff_t(From);
  auto AtFar = At + ptrdiff_t(std::min(Far, To - From));
  auto AtNear = At + ptrdiff_t(std::min(Near, To - From));
  for (; At != End; ++At) {
    if (AtFar != End) {
      prefetchRow(AtFar->Row);
      prefetchCold(AtFar++->Row);
    }
    if (AtNear != End)
      PrefetchLifetime(AtNear++->Row);
    const LateFree &F = *At;
    uint32_t &AllocatedIn = StackRows.cold(F.Row).AllocatedIn;
    if (AllocatedIn & StatsRowCold::HasBrief &&
        BriefsOf[AllocatedIn & StatsRowCold::LifetimeIndex].addLateFree(
            F.Interval, Interval, F.Blocks, F.Bytes))
      continue;
    if (!(AllocatedIn & (StatsRowCold::HasLifetime | StatsRowCold::HasBrief)))
      continue;
    uint32_t Cut = Cells[StackRows[F.Row].Cell].S->Cut.intervals();
    lifetimeOf(AllocatedIn, {Cut, I.Intervals})
        .addLateFree(F.Interval, Interval, F.Blocks, F.Bytes,
                     {Cut, I.Intervals});
  }
}

/// The live bytes of a share of a process that were allocated in the intervals
/// from Interval on; but for one arena of CPython, which an interpreter that
/// ends may map for a few small objects.
uint64_t LiveStats::keptSince(const Share &S, uint32_t Interval) const {
  constexpr uint64_t ArenaBytes = 1 << 20, OldArenaBytes = 256 << 10;
  uint64_t Sum = 0, Arena = 0;
  for (uint32_t Row = 1; Row <= StackRows.size(); ++Row) {
    const StatsRow &R = StackRows[Row];
    if (!R.LiveBytes || Cells[R.Cell].S != &S)
      continue;
    uint32_t AllocatedIn = StackRows.cold(Row).AllocatedIn;
    uint64_t Bytes = 0;
    if (AllocatedIn & StatsRowCold::HasLifetime)
      Bytes = LifetimesOf[AllocatedIn & StatsRowCold::LifetimeIndex].bytesSince(
          Interval);
    else if (!(AllocatedIn & StatsRowCold::HasBrief) && AllocatedIn > Interval)
      Bytes = R.LiveBytes;
    Sum += Bytes;
    if (Bytes == ArenaBytes || Bytes == OldArenaBytes)
      Arena = std::max(Arena, Bytes);
  }
  return Sum - Arena;
}

/// The live bytes of all heaps of a share, inner heaps too: the objects of an
/// interpreter that ends are freed before the arenas around them.
ShutdownCut::Level LiveStats::levelOf(const Share &S) const {
  ShutdownCut::Level Out{0, S.Allocations};
  for (uint32_t C : S.Cells)
    Out.LiveBytes += Cells[C].LiveBytes;
  return Out;
}

/// Call when an interval ends. Passes the levels of the interval before to the
/// cuts: only now is it known that the process continued after it. The last
/// interval of a process never lies before a cut.
void LiveStats::noteLevels(LiveProcess &I) {
  if (!IntervalsOn)
    return;
  for (size_t S = 0; S != I.Levels.size(); ++S) {
    if (!I.Shares[S])
      continue;
    ShutdownCut &Cut = I.Shares[S]->Cut;
    Cut.noteEnd(I.Intervals, I.Intervals.current(), I.Levels[S]);
    if (I.IsLastInterval)
      Cut.finish(I.Intervals, I.FirstNs,
                 [&](uint32_t From) { return keptSince(*I.Shares[S], From); });
  }
  I.Levels.clear();
  for (const std::unique_ptr<Share> &S : I.Shares)
    I.Levels.push_back(S ? levelOf(*S) : ShutdownCut::Level());
}

/// The lifetime of a row at its cut. False when no block of the row lived at
/// the cut, or the row is left out.
bool LiveStats::lifetimeAt(uint32_t Row, LifetimeRow &Out) const {
  const StatsRow &R = StackRows[Row];
  const Cell &C = Cells[R.Cell];
  uint32_t AllocatedIn = StackRows.cold(Row).AllocatedIn,
           Cut = C.S->Cut.ofLife();
  if (!AllocatedIn)
    return false;
  Out.Heap = C.Heap;
  Out.Stack = R.Key;
  if (AllocatedIn & StatsRowCold::HasLifetime) {
    LifetimesOf[AllocatedIn & StatsRowCold::LifetimeIndex].writeAt(Cut, Out);
    return !Out.Cohorts.empty();
  }
  if (AllocatedIn & StatsRowCold::HasBrief) {
    const BriefLifetime &B =
        BriefsOf[AllocatedIn & StatsRowCold::LifetimeIndex];
    // Nothing lives on at a cut after the free.
    if (B.FreedIn < Cut)
      return false;
    B.expand({Cut, C.I->Intervals}).writeAt(Cut, Out);
    return !Out.Cohorts.empty();
  }
  constexpr double Start = 0.1;
  const IntervalLog &Log = C.I->Intervals;
  if (AllocatedIn > Cut || Log.place(AllocatedIn - 1, Log.current()) < Start)
    return false;
  Out.Frees.clear();
  Out.Cohorts.assign(
      1, {AllocatedIn - 1, AllocatedIn - 1, R.LiveBlocks, R.LiveBytes});
  return true;
}

namespace {
/// Collects the rows of a process into sections.
class LifetimeWriter {
public:
  using WriteLifetimes = llvm::function_ref<llvm::Error(const Lifetimes &)>;
  LifetimeWriter(uint32_t Process, WriteLifetimes Write) : Write(Write) {
    Part.Process = Process;
    Part.Last = false;
  }
  llvm::Error add(const LifetimeRow &Row) {
    size_t Size = 1 + Row.Cohorts.size() + Row.Frees.size();
    if (Used + Size > MaxSectionRows) {
      if (llvm::Error E = Write(Part))
        return E;
      Part.Rows.clear();
      Used = 0;
    }
    Used += Size;
    Part.Rows.push_back(Row);
    return llvm::Error::success();
  }
  llvm::Error finish(std::vector<LifetimeCut> Cuts) {
    Part.Last = true;
    Part.Cuts = std::move(Cuts);
    return Write(Part);
  }

private:
  WriteLifetimes Write;
  Lifetimes Part;
  size_t Used = 0;
};
} // namespace

llvm::Error LiveStats::lifetimes(
    llvm::function_ref<llvm::Error(const Lifetimes &)> Write) const {
  if (!IntervalsOn)
    return llvm::Error::success();
  const RowOrder Order = orderRows(StackRows);
  LifetimeRow Row;
  for (const std::unique_ptr<LiveProcess> &I : Processes) {
    if (!I)
      continue;
    LifetimeWriter Out(I->T.Process, Write);
    for (uint32_t At : I->CellOfHeap)
      if (At)
        for (uint64_t KeyAndRow : Order.of(At - 1))
          if (lifetimeAt(uint32_t(KeyAndRow), Row))
            if (llvm::Error E = Out.add(Row))
              return E;
    std::vector<LifetimeCut> Cuts;
    for (size_t S = 0; S != I->Shares.size(); ++S)
      if (I->Shares[S] && I->Shares[S]->Cut.ofLife())
        Cuts.push_back({static_cast<uint32_t>(S), I->Shares[S]->Cut.ofLife()});
    if (Cuts.empty())
      continue; // no interval has ended
    if (llvm::Error E = Out.finish(std::move(Cuts)))
      return E;
  }
  return llvm::Error::success();
}
