// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The values of each stack in two groups of runs.

#include "DiffStacks.h"
#include "Support/RunBoth.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace llvm;

namespace memkit {

namespace {

/// A row of one run. The rows of a pair form a linked list from the last row
/// on. Most pairs have only one row; sums of several rows are computed on
/// demand.
struct DiffEntry {
  SelectedStats::RowId Row;
  uint32_t Before; ///< the previous entry of the pair + 1, 0 none
};

/// A (heap, stack) in both groups: the last entry of each group + 1, or 0.
struct StackPair {
  uint64_t Key = 0;
  uint32_t Before = 0;
  uint32_t After = 0;
};

/// Finds pairs by key. Most look-ups would miss the cache, so their memory is
/// prefetched well before.
class Matcher {
public:
  /// Adds the rows of a run after those of earlier runs. Keys: from rowKeys().
  void add(const DiffRuns &Runs, size_t Run, ArrayRef<uint64_t> Keys,
           std::vector<DiffEntry> &Out);
  std::vector<StackPair> Pairs;

private:
  void reserve(size_t Rows);
  StackPair &find(uint64_t Key);

  /// Open addressing; an index in Pairs + 1, 0 is free.
  std::vector<uint32_t> Slots;
};

/// Distance in rows of memory prefetches, for each of two steps.
constexpr size_t Ahead = 12;

} // namespace

/// Makes room for Rows more pairs; at most half of the slots are used.
void Matcher::reserve(size_t Rows) {
  Pairs.reserve(Pairs.size() + Rows);
  size_t Wanted = PowerOf2Ceil(std::max<size_t>(2 * (Pairs.size() + Rows), 64));
  if (Wanted <= Slots.size())
    return;
  Slots.assign(Wanted, 0);
  for (size_t I = 0; I != Pairs.size(); ++I) {
    size_t At = Pairs[I].Key & (Wanted - 1);
    while (Slots[At])
      At = (At + 1) & (Wanted - 1);
    Slots[At] = I + 1;
  }
}

StackPair &Matcher::find(uint64_t Key) {
  size_t Mask = Slots.size() - 1;
  size_t At = Key & Mask;
  for (; Slots[At]; At = (At + 1) & Mask)
    if (Pairs[Slots[At] - 1].Key == Key)
      return Pairs[Slots[At] - 1];
  Pairs.push_back({Key, 0, 0});
  Slots[At] = Pairs.size();
  return Pairs.back();
}

void Matcher::add(const DiffRuns &Runs, size_t Run, ArrayRef<uint64_t> Keys,
                  std::vector<DiffEntry> &Out) {
  bool IsAfter = Runs.isAfter(Run);
  reserve(Keys.size());
  Out.reserve(Out.size() + Keys.size());
  size_t Mask = Slots.size() - 1, I = 0;
  Runs.run(Run).forEachKey(
      [&](SelectedStats::RowId Row, uint32_t, uint32_t Stack) {
        if (Runs.isHidden(Run, Stack))
          return;
        if (I + 2 * Ahead < Keys.size()) {
          __builtin_prefetch(&Slots[Keys[I + 2 * Ahead] & Mask]);
          if (uint32_t Next = Slots[Keys[I + Ahead] & Mask])
            __builtin_prefetch(&Pairs[Next - 1]);
        }
        StackPair &P = find(Keys[I++]);
        uint32_t &Last = IsAfter ? P.After : P.Before;
        Out.push_back({Row, Last});
        Last = Out.size();
      });
}

/// A key for each reported row of a run, in the order of forEach(). Rows of
/// equal heap and stack have equal keys.
static std::vector<uint64_t> rowKeys(const DiffRuns &Runs, size_t Run,
                                     const KeyRules &Rules) {
  const SelectedStats &S = Runs.run(Run);
  const Trace &T = S.trace();
  std::vector<uint64_t> HeapKeys{0};
  for (uint32_t H = 1; H <= T.heaps().size(); ++H)
    HeapKeys.push_back(heapKey(T.heapName(H), Rules));
  // Rows come heap by heap, with stacks from the whole tree. Look-ups by stack
  // touch less memory than look-ups by node.
  std::vector<uint64_t> OfStack(T.numStacks() + 1), Keys;
  {
    std::vector<uint64_t> OfNode = nodeKeys(T, SameFrame::Function, Rules);
    for (uint32_t Stack = 0; Stack != OfStack.size(); ++Stack)
      OfStack[Stack] = OfNode[T.view().leaf(Stack)];
  }
  Keys.reserve(S.numRows());
  S.forEachKey([&](SelectedStats::RowId, uint32_t Heap, uint32_t Stack) {
    if (!Runs.isHidden(Run, Stack))
      Keys.push_back(OfStack[Stack] ^ HeapKeys[Heap]);
  });
  return Keys;
}

namespace {
/// One of the two groups.
struct DiffSide {
  DiffSide(const DiffRuns &Runs, size_t Begin, size_t End)
      : Runs(Runs), Begin(Begin), End(End) {}
  const DiffRuns &Runs;
  size_t Begin, End; ///< of its runs
  std::vector<DiffEntry> Entries;
  std::vector<size_t> Starts; ///< by run, its first entry

  /// The run of an entry; entries count from 1.
  size_t runOf(uint32_t Entry) const {
    size_t Run = End;
    while (Starts[Run - 1 - Begin] >= Entry)
      --Run;
    return Run - 1;
  }
  /// The metrics of each run for a pair's entries. First becomes the stack of
  /// the first entry; it stays empty without entries.
  void metricsOf(uint32_t Last, MutableArrayRef<StackMetrics> Of,
                 std::optional<DiffStack> &First, uint32_t &Heap) const;
  /// Prefetches memory that metricsOf() will read: the entry, later its row.
  void prefetchEntry(uint32_t Last) const {
    if (Last)
      __builtin_prefetch(&Entries[Last - 1]);
  }
  void prefetchRow(uint32_t Last) const {
    if (Last)
      Runs.run(runOf(Last)).prefetch(Entries[Last - 1].Row);
  }
};
} // namespace

void DiffSide::metricsOf(uint32_t Last, MutableArrayRef<StackMetrics> Of,
                         std::optional<DiffStack> &First,
                         uint32_t &Heap) const {
  // Peaks of stacks with equal keys add up, those of processes do not.
  std::fill(Of.begin(), Of.end(), StackMetrics());
  size_t InRun = End;
  uint32_t Process = 0;
  uint64_t Peak = 0;
  for (; Last; Last = Entries[Last - 1].Before) {
    const DiffEntry &E = Entries[Last - 1];
    size_t Run = End - Begin == 1 ? Begin : runOf(Last);
    const SelectedStats &S = Runs.run(Run);
    StackStats R = S.row(E.Row);
    First = {uint32_t(Run), R.Key};
    Heap = Runs.heapNumber(Run, R.Heap);
    StackMetrics &M = Of[Run - Begin];
    M.add(metricsOfRow(R, S.selection().isOuterView()));
    bool Same = InRun == Run && Process == S.processOf(E.Row);
    Peak = (Same ? Peak : 0) + R.PeakBytes;
    InRun = Run;
    Process = S.processOf(E.Row);
    M.PeakBytes = std::max(M.PeakBytes, Peak);
  }
}

static uint64_t distance(uint64_t A, uint64_t B) {
  return A > B ? A - B : B - A;
}

namespace {
/// Decides whether a difference is shown.
class ShownFilter {
public:
  ShownFilter(const DiffRuns &Runs, const DiffOptions &Options)
      : Runs(Runs), Options(Options) {}

  /// All: the metrics of each run.
  bool operator()(ArrayRef<StackMetrics> All, uint64_t Noise) const {
    if (Options.By)
      return exceeds(All, Noise, [&](const StackMetrics &M) {
        return metricOf(M, *Options.By);
      });
    if (Noise == 0 && Runs.isPair())
      return true;
    for (uint64_t StackMetrics::*Field :
         {&StackMetrics::AtPeakBytes, &StackMetrics::LiveBytes,
          &StackMetrics::PeakBytes})
      if (exceeds(All, Noise, [=](const StackMetrics &M) { return M.*Field; }))
        return true;
    return false;
  }

private:
  template <typename GetT>
  bool exceeds(ArrayRef<StackMetrics> All, uint64_t Noise, GetT Get) const {
    uint64_t Change =
        distance(Get(meanOf(Runs.before(All))), Get(meanOf(Runs.after(All))));
    if (!Change || Change < Noise)
      return false;
    if (Runs.isPair() || Options.Uncertain)
      return true;
    std::vector<double> Values;
    for (const StackMetrics &M : All)
      Values.push_back(double(Get(M)));
    std::optional<ConfidenceInterval> I =
        differenceOfMeans(Runs.before<double>(Values),
                          Runs.after<double>(Values), Options.Confidence);
    return !I || !I->hasZero();
  }

  const DiffRuns &Runs;
  const DiffOptions &Options;
};
} // namespace

/// Sorts the shown differences by change, the largest first.
static void sortShown(std::vector<Difference> &Shown, Metric By) {
  auto Change = [](const Difference &D, Metric M) {
    return distance(metricOf(D.Before, M), metricOf(D.After, M));
  };
  stable_sort(Shown, [&](const Difference &A, const Difference &B) {
    return std::pair(Change(A, By), Change(A, Metric::Live)) >
           std::pair(Change(B, By), Change(B, Metric::Live));
  });
}

/// Adds the rows of all runs; makes the keys of two runs at a time.
static void match(const DiffRuns &Runs, const DiffPlaces &Of, Matcher &M,
                  DiffSide &Before, DiffSide &After) {
  for (size_t R = 0; R < Runs.size(); R += 2) {
    std::vector<uint64_t> Keys[2];
    auto Make = [&](size_t I) {
      if (R + I < Runs.size())
        Keys[I] = rowKeys(Runs, R + I, Of.rules(Runs, R + I));
    };
    runBoth([&] { Make(0); }, [&] { Make(1); });
    for (size_t I = R; I != std::min(R + 2, Runs.size()); ++I) {
      DiffSide &To = Runs.isAfter(I) ? After : Before;
      To.Starts.push_back(To.Entries.size());
      M.add(Runs, I, Keys[I - R], To.Entries);
    }
  }
}

void findDifferences(const DiffRuns &Runs, const DiffOptions &Options,
                     DiffReport &R) {
  Matcher M;
  DiffSide SideB(Runs, 0, Runs.numBefore());
  DiffSide SideA(Runs, Runs.numBefore(), Runs.size());
  match(Runs, R.Places, M, SideB, SideA);

  ShownFilter IsShown(Runs, Options);
  std::vector<Difference> Quiet;
  std::vector<StackMetrics> All(Runs.size());
  MutableArrayRef<StackMetrics> Of(All);
  for (size_t I = 0; I != M.Pairs.size(); ++I) {
    if (I + 2 * Ahead < M.Pairs.size()) {
      SideA.prefetchEntry(M.Pairs[I + 2 * Ahead].After);
      SideA.prefetchRow(M.Pairs[I + Ahead].After);
    }
    const StackPair &P = M.Pairs[I];
    Difference D;
    SideB.metricsOf(P.Before, Of.take_front(Runs.numBefore()), D.StackBefore,
                    D.Heap);
    SideA.metricsOf(P.After, Of.drop_front(Runs.numBefore()), D.StackAfter,
                    D.Heap);
    D.Before = meanOf(Runs.before<StackMetrics>(All));
    D.After = meanOf(Runs.after<StackMetrics>(All));
    if (D.Before == D.After)
      continue;
    if (IsShown(All, R.NoiseOfHeap[D.Heap])) {
      R.Differences.push_back(D);
      continue;
    }
    R.BelowNoise += 1;
    if (Options.KeepAll)
      Quiet.push_back(D);
  }
  sortShown(R.Differences, Options.By.value_or(Metric::Peak));
  R.Shown = R.Differences.size();
  R.Differences.insert(R.Differences.end(), Quiet.begin(), Quiet.end());
}

} // namespace memkit
