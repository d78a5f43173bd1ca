// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the resident memory of processes consists of.

#include "memkit/Analysis/ResidentParts.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace llvm;

namespace memkit {

static uint64_t sumOfParts(ArrayRef<uint64_t> Bytes) {
  uint64_t Sum = 0;
  for (uint64_t B : Bytes)
    Sum = SaturatingAdd(Sum, B);
  return Sum;
}

uint64_t ResidentSample::total() const { return sumOfParts(Bytes); }
uint64_t ResidentPoint::total() const { return sumOfParts(Bytes); }

std::string ResidentSeries::takePiece(const Mark &M) {
  constexpr size_t MaxPieces = 1024;
  // A piece whose sample is not in the trace.
  if (IsEmpty || M.TimeNs != Last.TimeNs ||
      Last.Arenas.size() + Last.Mappings.size() + Last.Files.size() >=
          MaxPieces)
    return "";
  bool IsArena = M.Id == uint64_t(ResidentPart::MallocFree);
  bool IsFile = !IsArena && M.Name;
  if (M.Id >= NumResidentParts)
    return "";
  if (M.Values.size() < (IsArena ? 5 : IsFile ? 4 : 3))
    return "a piece of resident memory has " + std::to_string(M.Values.size()) +
           " values";
  if (IsArena)
    Last.Arenas.push_back({M.Values[0], M.Values[1], M.Values[2], M.Values[3],
                           M.Values[4], M.Heap, M.Stack});
  else if (IsFile)
    Last.Files.push_back({ResidentPart(M.Id), M.Name, M.Values[0], M.Values[1],
                          M.Values[2], M.Values[3]});
  else
    Last.Mappings.push_back({ResidentPart(M.Id), M.Heap, M.Stack, M.Values[0],
                             M.Values[1], M.Values[2]});
  return "";
}

std::string ResidentSeries::take(const Mark &M) {
  if (M.Kind == MarkKind::ResidentPiece)
    return takePiece(M);
  if (M.Values.size() < NumFirstParts)
    return "a mark of resident memory has " + std::to_string(M.Values.size()) +
           " of " + std::to_string(NumFirstParts) + " parts";
  finish();
  if (Last.TimeNs && M.Id & RF_End)
    Running = Last;
  Last = ResidentSample();
  Last.TimeNs = M.TimeNs;
  std::copy_n(M.Values.begin(), NumFirstParts, Last.Bytes.begin());
  for (size_t I = NumFirstParts; I != NumResidentParts; ++I)
    if (size_t At = I + NumResidentValues; At < M.Values.size())
      Last.Bytes[I] = M.Values[At];
  auto Value = [&M](ResidentValue V) -> uint64_t {
    size_t I = NumFirstParts + size_t(V);
    return I < M.Values.size() && M.Values[I] != UnknownBytes ? M.Values[I] : 0;
  };
  Last.Swapped = Value(ResidentValue::Swapped);
  Last.Untouched = Value(ResidentValue::Untouched);
  Last.FreePages = Value(ResidentValue::FreePages);
  Last.NumArenas = Value(ResidentValue::Arenas);
  Last.IsSampled = M.Id & RF_Sampled;
  Last.HasUnknown = M.Id & RF_Unknown;
  Last.Why = M.Id & (RF_Alert | RF_Step | RF_End);
  IsEmpty = false;
  addPoint();
  return "";
}

void ResidentSeries::addPoint() {
  ResidentPoint New;
  New.TimeNs = Last.TimeNs;
  New.Why = Last.Why;
  New.Bytes = Last.Bytes;
  New.Swapped = Last.Swapped;
  Points.push_back(New);
  if (Points.size() <= MaxPoints)
    return;
  // Of each pair of usual samples the higher one stays. A trace with very many
  // samples out of turn loses some of these, too.
  bool HasMany = count_if(Points, [](const ResidentPoint &P) {
                   return P.Why != 0;
                 }) > ptrdiff_t(MaxPoints / 2);
  std::vector<ResidentPoint> Kept;
  for (size_t I = 0; I != Points.size(); ++I) {
    const ResidentPoint &P = Points[I];
    bool IsPair =
        I + 1 != Points.size() && (HasMany || (!P.Why && !Points[I + 1].Why));
    if (!IsPair) {
      Kept.push_back(P);
      continue;
    }
    const ResidentPoint &Next = Points[++I];
    Kept.push_back(Next.total() > P.total() ? Next : P);
  }
  Points = std::move(Kept);
}

void ResidentSeries::finish() {
  if (IsEmpty)
    return;
  // A mapping that the program does not touch changes no total: of samples as
  // high as others the one that has it says more.
  HighestBytes = std::max(HighestBytes, Last.total());
  auto IsHigh = [this](const ResidentSample &S) {
    return S.total() >= HighestBytes - HighestBytes / 1024;
  };
  auto Says = [](const ResidentSample &S) {
    return std::pair(S.Untouched, S.total());
  };
  if (!IsHigh(Highest) || (IsHigh(Last) && Says(Last) > Says(Highest)))
    Highest = Last;
  if (Last.Why & (RF_Alert | RF_Step) && Asked.size() < MaxAsked &&
      (Asked.empty() || Asked.back().TimeNs != Last.TimeNs))
    Asked.push_back(Last);
}

} // namespace memkit
