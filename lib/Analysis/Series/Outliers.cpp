// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Allocations that outlive their siblings.

#include "memkit/Analysis/Outliers.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

OutlierFinder::OutlierFinder(const SelectedStats &S,
                             const OutlierOptions &Options)
    : Options(Options) {
  const Trace &T = S.trace();
  bool Outer = S.selection().isOuterView();
  S.forEach([&](uint32_t Process, const StackStats &R) {
    if (!R.LiveBlocks || R.Allocations < Options.MinAllocations ||
        T.wasReplaced(Process) || T.heap(R.Heap).estimateBytes() ||
        (!Outer && R.LiveBytes && !R.LiveExclusive))
      return;
    // The limit allows ten times more live blocks than outliers, since most
    // live blocks may be young. Above it, the blocks are no outliers.
    if (static_cast<double>(R.LiveBlocks) >
        10 * Options.MaxShare * static_cast<double>(R.Allocations))
      return;
    RowOf[key(Process, R.Heap, R.Key)] = Rows.size();
    Rows.push_back({Process, R.Heap, R.Key, R.Allocations, 0, 0, {}, {}});
  });
}

void OutlierFinder::add(uint32_t Process, uint64_t EndNs, const LiveBlock &B) {
  auto At = RowOf.find(key(Process, B.Heap, B.Stack));
  if (At == RowOf.end())
    return;
  OutlierRow &R = Rows[At->second];
  R.EndNs = EndNs;
  R.Live.push_back({B.Size, B.AllocatedNs});
}

/// Sums up how long blocks lived: a block that lives from one interval's end to
/// the next counts for this time.
Error OutlierFinder::addLives(IntervalSeries &Intervals) {
  std::vector<uint32_t> OfRow;
  constexpr uint32_t Unknown = UINT32_MAX, None = UINT32_MAX - 1;
  return Intervals.forEach(
      [&](size_t Place, size_t Interval, ArrayRef<IntervalChange> Changes) {
        const ProcessIntervals &I = Intervals.processes()[Place];
        double Left =
            static_cast<double>(I.Heads.back().EndNs - I.Heads[Interval].EndNs);
        OfRow.resize(Intervals.numRows(), Unknown);
        for (const IntervalChange &C : Changes) {
          uint32_t &Of = OfRow[C.Row];
          if (Of == Unknown) {
            auto At = RowOf.find(key(I.Process, C.Heap, C.Stack));
            Of = At == RowOf.end() ? None : At->second;
          }
          if (Of == None || Rows[Of].Live.empty())
            continue;
          Rows[Of].Lived += Left * (static_cast<double>(C.Blocks) -
                                    static_cast<double>(C.BlocksBefore));
          if (C.Allocations)
            Rows[Of].Intervals.push_back(
                {I.Heads[Interval].BeginNs, C.Allocations});
        }
        return Error::success();
      });
}

/// The maximum life of siblings: a step, or a part of the run.
static double shortLife(const ProcessIntervals &I, double Part) {
  double Run = static_cast<double>(
      I.Heads.back().EndNs -
      std::min(I.Heads.front().BeginNs, I.Heads.back().EndNs));
  if (!I.hasSteps())
    return Part * Run;
  double Steps = 0, Time = 0;
  for (const IntervalHead &H : I.Heads)
    if (H.LastStep) {
      Steps +=
          static_cast<double>(H.LastStep - std::min(H.FirstStep, H.LastStep)) +
          1;
      Time += static_cast<double>(H.EndNs - H.BeginNs);
    }
  return Time / Steps;
}

/// Whether a block that was allocated after B was freed. Else B may just be the
/// last of its stack, which the next block would have replaced.
bool OutlierFinder::hasYoungerFreed(const OutlierRow &R, const OldBlock &B) {
  uint64_t Younger = 0;
  for (const AllocatedIn &I : R.Intervals)
    Younger += I.BeginNs > B.AllocatedNs ? I.Allocations : 0;
  auto Live =
      static_cast<uint64_t>(llvm::count_if(R.Live, [&](const OldBlock &Other) {
        return Other.AllocatedNs > B.AllocatedNs;
      }));
  return Younger > Live;
}

void OutlierFinder::judge(const OutlierRow &R, const ProcessIntervals &I,
                          std::vector<Outlier> &Out) const {
  uint64_t BeginNs = I.Heads.front().BeginNs;
  if (R.EndNs <= BeginNs)
    return;
  double Run = static_cast<double>(R.EndNs - BeginNs);
  auto Age = [&](const OldBlock &B) {
    return static_cast<double>(R.EndNs - std::min(B.AllocatedNs, R.EndNs));
  };
  // Blocks that are old relative to the run are no siblings. Without them, the
  // mean life of the siblings is known.
  double Old = Options.MinAge * Run, OldLived = 0, OldBlocks = 0;
  for (const OldBlock &B : R.Live)
    if (Age(B) >= Old) {
      OldLived += Age(B);
      OldBlocks += 1;
    }
  double Siblings = static_cast<double>(R.Allocations) - OldBlocks;
  if (Siblings <= 0 ||
      OldBlocks > Options.MaxShare * static_cast<double>(R.Allocations))
    return;
  double Life = std::max(0.0, R.Lived - OldLived) / Siblings;
  if (Life > shortLife(I, Options.ShortLife))
    return;
  Outlier O{R.Process,
            R.Heap,
            R.Stack,
            0,
            0,
            R.Allocations,
            static_cast<uint64_t>(Life),
            UINT64_MAX,
            0};
  double Min = std::max(Old, Options.TimesOlder * Life);
  for (const OldBlock &B : R.Live) {
    if (Age(B) < Min || Age(B) > (1 - Options.WarmUp) * Run ||
        !hasYoungerFreed(R, B))
      continue;
    O.Blocks += 1;
    O.Bytes += B.Bytes;
    O.OldestNs = std::min(O.OldestNs, B.AllocatedNs);
    O.NewestNs = std::max(O.NewestNs, B.AllocatedNs);
  }
  if (O.Blocks)
    Out.push_back(O);
}

Expected<std::vector<Outlier>> OutlierFinder::find(IntervalSeries &Intervals) {
  std::vector<Outlier> Out;
  if (all_of(Rows, [](const OutlierRow &R) { return R.Live.empty(); }))
    return Out;
  if (Error E = addLives(Intervals))
    return std::move(E);
  DenseMap<uint32_t, const ProcessIntervals *> IntervalsOf;
  for (const ProcessIntervals &I : Intervals.processes())
    IntervalsOf[I.Process] = &I;
  for (const OutlierRow &R : Rows)
    if (auto At = IntervalsOf.find(R.Process);
        At != IntervalsOf.end() && !R.Live.empty())
      judge(R, *At->second, Out);
  stable_sort(Out, [](const Outlier &A, const Outlier &B) {
    return A.Bytes > B.Bytes;
  });
  return Out;
}

} // namespace memkit
