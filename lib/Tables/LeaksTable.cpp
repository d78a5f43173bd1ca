// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What leaks, grows or is left.

#include "Questions.h"
#include "TableMaker.h"
#include "memkit/Analysis/GrowthLines.h"
#include "memkit/Analysis/Query.h"
#include "memkit/Model/Places.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include <algorithm>
#include <optional>

using namespace llvm;

namespace memkit {

static StringRef leakKind(LeakKinds K) {
  return K == FK_Exit ? "exit" : K == FK_Growth ? "growth" : "outlier";
}

namespace {
/// All that grows at a line, or all findings of another kind there.
struct LeakRow {
  StringRef Kind, Verdict;
  std::string Line, Layer;
  uint32_t Heap = 0, Stack = 0; ///< of most bytes
  uint64_t Most = 0;            ///< these bytes
  uint64_t Bytes = 0, Blocks = 0;
  std::optional<double> PerStep, PerSecond, PValue;
  std::optional<uint64_t> GrowthBytes, FreedNs;

  void note(const Trace &T, const LeakFinding &R) {
    if (Stack && R.Bytes <= Most)
      return;
    Most = R.Bytes;
    Heap = R.Heap;
    Stack = R.Stack;
    Layer = T.string(R.Layer).str();
  }
};
} // namespace

/// The lines that grow, as memleak shows them.
static void addGrowth(const SelectedStats &S, const Places &Where,
                      const LeakFindings &Found, std::vector<LeakRow> &To) {
  DenseMap<uint32_t, const LeakFinding *> ByIndex;
  for (const LeakFinding &R : Found.All)
    if (R.Kind == FK_Growth)
      ByIndex[R.Place] = &R;
  for (const LineGrowth &L : growthLines(S, Where, Found.Growth)) {
    LeakRow Row;
    Row.Kind = leakKind(FK_Growth);
    Row.Verdict = growthWordName(L.Word);
    Row.Line = Where.text(L.Where);
    Row.Bytes = L.Bytes;
    Row.Blocks = L.Blocks;
    (L.HasSteps ? Row.PerStep : Row.PerSecond) = L.Rate;
    Row.PValue = L.PValue;
    Row.GrowthBytes = L.Rise;
    if (L.FreedNs)
      Row.FreedNs = L.FreedNs;
    for (uint32_t Index : L.Findings)
      if (const LeakFinding *R = ByIndex.lookup(Index))
        Row.note(S.trace(), *R);
    To.push_back(std::move(Row));
  }
}

/// The other findings, by kind and place, the most bytes first.
static void addOthers(const SelectedStats &S, const Places &Where,
                      const LeakFindings &Found, std::vector<LeakRow> &To) {
  MapVector<std::pair<unsigned, uint32_t>, LeakRow> Sums;
  for (const LeakFinding &R : Found.All) {
    if (R.Kind == FK_Growth)
      continue;
    uint32_t Place = Where.of(R.Stack);
    LeakRow &Row = Sums[{unsigned(R.Kind), Place}];
    Row.Kind = leakKind(R.Kind);
    Row.Line = Where.text(Where.place(Place));
    Row.Bytes += R.Bytes;
    Row.Blocks += R.Blocks;
    Row.note(S.trace(), R);
  }
  size_t Begin = To.size();
  for (auto &[Key, Row] : Sums)
    To.push_back(std::move(Row));
  std::stable_sort(
      To.begin() + Begin, To.end(),
      [](const LeakRow &A, const LeakRow &B) { return A.Bytes > B.Bytes; });
}

TableAnswer leaksTable(const SelectedStats &S) {
  const Trace &T = S.trace();
  Expected<LeakFindings> Found = queryLeaks(S);
  if (!Found)
    return Found.takeError();
  Places Where(S);
  std::vector<LeakRow> Rows;
  // What grows is what a program dies of.
  addGrowth(S, Where, *Found, Rows);
  addOthers(S, Where, *Found, Rows);
  TableMaker<LeakRow> M;
  M.choice("kind", [](const auto &R) { return R.Kind; })
      .choice("heap", [&](const auto &R) { return T.heapName(R.Heap); })
      .text("line", [](const auto &R) { return R.Line; })
      .number("bytes", [](const auto &R) { return R.Bytes; })
      .number("blocks", [](const auto &R) { return R.Blocks; })
      .real("bytes_per_step", [](const auto &R) { return R.PerStep; })
      .real("bytes_per_second", [](const auto &R) { return R.PerSecond; })
      .maybe("growth_bytes", [](const auto &R) { return R.GrowthBytes; })
      .real("p_value", [](const auto &R) { return R.PValue; })
      .text("layer", [](const auto &R) { return R.Layer; })
      .id("stack", [](const auto &R) { return R.Stack; })
      .choice("verdict", [](const auto &R) { return R.Verdict; })
      .maybe("freed_ns", [](const auto &R) { return R.FreedNs; });
  return M.make(Rows);
}

} // namespace memkit
