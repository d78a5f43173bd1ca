// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the resident memory of processes consists of.

#include "memkit/Analysis/ResidentParts.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace llvm;

namespace memkit {

uint64_t ResidentSample::total() const {
  uint64_t Sum = 0;
  for (uint64_t B : Bytes)
    Sum = SaturatingAdd(Sum, B);
  return Sum;
}

std::string ResidentSeries::takePiece(const Mark &M) {
  constexpr size_t MaxPieces = 1024;
  // A piece whose sample is not in the trace.
  if (IsEmpty || M.TimeNs != Last.TimeNs ||
      Last.Arenas.size() + Last.Mappings.size() >= MaxPieces)
    return "";
  bool IsArena = M.Id == uint64_t(ResidentPart::MallocFree);
  if (M.Id >= NumResidentParts)
    return "";
  if (M.Values.size() < (IsArena ? 5 : 3))
    return "a piece of resident memory has " + std::to_string(M.Values.size()) +
           " values";
  if (IsArena)
    Last.Arenas.push_back({M.Values[0], M.Values[1], M.Values[2], M.Values[3],
                           M.Values[4], M.Heap, M.Stack});
  else
    Last.Mappings.push_back({ResidentPart(M.Id), M.Heap, M.Stack, M.Values[0],
                             M.Values[1], M.Values[2]});
  return "";
}

std::string ResidentSeries::take(const Mark &M) {
  if (M.Kind == MarkKind::ResidentPiece)
    return takePiece(M);
  if (M.Values.size() < NumResidentParts)
    return "a mark of resident memory has " + std::to_string(M.Values.size()) +
           " of " + std::to_string(NumResidentParts) + " parts";
  finish();
  Last = ResidentSample();
  Last.TimeNs = M.TimeNs;
  std::copy_n(M.Values.begin(), NumResidentParts, Last.Bytes.begin());
  auto Value = [&M](ResidentValue V) -> uint64_t {
    size_t I = NumResidentParts + size_t(V);
    return I < M.Values.size() && M.Values[I] != UnknownBytes ? M.Values[I] : 0;
  };
  Last.Swapped = Value(ResidentValue::Swapped);
  Last.Untouched = Value(ResidentValue::Untouched);
  Last.FreePages = Value(ResidentValue::FreePages);
  Last.NumArenas = Value(ResidentValue::Arenas);
  Last.IsSampled = M.Id & RF_Sampled;
  Last.HasUnknown = M.Id & RF_Unknown;
  IsEmpty = false;
  return "";
}

void ResidentSeries::finish() {
  if (Last.total() > Highest.total())
    Highest = Last;
}

} // namespace memkit
