// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Live bytes over time, from the intervals.

#include "memkit/Analysis/LiveSeries.h"
#include "memkit/Model/Intervals.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace llvm;

namespace memkit {

using OtherTaker = function_ref<void(size_t, size_t, ArrayRef<IntervalChange>)>;

namespace {
/// A change of a heap's live bytes; a fall wraps around.
struct LiveChange {
  uint64_t TimeNs;
  uint64_t Bytes;
};

class LiveSeriesReader {
public:
  LiveSeriesReader(const Trace &T, IntervalSeries &From,
                   ArrayRef<HeapStack> Watched)
      : T(T), From(From), Changes(T.heaps().size() + 1),
        Held(From.processes().size()), Sums(Changes.size()) {
    for (HeapStack Key : Watched)
      Out.Stacks[Key];
  }

  Error read(OtherTaker Also) {
    return From.forEach(
        [&](size_t Process, size_t Interval, ArrayRef<IntervalChange> Rows) {
          if (Also)
            Also(Process, Interval, Rows);
          take(Process, Rows, From.processes()[Process].Heads[Interval].EndNs);
          return Error::success();
        });
  }

  LiveSeries finish() {
    endProcesses();
    Out.Heaps.resize(Changes.size());
    for (size_t Heap = 1; Heap != Changes.size(); ++Heap)
      Out.Heaps[Heap] = sum(Changes[Heap]);
    for (const ProcessIntervals &I : From.processes())
      Out.Intervals = std::max<uint64_t>(Out.Intervals, I.Heads.size());
    return std::move(Out);
  }

private:
  /// Takes rows of one interval.
  void take(size_t Process, ArrayRef<IntervalChange> Rows, uint64_t TimeNs) {
    for (const IntervalChange &R : Rows) {
      // Zero also if changes cancel out: the heap is then twice in Changed, the
      // second time with nothing to add.
      if (Sums[R.Heap] == 0)
        Changed.push_back(R.Heap);
      Sums[R.Heap] += R.Bytes - R.BytesBefore;
      if (!Out.Stacks.empty())
        watch(R);
    }
    for (uint32_t Heap : Changed)
      add(Process, Heap, std::exchange(Sums[Heap], 0), TimeNs);
    Changed.clear();
  }

  void watch(const IntervalChange &R) {
    auto At = Out.Stacks.find({R.Heap, R.Stack});
    if (At == Out.Stacks.end())
      return;
    At->second.Rises += R.Bytes > R.BytesBefore;
    At->second.Falls += R.Bytes < R.BytesBefore;
  }

  void add(size_t Process, uint32_t Heap, uint64_t More, uint64_t TimeNs) {
    Held[Process][Heap] += More;
    // All rows of an interval make one change.
    std::vector<LiveChange> &To = Changes[Heap];
    if (!To.empty() && To.back().TimeNs == TimeNs)
      To.back().Bytes += More;
    else
      To.push_back({TimeNs, More});
  }

  /// Removes a process's live bytes from the curve when the process ends before
  /// the others.
  void endProcesses() {
    std::map<uint32_t, uint64_t> Ends; // by process
    for (const ProcessStats &I : T.summary().Processes)
      if (I.Ended && I.EndNs < T.endNs())
        Ends[I.Process] = I.EndNs;
    for (size_t At = 0; At != Held.size(); ++At) {
      const ProcessIntervals &I = From.processes()[At];
      auto It = Ends.find(I.Process);
      if (It == Ends.end())
        continue;
      uint64_t EndNs = std::max(It->second, I.Heads.back().EndNs) + 1;
      for (auto [Heap, Bytes] : Held[At])
        Changes[Heap].push_back({EndNs, 0 - Bytes});
    }
  }

  static std::vector<SeriesPoint> sum(std::vector<LiveChange> &Of) {
    stable_sort(Of, [](const LiveChange &A, const LiveChange &B) {
      return A.TimeNs < B.TimeNs;
    });
    std::vector<SeriesPoint> Points;
    uint64_t Live = 0;
    for (const LiveChange &C : Of) {
      Live += C.Bytes;
      if (!Points.empty() && Points.back().TimeNs == C.TimeNs)
        Points.back().Value = Live;
      else
        Points.push_back({C.TimeNs, Live});
    }
    return Points;
  }

  const Trace &T;
  IntervalSeries &From;
  LiveSeries Out;
  std::vector<std::vector<LiveChange>> Changes; ///< by heap
  /// By place of process, then heap.
  std::vector<std::map<uint32_t, uint64_t>> Held;
  std::vector<uint64_t> Sums;    ///< by heap, of the rows taken now
  std::vector<uint32_t> Changed; ///< heaps of these rows
};
} // namespace

Expected<LiveSeries> readLiveSeries(IntervalSeries &From,
                                    const SelectedStats &S,
                                    ArrayRef<HeapStack> Watched,
                                    OtherTaker Also) {
  LiveSeriesReader R(S.trace(), From, Watched);
  if (Error E = R.read(Also))
    return std::move(E);
  return R.finish();
}

Expected<LiveSeries> readLiveSeries(const SelectedStats &S,
                                    ArrayRef<HeapStack> Watched) {
  Expected<std::unique_ptr<IntervalSeries>> From = IntervalSeries::create(S);
  if (!From)
    return From.takeError();
  return readLiveSeries(**From, S, Watched);
}

} // namespace memkit
