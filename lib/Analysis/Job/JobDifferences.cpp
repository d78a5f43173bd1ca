// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a rank holds that a typical rank does not hold.

#include "memkit/Analysis/JobDifferences.h"
#include "memkit/Analysis/GrowthLines.h"
#include "memkit/Analysis/LayerHolds.h"
#include "memkit/Analysis/PlaceStats.h"
#include "memkit/Model/Query.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace llvm;

namespace memkit {

namespace {
/// The name of a line or layer, or the category.
using PartName = std::pair<std::string, TensorCategory>;
using BytesByName = std::map<PartName, uint64_t>;
using RankMemory = std::array<BytesByName, NumRankParts>;
} // namespace

/// The memory space that is compared, as TotalStats::Id.
static uint32_t spaceOf(const RankComparison &C) {
  const RankSpace *D = C.OfDevice ? C.Rank.device() : nullptr;
  return D ? D->Id : 0;
}

static PartName named(std::string Name) {
  return {std::move(Name), TensorCategory::Unknown};
}

/// The lines that grow in the space; empty: a trace without intervals does not
/// tell.
static Expected<BytesByName> growingLines(const RankComparison &C,
                                          const SelectedStats &S,
                                          const Places &Where, uint32_t Space) {
  BytesByName Out;
  Expected<GrowthReport> Found = findGrowth(S);
  if (!Found)
    return Found.takeError();
  for (const LineGrowth &L : growthLines(S, Where, *Found)) {
    if (!L.isGrowing())
      continue;
    const Growth &First = Found->Found[L.Findings.front()];
    if (C.T.heap(First.Heap).Space == Space)
      Out[named(Where.text(L.Where))] += L.Rise;
  }
  return Out;
}

/// OfGrowth: as RankComparison::OfGrowth.
static Expected<RankMemory> memoryOf(const RankComparison &C, bool OfGrowth) {
  SelectionSpec Spec;
  for (uint32_t Id : C.Rank.Processes)
    Spec.Processes.push_back("#" + std::to_string(Id));
  Expected<Selection> Sel = Selection::create(C.T, Spec);
  if (!Sel)
    return Sel.takeError();
  Expected<SelectedStats> S = SelectedStats::create(C.T, *Sel);
  if (!S)
    return S.takeError();
  RankMemory Out;
  uint32_t Space = spaceOf(C);
  Places Where(*S);
  BytesByName &Lines = Out[size_t(RankPart::Line)];
  if (OfGrowth) {
    if (Error E = growingLines(C, *S, Where, Space).moveInto(Lines))
      return std::move(E);
  } else {
    for (const PlaceStats &P : statPlaces(*S, Where))
      if (P.Space == Space)
        Lines[named(Where.text(Where.place(P.Place)))] += P.PeakBytes;
  }
  std::vector<LayerStats> Layers = queryLayers(C.T, &*Sel);
  LayerHolds Held = orderByHeld(*S, Layers);
  if (Held.Space == Space)
    for (size_t I = 0; I != Held.Bytes.size(); ++I)
      Out[size_t(RankPart::Layer)][named(C.T.string(Layers[I].Name).str())] +=
          Held.Bytes[I];
  for (const CategorySum &K : queryCategories(C.T, &*Sel))
    if (C.T.heap(K.Heap).Space == Space)
      Out[size_t(RankPart::Category)][{"", K.Category}] += K.Bytes;
  return Out;
}

Expected<std::vector<RankDifference>>
differRanks(const RankComparison &A, const RankComparison &B, size_t Top) {
  bool Grows = A.OfGrowth;
  Expected<RankMemory> Of = memoryOf(A, Grows);
  if (Of && Grows && (*Of)[size_t(RankPart::Line)].empty()) {
    Grows = false;
    Of = memoryOf(A, Grows);
  }
  if (!Of)
    return Of.takeError();
  Expected<RankMemory> Typical = memoryOf(B, Grows);
  if (!Typical)
    return Typical.takeError();
  std::vector<RankDifference> Out;
  for (unsigned Part = 0; Part != NumRankParts; ++Part) {
    std::vector<RankDifference> All;
    for (const auto &[Name, Bytes] : (*Of)[Part]) {
      auto At = (*Typical)[Part].find(Name);
      uint64_t Other = At == (*Typical)[Part].end() ? 0 : At->second;
      if (Bytes > Other)
        All.push_back({RankPart(Part), Name.first, Name.second, Bytes, Other});
    }
    stable_sort(All, [](const RankDifference &X, const RankDifference &Y) {
      return X.Bytes - X.Typical > Y.Bytes - Y.Typical;
    });
    if (All.size() > Top)
      All.resize(Top);
    append_range(Out, std::move(All));
  }
  return Out;
}

} // namespace memkit
