// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts the operators of a process: calls, times and tensors.

#include "Scopes/OperatorTable.h"
#include "memkit/Trace/SummaryStats.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace llvm;
using namespace memkit;

uint32_t OperatorTable::add(uint32_t Name, uint64_t Flops) {
  if (Rows.size() == MaxRows)
    return 0;
  uint32_t Row = uint32_t(Rows.size());
  Rows.emplace_back();
  Rows.back().Name = Name ? Name : Row;
  Rows.back().FlopsOfCall = Flops;
  return Row;
}

OperatorTable::RingOperators &OperatorTable::ring(uint32_t Ring) {
  if (Ring >= Rings.size())
    Rings.resize(Ring + 1);
  return Rings[Ring];
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

void OperatorTable::begin(uint32_t Ring, uint32_t Row, uint64_t TimeNs) {
  // A program may nest operators without bound, but recursion of one operator
  // is shallow.
  constexpr size_t MaxSearched = 64;
  RingOperators &Of = ring(Ring);
  uint32_t Name = Rows[Row].Name;
  bool IsOuter =
      none_of(reverse(ArrayRef(Of.Opens).take_back(MaxSearched)),
              [&](const OpenOperator &O) { return Rows[O.Row].Name == Name; });
  bool Counts = Rows[Row].FlopsOfCall && !Of.CountsFlops;
  Of.CountsFlops |= Counts;
  Of.Opens.push_back({Row, IsOuter, Counts, TimeNs, 0, 0});
}

void OperatorTable::work(uint32_t Ring, uint64_t Flops) {
  RingOperators &Of = ring(Ring);
  if (Of.Opens.empty() || !Flops)
    return;
  OpenOperator &O = Of.Opens.back();
  if (Of.CountsFlops && !O.CountsFlops)
    return;
  Of.CountsFlops = O.CountsFlops = true;
  O.Flops = Flops;
}

void OperatorTable::end(uint32_t Ring, uint64_t TimeNs) {
  RingOperators &Of = Rings[Ring];
  OpenOperator O = Of.Opens.back();
  uint64_t TotalNs = TimeNs > O.BeginNs ? TimeNs - O.BeginNs : 0;
  OperatorRow &R = Rows[O.Row];
  R.HasChanged = true;
  R.Calls += 1;
  R.SelfNs += TotalNs - std::min(O.InnerNs, TotalNs);
  if (O.IsOuter)
    R.TotalNs += TotalNs;
  if (O.CountsFlops) {
    uint64_t Flops = O.Flops ? O.Flops : R.FlopsOfCall;
    R.Flops = SaturatingAdd(R.Flops, Flops);
    Of.Flops = SaturatingAdd(Of.Flops, Flops);
    Of.CountsFlops = false;
  }
  if (!Of.Tensors.empty() && Of.Tensors.back().Depth == Of.Opens.size())
    endTensors(Of, O.IsOuter ? &R : nullptr);
  Of.Opens.pop_back();
  if (!Of.Opens.empty())
    Of.Opens.back().InnerNs += TotalNs;
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

/// Few memory spaces have tensors of one operator.
OperatorTable::OpenShare &OperatorTable::shareOf(OpenTensors &Of,
                                                 uint32_t Space) {
  for (OpenShare &S : Of.Shares)
    if (S.Sums.Space == Space)
      return S;
  Of.Shares.emplace_back();
  Of.Shares.back().Sums.Space = Space;
  return Of.Shares.back();
}

/// The share of the innermost operator; null: the thread runs none.
OperatorTable::OpenShare *OperatorTable::shareOf(uint32_t Ring,
                                                 uint32_t Space) {
  if (Ring >= Rings.size() || Rings[Ring].Opens.empty())
    return nullptr;
  RingOperators &Of = Rings[Ring];
  if (Of.Tensors.empty() || Of.Tensors.back().Depth != Of.Opens.size())
    Of.Tensors.push_back({Of.Opens.size(), {}});
  return &shareOf(Of.Tensors.back(), Space);
}

void OperatorTable::allocated(uint32_t Ring, uint32_t Space, uint64_t Bytes,
                              uint64_t Live) {
  OpenShare *S = shareOf(Ring, Space);
  if (!S)
    return;
  S->Sums.Allocations += 1;
  S->Sums.AllocatedBytes += Bytes;
  S->Sums.PeakBytes = std::max(S->Sums.PeakBytes, Live);
  S->Net += int64_t(Bytes);
  if (S->Net > 0)
    S->Sums.RiseBytes = std::max(S->Sums.RiseBytes, uint64_t(S->Net));
}

void OperatorTable::freed(uint32_t Ring, uint32_t Space, uint64_t Bytes) {
  if (OpenShare *S = shareOf(Ring, Space)) {
    S->Sums.Frees += 1;
    S->Sums.FreedBytes += Bytes;
    S->Net -= int64_t(Bytes);
  }
}

void OperatorTable::add(const SpaceShare &From, SpaceShares &To) {
  if (To.size() == 1 && To.front().Space == From.Space)
    return joinShare(To.front(), From);
  joinShares(To, {From});
}

/// Adds the tensors of the innermost operator to a row (null: to none), and to
/// the operator outside.
void OperatorTable::endTensors(RingOperators &Of, OperatorRow *To) {
  OpenTensors Ended = Of.Tensors.pop_back_val();
  if (To)
    for (const OpenShare &S : Ended.Shares)
      add(S.Sums, To->Shares);
  if (--Ended.Depth == 0)
    return;
  if (Of.Tensors.empty() || Of.Tensors.back().Depth != Ended.Depth) {
    Of.Tensors.push_back(std::move(Ended));
    return;
  }
  for (const OpenShare &S : Ended.Shares) {
    OpenShare &Outer = shareOf(Of.Tensors.back(), S.Sums.Space);
    int64_t Rise = Outer.Net + int64_t(S.Sums.RiseBytes);
    uint64_t Before = Outer.Sums.RiseBytes;
    joinShare(Outer.Sums, S.Sums);
    Outer.Sums.RiseBytes =
        std::max(Before, Rise > 0 ? uint64_t(Rise) : uint64_t(0));
    Outer.Net += S.Net;
  }
}

//===----------------------------------------------------------------------===//
// Stats
//===----------------------------------------------------------------------===//

LayerStats OperatorTable::stats(uint32_t Row) const {
  const OperatorRow &R = Rows[Row];
  LayerStats Out;
  Out.Kind = ScopeKind::Operator;
  Out.Calls = R.Calls;
  Out.DurationNs = R.TotalNs;
  Out.SelfNs = R.SelfNs;
  Out.Flops = R.Flops;
  Out.DeviceNs = R.DeviceNs;
  Out.DeviceSelfNs = R.DeviceSelfNs;
  Out.Shares = R.Shares;
  for (const SpaceShare &S : R.Shares) {
    Out.Allocations += S.Allocations;
    Out.Frees += S.Frees;
    Out.AllocatedBytes += S.AllocatedBytes;
    Out.PeakBytes = std::max(Out.PeakBytes, S.PeakBytes);
    Out.RiseBytes = std::max(Out.RiseBytes, S.RiseBytes);
  }
  return Out;
}
