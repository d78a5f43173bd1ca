// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds frees whose clock was too early.

#include "Sources/RecentFrees.h"

#include "Sources/RingOfProcess.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace memkit;

static bool isFree(const wire::Record &Rec) {
  return Rec.is(wire::RecordKind::Free);
}

void RecentFrees::end() {
  if (Batch.empty())
    return;
  uint64_t Last = Batch.back().R.Tsc;
  erase_if(Kept,
           [Last](const RecentFree &F) { return F.Rec.Tsc + MaxSkew < Last; });
  constexpr size_t Max = 64;
  ArrayRef<MergedRecord> Tail = Batch.take_back(Max);
  for (const MergedRecord &M : Tail)
    if (isFree(M.R) && M.R.Tsc + MaxSkew >= Last)
      Kept.push_back({Of[M.Source].Id, Of[M.Source].Ring, M.R});
  if (Kept.size() > Max)
    Kept.erase(Kept.begin(), Kept.end() - Max);
  Batch = {};
}

std::optional<RecentFrees::RecentFree>
RecentFrees::before(uint32_t Process, uint32_t Ring,
                    const wire::Record &Later) const {
  uint64_t First = Later.Tsc > MaxSkew ? Later.Tsc - MaxSkew : 0;
  auto *It = partition_point(
      Batch, [&](const MergedRecord &M) { return M.R.Tsc < Later.Tsc; });
  while (It != Batch.begin() && (--It)->R.Tsc >= First) {
    const RingOfProcess &By = Of[It->Source];
    if (isFree(It->R) && It->R.Address == Later.Address && By.Id == Process &&
        By.Ring != Ring)
      return RecentFree{Process, By.Ring, It->R};
  }
  for (const RecentFree &F : reverse(Kept))
    if (F.Process == Process && F.Ring != Ring && F.Rec.Tsc >= First &&
        F.Rec.Tsc < Later.Tsc && F.Rec.Address == Later.Address)
      return F;
  return std::nullopt;
}
