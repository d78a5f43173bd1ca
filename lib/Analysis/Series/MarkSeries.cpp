// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values measured by the marks of a trace.

#include "memkit/Analysis/MarkSeries.h"
#include "memkit/Trace/TraceError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <map>
#include <tuple>

using namespace llvm;

namespace memkit {

namespace {
/// Adds up the memory that the allocators of several processes hold for a heap.
class MarkSeriesReader {
public:
  explicit MarkSeriesReader(const Trace &T) : T(T) {
    Out.Heaps.resize(T.heaps().size() + 1);
    Out.HeapTrims.resize(T.heaps().size() + 1);
    Out.Devices.resize(T.devices().size() + 1);
    Out.PrivatePeak.resize(T.processes().size() + 1);
    Out.Rss.resize(Out.PrivatePeak.size());
    Out.RssShared.resize(Out.PrivatePeak.size());
    Out.Swapped.resize(Out.PrivatePeak.size());
    Out.Residents.resize(Out.PrivatePeak.size());
  }

  /// Adds a mark. Returns an error text, or an empty string.
  std::string take(const Mark &M) {
    switch (M.Kind) {
    case MarkKind::DeviceUsed:
      if (M.Id == 0 || M.Id >= Out.Devices.size() || M.Values.empty())
        return "a mark of used memory of unknown device " +
               std::to_string(M.Id) + ", or without a value";
      Out.Devices[M.Id].push_back(usedPoint(M));
      return "";
    case MarkKind::HeapReserved:
      if (M.Heap == 0 || M.Heap >= Out.Heaps.size() || M.Values.empty())
        return "a mark of reserved memory of unknown heap " +
               std::to_string(M.Heap) + ", or without a value";
      addReserved(M);
      return "";
    case MarkKind::Rss:
      if (M.Process && M.Process < Out.Rss.size() && !M.Values.empty()) {
        Out.Rss[M.Process].push_back({M.TimeNs, M.Values[0]});
        if (M.Values.size() > 1)
          Out.RssShared[M.Process].push_back({M.TimeNs, M.Values[1]});
        if (M.Values.size() > 2)
          Out.Swapped[M.Process].push_back({M.TimeNs, M.Values[2]});
      }
      return "";
    case MarkKind::Resident:
    case MarkKind::ResidentPiece:
      return M.Process < Out.Residents.size() ? Out.Residents[M.Process].take(M)
                                              : "";
    case MarkKind::Pss:
      if (M.Process < Out.PrivatePeak.size() && M.Values.size() > 1)
        Out.PrivatePeak[M.Process] =
            std::max(Out.PrivatePeak[M.Process], M.Values[1]);
      return "";
    case MarkKind::ProcessEnd:
      endProcess(M);
      return "";
    case MarkKind::Alert:
      return takeAlert(M);
    case MarkKind::Allocator:
      return takeAllocator(M);
    case MarkKind::SampleCost:
      if (M.Values.size() > 2)
        Out.Costs = {M.Values[0], M.Values[1], M.Values[2]};
      return "";
    case MarkKind::Recorder:
      if (M.Values.size() > 1)
        Out.Recorder.push_back({M.TimeNs, M.Values[0], M.Values[1]});
      return "";
    case MarkKind::Version:
      takeVersion(T.string(M.Name));
      return "";
    default:
      return "";
    }
  }

  MarkSeries finish() {
    llvm::sort(Out.Versions);
    for (ResidentSeries &Of : Out.Residents)
      Of.finish();
    stable_sort(Out.Alerts, [](const RaisedAlert &A, const RaisedAlert &B) {
      return A.TimeNs < B.TimeNs;
    });
    for (auto &Points : Out.Heaps)
      sortByTime(Points);
    for (auto &Points : Out.Devices)
      sortByTime(Points);
    for (auto *Of : {&Out.Rss, &Out.RssShared, &Out.Swapped})
      for (auto &Points : *Of)
        sortByTime(Points);
    for (auto &[Key, P] : Pools) {
      std::tie(P.Heap, P.Process, P.Pool) = Key;
      Out.Pools.push_back(P);
    }
    return std::move(Out);
  }

private:
  static UsedPoint usedPoint(const Mark &M) {
    UsedPoint P;
    P.TimeNs = M.TimeNs;
    P.Used = M.Values[0];
    auto At = [&](size_t I) { return valueOf(M, I); };
    P.Total = At(1).value_or(0);
    P.Accounted = At(2);
    P.Parts = {At(3), At(4), At(5)};
    P.Available = At(7);
    return P;
  }

  static std::optional<uint64_t> valueOf(const Mark &M, size_t I) {
    if (I >= M.Values.size() || M.Values[I] == UnknownBytes)
      return std::nullopt;
    return M.Values[I];
  }

  /// The arenas of an allocator follow the whole.
  std::string takeAllocator(const Mark &M) {
    constexpr size_t MaxAllocators = 4096, MaxArenas = 1024;
    if (!M.Id) {
      if (Out.Allocators.size() == MaxAllocators)
        return "";
      Out.Allocators.push_back({M.Process,
                                M.TimeNs,
                                T.string(M.Name),
                                valueOf(M, 0),
                                valueOf(M, 1),
                                valueOf(M, 2),
                                valueOf(M, 3),
                                {}});
      return "";
    }
    if (Out.Allocators.empty() || Out.Allocators.back().Process != M.Process)
      return ("a mark of arena " + Twine(M.Id - 1) +
              " without a mark of its allocator")
          .str();
    auto &Arenas = Out.Allocators.back().Arenas;
    if (Arenas.size() != MaxArenas)
      Arenas.push_back({valueOf(M, 0).value_or(0), valueOf(M, 1).value_or(0)});
    return "";
  }

  void takeVersion(StringRef Version) {
    constexpr size_t MaxVersions = 64;
    if (Out.Versions.size() < MaxVersions &&
        !is_contained(Out.Versions, Version))
      Out.Versions.push_back(Version);
  }

  /// Alerts of conditions have a value and a bound; others are messages.
  std::string takeAlert(const Mark &M) {
    constexpr size_t MaxAlerts = 1 << 16;
    if (M.Values.size() < 2 || Out.Alerts.size() == MaxAlerts)
      return "";
    RaisedAlert A;
    A.TimeNs = M.TimeNs;
    A.Text = T.string(M.Name);
    A.Value = M.Values[0];
    A.Bound = M.Values[1];
    for (size_t I = 2; I + 1 < M.Values.size(); I += 2) {
      if (M.Values[I + 1] > T.limits().Stacks)
        return ("an alert with unknown stack " + Twine(M.Values[I + 1])).str();
      A.Top.push_back({uint32_t(M.Values[I + 1]), M.Values[I]});
    }
    Out.Alerts.push_back(std::move(A));
    return "";
  }

  template <class Point> static void sortByTime(std::vector<Point> &Points) {
    stable_sort(Points, [](const Point &A, const Point &B) {
      return A.TimeNs < B.TimeNs;
    });
  }

  /// Memory that the allocator of one process holds, or of all processes.
  struct Holding {
    uint64_t Reserved = 0;
    uint64_t Active = 0;
    uint64_t Silent = 0; ///< number of holders that report no active bytes
  };

  void addReserved(const Mark &M) {
    Holding New{M.Values[0], 0, 0};
    if (M.Values.size() > 1)
      New.Active = M.Values[1];
    else
      New.Silent = New.Reserved != 0;
    change(M.Heap, Own[{M.Process, M.Heap}], New, M.TimeNs);
    bool IsTrim = M.Values.size() > 2 && M.Values[2] != UnknownBytes;
    if (IsTrim)
      add(Out.HeapTrims[M.Heap], M.Values[2]);
    if (M.Values.size() < 5 || !M.Process ||
        M.Process >= Out.PrivatePeak.size())
      return;
    PoolPeak &P = Pools[{M.Heap, M.Process, M.Id}];
    P.Reserved = std::max(P.Reserved, M.Values[3]);
    P.Active = std::max(P.Active, M.Values[4]);
    if (IsTrim)
      add(P.Trimmed, M.Values[2]);
  }

  static void add(Trims &To, uint64_t Bytes) {
    ++To.Count;
    To.Bytes += Bytes;
  }

  void change(uint32_t Heap, Holding &Of, Holding To, uint64_t TimeNs) {
    Holding &Sum = All[Heap];
    Sum.Reserved += To.Reserved - Of.Reserved;
    Sum.Active += To.Active - Of.Active;
    Sum.Silent += To.Silent - Of.Silent;
    Of = To;
    ReservedPoint P{TimeNs, Sum.Reserved, std::nullopt};
    if (!Sum.Silent)
      P.Active = Sum.Active;
    Out.Heaps[Heap].push_back(P);
  }

  /// Removes the memory of a process when the process ends.
  void endProcess(const Mark &M) {
    for (auto It = Own.lower_bound({M.Process, 0});
         It != Own.end() && It->first.first == M.Process; It = Own.erase(It))
      change(It->first.second, It->second, Holding(), M.TimeNs);
  }

  const Trace &T;
  MarkSeries Out;
  std::map<std::pair<uint32_t, uint32_t>, Holding> Own; ///< by process and heap
  std::map<uint32_t, Holding> All;                      ///< by heap
  std::map<std::tuple<uint32_t, uint32_t, uint64_t>, PoolPeak> Pools;
};
} // namespace

std::vector<SeriesPoint> ownSeries(const MarkSeries &Marks, uint32_t Process) {
  std::vector<SeriesPoint> Own;
  for (const SeriesPoint &P : Marks.Rss[Process]) {
    const SeriesPoint *Shared =
        pointAt<SeriesPoint>(Marks.RssShared[Process], P.TimeNs);
    const SeriesPoint *Swapped =
        pointAt<SeriesPoint>(Marks.Swapped[Process], P.TimeNs);
    if (Shared && Swapped)
      Own.push_back(
          {P.TimeNs, SaturatingAdd(P.Value - std::min(P.Value, Shared->Value),
                                   Swapped->Value)});
  }
  return Own;
}

Expected<MarkSeries> readMarkSeries(const Trace &T) {
  if (Error E = T.requireReader("the values of marks need"))
    return std::move(E);
  MarkSeriesReader R(T);
  Marks M;
  for (const SectionInfo &B : T.reader().sections()) {
    if (B.Kind != SectionKind::Marks)
      continue;
    if (Error E = T.reader().read(B, M))
      return std::move(E);
    for (const Mark &One : M.Rows)
      if (std::string Wrong = R.take(One); !Wrong.empty())
        return makeTraceError(T.name(), B.Offset, Wrong);
  }
  return R.finish();
}

} // namespace memkit
