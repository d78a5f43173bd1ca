// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The list `spaces` of a row.

#include "ShareColumns.h"
#include "TableMaker.h"
#include "Values.h"

using namespace llvm;

namespace memkit {

static std::vector<ColumnPick> picksFor(ShareOf Of) {
  if (Of == ShareOf::Process)
    return {{"name"}, {"live_bytes"}, {"peak_bytes"}};
  std::vector<ColumnPick> Picks =
      picksOf("name, allocations, frees, allocated_bytes, freed_bytes");
  if (Of == ShareOf::Step)
    Picks.push_back({"live_bytes"});
  Picks.push_back({"peak_bytes"});
  if (Of == ShareOf::Scope)
    Picks.push_back({"rise_bytes"});
  if (Of == ShareOf::Layer)
    Picks.push_back({"reserved_peak_bytes"});
  return Picks;
}

RowListRef shareRows(const Trace &T, ArrayRef<SpaceShare> Shares, ShareOf Of) {
  using S = SpaceShare;
  TableMaker<S> M;
  M.name("name", [&T](const S &R) { return T.spaceName(R.Space).str(); })
      .field("allocations", &S::Allocations)
      .field("frees", &S::Frees)
      .field("allocated_bytes", &S::AllocatedBytes)
      .field("freed_bytes", &S::FreedBytes)
      .field("live_bytes", &S::LiveBytes)
      .field("peak_bytes", &S::PeakBytes)
      .field("rise_bytes", &S::RiseBytes)
      .maybe("reserved_peak_bytes",
             [](const S &R) { return ifAny(R.ReservedPeakBytes); });
  return M.pick(picksFor(Of)).rows({Shares.begin(), Shares.end()});
}

} // namespace memkit
