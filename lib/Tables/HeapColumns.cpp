// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Columns of memory spaces and heaps, and of names that hold blocks.

#include "Columns.h"
#include "Values.h"

using namespace llvm;

namespace memkit {

/// The columns of TotalStats, of rows with a member Stats. What processes had
/// when each ended may be more than ever lived at a time.
template <class RowT> static void addTotals(TableMaker<RowT> &To) {
  To.number("allocations", [](const RowT &R) { return R.Stats.Allocations; })
      .number("frees", [](const RowT &R) { return R.Stats.Frees; })
      .number("temporaries", [](const RowT &R) { return R.Stats.Temporaries; })
      .number("allocated_bytes",
              [](const RowT &R) { return R.Stats.AllocatedBytes; })
      .number("freed_bytes", [](const RowT &R) { return R.Stats.FreedBytes; })
      .number("live_blocks", [](const RowT &R) { return R.Stats.LiveBlocks; })
      .maybe("live_bytes",
             [](const RowT &R) {
               return ifKnown(R.Stats.LiveBytes <= R.Stats.PeakBytes,
                              R.Stats.LiveBytes);
             })
      .number("live_at_exits_bytes",
              [](const RowT &R) { return R.Stats.LiveBytes; })
      .number("peak_blocks", [](const RowT &R) { return R.Stats.PeakBlocks; })
      .number("peak_bytes", [](const RowT &R) { return R.Stats.PeakBytes; })
      .number("peak_time_ns", [](const RowT &R) { return R.Stats.PeakTimeNs; })
      .maybe("mean_bytes",
             [](const RowT &R) {
               return meanBytes(R.Stats.AllocatedBytes, R.Stats.Allocations);
             })
      .flag("is_estimate", [](const RowT &R) { return R.IsEstimate; });
}

TableMaker<SpaceReport> spaceColumns(const Trace &T) {
  using S = SpaceReport;
  TableMaker<S> M;
  M.choice("space", [](const S &R) { return R.Name; })
      .id("id", [](const S &R) { return R.Id; })
      .maybe("peak_step",
             [&T](const S &R) { return stepAt(T, R.Stats.PeakTimeNs); });
  addTotals(M);
  return M;
}

TableMaker<HeapReport> heapColumns() {
  using H = HeapReport;
  auto Reserved = [](uint64_t HeapStats::*Field) {
    return [Field](const H &R) {
      return ifKnown(R.Stats.ReservedKnown, R.Stats.*Field);
    };
  };
  TableMaker<H> M;
  M.choice("heap", [](const H &R) { return R.Name; })
      .id("id", [](const H &R) { return R.Id; })
      .choice("space", [](const H &R) { return R.SpaceName; })
      .id("space_id", [](const H &R) { return R.Space; })
      .choice("parent", [](const H &R) { return R.Parent; })
      .flag("in_totals", [](const H &R) { return R.InTotals; });
  addTotals(M);
  M.maybe("largest_bytes",
          [](const H &R) { return ifAny(R.Stats.LargestBytes); })
      .maybe("reserved_bytes", Reserved(&HeapStats::ReservedBytes))
      .maybe("reserved_peak_bytes", Reserved(&HeapStats::ReservedPeakBytes))
      .maybe("sample_bytes", [](const H &R) { return ifAny(R.SampleBytes); });
  return M;
}

TableMaker<HeldPath> holderColumns() {
  using P = HeldPath;
  TableMaker<P> M;
  M.name("path", [](const P &R) { return R.Path; })
      .field("bytes", &P::Bytes)
      .field("blocks", &P::Blocks)
      .flag("only_cycle", [](const P &R) { return R.Bits & HeldByCycle; })
      .flag("no_name", [](const P &R) { return R.Bits & HeldByNoName; });
  return M;
}

} // namespace memkit
