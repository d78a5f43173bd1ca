// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Live bytes over time, from the intervals.

#include "memkit/Analysis/LiveSeries.h"
#include "memkit/Model/Intervals.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace llvm;

namespace memkit {

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
        Held(From.processes().size()) {
    for (HeapStack Key : Watched)
      Out.Stacks[Key];
  }

  Error read() {
    return From.forEach(
        [&](size_t Process, size_t Interval, ArrayRef<IntervalChange> Rows) {
          uint64_t EndNs = From.processes()[Process].Heads[Interval].EndNs;
          for (const IntervalChange &R : Rows)
            take(Process, R, EndNs);
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
  void take(size_t Process, const IntervalChange &R, uint64_t TimeNs) {
    uint64_t More = R.Bytes - R.BytesBefore;
    if (!Out.Stacks.empty())
      if (auto It = Out.Stacks.find({R.Heap, R.Stack});
          It != Out.Stacks.end()) {
        It->second.Rises += R.Bytes > R.BytesBefore;
        It->second.Falls += R.Bytes < R.BytesBefore;
      }
    Held[Process][R.Heap] += More;
    // All rows of an interval make one change.
    std::vector<LiveChange> &To = Changes[R.Heap];
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
};
} // namespace

Expected<LiveSeries> readLiveSeries(const SelectedStats &S,
                                    ArrayRef<HeapStack> Watched) {
  Expected<std::unique_ptr<IntervalSeries>> From = IntervalSeries::create(S);
  if (!From)
    return From.takeError();
  LiveSeriesReader R(S.trace(), **From, Watched);
  if (Error E = R.read())
    return std::move(E);
  return R.finish();
}

} // namespace memkit
