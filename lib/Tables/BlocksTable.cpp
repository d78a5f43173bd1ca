// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The largest live blocks.

#include "Questions.h"
#include "TableMaker.h"
#include "memkit/Model/LiveBlocks.h"
#include "memkit/Model/Places.h"

using namespace llvm;

namespace memkit {

/// Keeps the largest, in order of size; of equal size, the older one first.
static void keepLargest(std::vector<LivePart> &Of, size_t Max) {
  auto Before = [](const LivePart &A, const LivePart &B) {
    return std::tie(B.AllBytes, A.AllocatedNs) <
           std::tie(A.AllBytes, B.AllocatedNs);
  };
  stable_sort(Of, Before);
  if (Of.size() > Max)
    Of.resize(Max);
}

TableAnswer blocksTable(const SelectedStats &S) {
  constexpr size_t Max = 1000, Room = 2 * Max;
  const Trace &T = S.trace();
  const Selection &Sel = S.selection();
  Expected<TimePoint> At = Sel.atOrPeak(T);
  if (!At)
    return At.takeError();
  std::vector<LivePart> Rows;
  auto Keep = [&](const LivePart &B) {
    Rows.push_back(B);
    if (Rows.size() == Room)
      keepLargest(Rows, Max);
  };
  if (Error E = forEachLivePart(T, Sel, *At, "a table of blocks needs", Keep))
    return std::move(E);
  keepLargest(Rows, Max);
  Places Where(S);
  TableMaker<LivePart> M;
  M.number("bytes", [](const auto &B) { return B.AllBytes; })
      .choice("heap", [&](const auto &B) { return T.heapName(B.Heap); })
      .number("allocated_ns", [](const auto &B) { return B.AllocatedNs; })
      .text("line",
            [&](const auto &B) {
              return Where.text(Where.place(Where.of(B.Stack)));
            })
      .id("process",
          [&](const auto &B) { return T.processes()[B.Process - 1].Pid; })
      .number("block", [](const auto &B) { return B.AllocationId; })
      .id("stack", [](const auto &B) { return B.Stack; })
      .id("scope_path", [](const auto &B) { return B.ScopePath; });
  return M.make(Rows);
}

} // namespace memkit
