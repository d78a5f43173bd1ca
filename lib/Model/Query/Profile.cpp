// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One value for each stack.

#include "memkit/Model/Profile.h"
#include "memkit/Support/Format.h"
#include "memkit/Trace/Sampling.h"

using namespace llvm;

namespace memkit {

bool isInBytes(Metric M) {
  return M != Metric::Count && M != Metric::Temporary;
}

StringRef metricName(Metric M) {
  switch (M) {
  case Metric::Peak:
    return "peak";
  case Metric::Live:
    return "live at end";
  case Metric::Allocated:
    return "allocated";
  case Metric::Count:
    return "allocations";
  case Metric::Temporary:
    return "temporary allocations";
  case Metric::Leaked:
    return "leaked";
  }
  llvm_unreachable("all metrics are handled");
}

StringRef metricWord(Metric M) {
  static constexpr StringLiteral Words[] = {"peak",  "live",      "allocated",
                                            "count", "temporary", "leaked"};
  return Words[static_cast<size_t>(M)];
}

/// The value of a metric for a row: with Outer all bytes of its blocks, else
/// the bytes that are not in inner blocks.
static uint64_t valueOf(const StackStats &R, Metric M, bool Outer,
                        bool Replaced) {
  switch (M) {
  case Metric::Peak:
    return Outer ? R.HeapPeakBytes : R.SpacePeakBytes;
  case Metric::Leaked:
    if (Replaced)
      return 0;
    [[fallthrough]];
  case Metric::Live:
    return Outer ? R.LiveBytes : R.LiveExclusive;
  case Metric::Allocated:
    return R.AllocatedBytes;
  case Metric::Count:
    return R.Allocations;
  case Metric::Temporary:
    return R.Temporaries;
  }
  llvm_unreachable("all metrics are handled");
}

static void add(Profile &P, uint32_t Key, uint64_t Value) {
  if (!Value)
    return;
  P.Values.push_back({Key, Value});
  P.Total += Value;
}

/// The variance of the result of valueOf(), if the result estimates bytes; else
/// 0.
static double varianceOf(const Trace &T, const StackStats &R, Metric M,
                         bool Outer, uint64_t Value) {
  const SampledHeap &H = T.sampled(R.Heap);
  if (LLVM_LIKELY(!H) || !isInBytes(M))
    return 0;
  uint64_t Blocks = R.LiveBlocks;
  if (M == Metric::Peak)
    Blocks = Outer ? R.HeapPeakBlocks : R.SpacePeakBlocks;
  else if (M == Metric::Allocated)
    Blocks = R.Allocations;
  return H.variance(Value, Blocks);
}

/// Adds the standard error of the profile's total to its name.
static void nameError(Profile &P, double Variance) {
  if (Variance)
    P.Name += " ±" + formatSize(standardError(Variance));
}

/// As metricName(), with the chosen time point.
static std::string nameOf(const SelectedStats &S, Metric M) {
  const TimeWindow &W = S.selection().times();
  bool IsOfTimePoint = W.At && (M == Metric::Peak || M == Metric::Live ||
                                M == Metric::Leaked || M == Metric::Allocated);
  if (IsOfTimePoint)
    return "live at " + W.At->Text;
  if (M == Metric::Live && W.last())
    return "live at " + W.last()->Text;
  return metricName(M).str();
}

std::vector<uint32_t> spacesOf(const SelectedStats &S) {
  const Trace &T = S.trace();
  BitVector Has(T.devices().size() + 1);
  S.forEachKey([&](SelectedStats::RowId, uint32_t Heap, uint32_t) {
    Has.set(T.heap(Heap).Space);
  });
  return {Has.set_bits_begin(), Has.set_bits_end()};
}

/// A profile without values.
static Profile emptyProfile(const SelectedStats &S, Metric M,
                            std::optional<uint32_t> Space) {
  Profile P;
  P.M = M;
  P.Name = (S.selection().isOuterView() ? "selected heaps: "
            : Space ? S.trace().spaceName(*Space).str() + ": "
                    : "all spaces: ") +
           nameOf(S, M);
  return P;
}

Profile makeProfile(const SelectedStats &S, Metric M, const RowKey &KeyOf,
                    std::optional<uint32_t> Space) {
  const Trace &T = S.trace();
  bool Outer = S.selection().isOuterView();
  Profile P = emptyProfile(S, M, Space);
  double Variance = 0;
  S.forEach([&](uint32_t Process, const StackStats &R) {
    if (!Outer && Space && T.heap(R.Heap).Space != *Space)
      return;
    uint64_t Value = valueOf(R, M, Outer, T.wasReplaced(Process));
    add(P, Value && KeyOf ? KeyOf(R) : R.Key, Value);
    Variance += varianceOf(T, R, M, Outer, Value);
  });
  nameError(P, Variance);
  return P;
}

std::vector<Profile> makeSpaceProfiles(const SelectedStats &S, Metric M,
                                       const RowKey &KeyOf) {
  const Trace &T = S.trace();
  bool Outer = S.selection().isOuterView();
  std::vector<Profile> All;
  for (uint32_t Space = 0; Space <= T.devices().size(); ++Space)
    All.push_back(emptyProfile(S, M, Space));
  std::vector<double> Variances(All.size());
  S.forEach([&](uint32_t Process, const StackStats &R) {
    uint32_t Space = T.heap(R.Heap).Space;
    uint64_t Value = valueOf(R, M, Outer, T.wasReplaced(Process));
    add(All[Space], Value && KeyOf ? KeyOf(R) : R.Key, Value);
    Variances[Space] += varianceOf(T, R, M, Outer, Value);
  });
  for (size_t Space = 0; Space != All.size(); ++Space)
    nameError(All[Space], Variances[Space]);
  return All;
}

std::vector<Profile> makeHeapProfiles(const SelectedStats &S,
                                      ArrayRef<Metric> Metrics,
                                      const RowKey &KeyOf) {
  const Trace &T = S.trace();
  size_t Width = Metrics.size();
  // The memory space's profiles, then those of each heap.
  std::vector<Profile> All(Width * (T.heaps().size() + 1));
  std::vector<double> Variances(All.size());
  for (size_t I = 0; I != All.size(); ++I) {
    uint32_t Heap = I / Width;
    StringRef Name = Heap ? T.heapName(Heap) : StringRef("host");
    All[I].M = Metrics[I % Width];
    All[I].Name = (Name + ": " + nameOf(S, All[I].M)).str();
  }
  uint32_t HostHeaps = 0;
  for (uint32_t Heap = 1; Heap <= T.heaps().size(); ++Heap)
    HostHeaps += S.selection().hasHeap(Heap) && T.heap(Heap).Space == 0 &&
                 T.heapStats(Heap).Allocations != 0;
  bool WithSpace = HostHeaps > 1 && !S.selection().isOuterView();

  // Unused room costs nothing; growth costs copies and fresh pages.
  std::vector<size_t> Rows(T.heaps().size() + 1);
  S.forEachKey([&](SelectedStats::RowId, uint32_t Heap, uint32_t) {
    ++Rows[Heap];
    Rows[0] += WithSpace && T.heap(Heap).Space == 0;
  });
  for (size_t I = 0; I != All.size(); ++I)
    All[I].Values.reserve(Rows[I / Width]);

  S.forEach([&](uint32_t Process, const StackStats &R) {
    bool Replaced = T.wasReplaced(Process);
    for (size_t I = 0; I != Width; ++I) {
      Metric M = Metrics[I];
      auto Add = [&](size_t To, bool Outer) {
        uint64_t Value = valueOf(R, M, Outer, Replaced);
        add(All[To], Value && KeyOf ? KeyOf(R) : R.Key, Value);
        Variances[To] += varianceOf(T, R, M, Outer, Value);
      };
      Add(R.Heap * Width + I, true);
      if (WithSpace && T.heap(R.Heap).Space == 0)
        Add(I, false);
    }
  });
  for (size_t I = 0; I != All.size(); ++I)
    nameError(All[I], Variances[I]);
  erase_if(All, [](const Profile &P) { return P.Values.empty(); });
  return All;
}

bool isDiff(const Trace &T) {
  return StringRef(T.header().Tool).starts_with("memdiff ");
}

std::pair<Profile, Profile> makeDiffProfiles(const SelectedStats &S, Metric M,
                                             std::optional<uint32_t> Space) {
  const Trace &T = S.trace();
  std::pair<Profile, Profile> Out;
  auto &[Less, More] = Out;
  Less.M = More.M = M;
  Less.Name = ("less: " + metricName(M)).str();
  More.Name = ("more: " + metricName(M)).str();
  S.forEach([&](uint32_t Process, const StackStats &R) {
    if (Space && T.heap(R.Heap).Space != *Space)
      return;
    Profile &To = T.heapName(R.Heap).ends_with(".less") ? Less : More;
    add(To, R.Key, valueOf(R, M, /*Outer=*/true, T.wasReplaced(Process)));
  });
  return Out;
}

} // namespace memkit
