// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Unaccounted memory of devices.

#include "memkit/Analysis/DeviceGaps.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace llvm;

namespace memkit {

uint64_t DeviceGap::GapTimePoint::unknown() const {
  uint64_t Left = gap();
  for (std::optional<uint64_t> Part :
       {Parts.Contexts, Parts.Modules, Parts.Others})
    Left -= std::min(Left, Part.value_or(0));
  return Left;
}

uint64_t DeviceGap::GapTimePoint::restOfMachine(uint64_t Total) const {
  for (uint64_t Part : {Available.value_or(0), Used, Resident.value_or(0)})
    Total -= std::min(Total, Part);
  return Total;
}

static uint64_t valueAt(ArrayRef<SeriesPoint> Points, uint64_t TimeNs) {
  const SeriesPoint *P = pointAt(Points, TimeNs);
  return P ? P->Value : 0;
}

namespace {
/// The bytes that the trace accounts for on a device, at any time.
class AccountedBytes {
public:
  AccountedBytes(const Trace &T, const MarkSeries &Marks,
                 const LiveSeries &Live, uint32_t Device)
      : Marks(Marks), Live(Live) {
    for (uint32_t Id = 1; Id <= T.heaps().size(); ++Id) {
      const Heap &H = T.heap(Id);
      bool IsInner = H.Parent && T.heap(H.Parent).Space == Device;
      if (H.Space != Device || IsInner || (H.Flags & HF_OutsideTotals))
        continue;
      Outermost.push_back(Id);
      for (const SeriesPoint &P : Live.Heaps[Id])
        Ends.push_back(P.TimeNs);
    }
    sort(Ends);
  }

  uint64_t at(uint64_t TimeNs) const {
    uint64_t End = nearestEnd(TimeNs), Sum = 0;
    for (uint32_t Id : Outermost) {
      uint64_t Bytes = valueAt(Live.Heaps[Id], End);
      if (const ReservedPoint *R =
              pointAt<ReservedPoint>(Marks.Heaps[Id], TimeNs))
        Bytes = std::max(Bytes, R->Reserved);
      Sum += Bytes;
    }
    return Sum;
  }

private:
  uint64_t nearestEnd(uint64_t TimeNs) const {
    auto Next = lower_bound(Ends, TimeNs);
    if (Next == Ends.begin())
      return TimeNs;
    bool IsBefore =
        Next == Ends.end() || TimeNs - *(Next - 1) <= *Next - TimeNs;
    return IsBefore ? *(Next - 1) : *Next;
  }

  const MarkSeries &Marks;
  const LiveSeries &Live;
  std::vector<uint32_t> Outermost; ///< heaps
  std::vector<uint64_t> Ends; ///< ends of intervals in which the heaps changed
};
} // namespace

/// Merges rises that follow each other within Soon and without a fall between
/// them.
static void addRise(DeviceGap &G, const DeviceGap::GapTimePoint &From,
                    const DeviceGap::GapTimePoint &To, uint64_t Soon) {
  if (To.gap() <= From.gap())
    return;
  if (!G.Rises.empty()) {
    DeviceGap::Rise &Last = G.Rises.back();
    if (Last.To.gap() == From.gap() && To.TimeNs - Last.RoseNs <= Soon) {
      Last.To = To;
      Last.RoseNs = To.TimeNs;
      return;
    }
  }
  G.Rises.push_back({From, To, To.TimeNs});
}

/// Keeps the largest rises, in order of time.
static void keepLargest(std::vector<DeviceGap::Rise> &Rises) {
  auto IsLarger = [](const DeviceGap::Rise &A, const DeviceGap::Rise &B) {
    return A.bytes() > B.bytes();
  };
  stable_sort(Rises, IsLarger);
  if (Rises.size() > DeviceGap::MaxRises)
    Rises.resize(DeviceGap::MaxRises);
  stable_sort(Rises, [](const DeviceGap::Rise &A, const DeviceGap::Rise &B) {
    return A.To.TimeNs < B.To.TimeNs;
  });
}

static GapSample sampleOf(const DeviceGap::GapTimePoint &M) {
  GapSample S;
  S.TimeNs = M.TimeNs;
  S.Used = M.Used;
  S.Driver = M.Parts.Contexts.value_or(0) + M.Parts.Modules.value_or(0);
  S.Others = M.Parts.Others.value_or(0);
  S.Rest = M.unknown();
  return S;
}

static DeviceGap gapOf(const Trace &T, uint32_t Device,
                       ArrayRef<UsedPoint> Points,
                       const AccountedBytes &Accounted) {
  DeviceGap G;
  G.Device = Device;
  G.Samples = Points.size();
  G.TotalBytes = T.devices()[Device - 1].Bytes;
  constexpr uint64_t Min = 100000000, Parts = 50;
  std::vector<GapSample> Samples;
  uint64_t Soon =
      std::max(Min, (Points.back().TimeNs - Points.front().TimeNs) / Parts);
  for (const UsedPoint &P : Points) {
    DeviceGap::GapTimePoint M{P.TimeNs,
                              P.Used,
                              P.Accounted ? *P.Accounted
                                          : Accounted.at(P.TimeNs),
                              P.Accounted.has_value(),
                              P.Parts,
                              P.Available,
                              std::nullopt};
    G.SharesMemory |= P.Available.has_value();
    if (&P != &Points.front())
      addRise(G, G.Now, M, Soon);
    G.TotalBytes = std::max(G.TotalBytes, P.Total);
    G.Now = M;
    Samples.push_back(sampleOf(M));
    if (G.MaxUsed.Used < M.Used)
      G.MaxUsed = M;
    if (G.Largest.gap() < M.gap())
      G.Largest = M;
  }
  keepLargest(G.Rises);
  if (!G.SharesMemory)
    G.Causes = findGapCauses(Samples, G.TotalBytes);
  return G;
}

std::vector<DeviceGap> findGaps(const Trace &T, const MarkSeries &Marks,
                                const LiveSeries &Live) {
  std::vector<DeviceGap> Out;
  for (uint32_t Id = 1; Id <= T.devices().size(); ++Id)
    if (ArrayRef<UsedPoint> Points = Marks.Devices[Id]; !Points.empty())
      Out.push_back(gapOf(T, Id, Points, AccountedBytes(T, Marks, Live, Id)));
  return Out;
}

/// When the reserve first grew although Ppm of it was unused; 0: not known.
static uint64_t firstUnused(ArrayRef<ReservedPoint> Points, uint32_t Ppm) {
  uint64_t Before = 0;
  for (const ReservedPoint &P : Points) {
    if (P.Reserved > Before && P.Active &&
        fragmentationPpm(P.Reserved, *P.Active) >= Ppm)
      return P.TimeNs;
    Before = P.Reserved;
  }
  return 0;
}

void addFragmentation(const Trace &T, const MarkSeries &Marks,
                      ArrayRef<HeapFragmentation> Of,
                      std::vector<DeviceGap> &Gaps) {
  constexpr uint32_t LeastPpm = 200'000;
  for (const HeapFragmentation &H : Of) {
    auto G = find_if(Gaps, [&](const DeviceGap &G) {
      return G.Device == T.heap(H.Heap).Space;
    });
    if (G == Gaps.end() || !H.Known || H.LargestPpm.value_or(0) < LeastPpm)
      continue;
    GapFinding F;
    F.Cause = GapCause::Fragmentation;
    F.Bytes = uint64_t(double(H.ReservedPeak) * *H.LargestPpm / 1e6);
    F.SinceNs = firstUnused(Marks.Heaps[H.Heap], LeastPpm);
    uint64_t Whole = std::max(G->TotalBytes, G->MaxUsed.Used);
    F.Severity = gapSeverity(F.Bytes, Whole);
    if (F.Bytes < leastCause(Whole))
      continue;
    auto Place = find_if(
        G->Causes, [&](const GapFinding &C) { return C.Bytes < F.Bytes; });
    G->Causes.insert(Place, F);
  }
}

void addResident(std::vector<DeviceGap> &Gaps, ArrayRef<SeriesPoint> Resident) {
  auto Add = [&](DeviceGap::GapTimePoint &M) {
    const SeriesPoint *P = pointAt(Resident, M.TimeNs);
    if (M.Available && P)
      M.Resident = P->Value;
  };
  for (DeviceGap &G : Gaps)
    for (DeviceGap::GapTimePoint *M : {&G.Now, &G.MaxUsed, &G.Largest})
      Add(*M);
}

} // namespace memkit
