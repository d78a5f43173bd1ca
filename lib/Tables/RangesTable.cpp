// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When threads were in scopes, a row each time.

#include "Model/Names/ScopeOccurrences.h"
#include "Model/Select/ScopeTimeCursor.h"
#include "Questions.h"
#include "TableMaker.h"
#include "Values.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

namespace {
struct RangeRow {
  ScopeOccurrences::ScopeOccurrence Is;
  uint32_t Process = 0;
};
} // namespace

static StringRef scopeKindText(ScopeKind K) {
  static constexpr StringLiteral Names[NumScopeKinds] = {
      "layer", "operator", "range", "scope", "phase", "line"};
  return Names[size_t(K)];
}

/// Adds what a process's threads were in, in the order of ends.
static Error addRanges(const Trace &T, const Selection &Sel, uint32_t Process,
                       std::vector<RangeRow> &To) {
  ScopeOccurrences Found(T.scopePaths());
  auto Add = [&](const ScopeOccurrences::ScopeOccurrence &Is, bool Begins) {
    if (!Begins && Sel.hasThread(Is.Thread) && Sel.hasScopePath(Is.ScopePath))
      To.push_back({Is, Process});
  };
  ScopeTimeCursor Changes(T, Process);
  for (;;) {
    Expected<const ScopeChange *> Next = Changes.peek();
    if (!Next)
      return Next.takeError();
    if (!*Next)
      break;
    Found.change((*Next)->Thread, (*Next)->ScopePath, (*Next)->TimeNs, Add);
    Changes.next();
  }
  Found.finish(T.endNs(), Add);
  return Error::success();
}

TableAnswer rangesTable(const Trace &T, const Selection &Sel) {
  std::vector<RangeRow> Rows;
  for (uint32_t Process = 1; Process <= T.processes().size(); ++Process)
    if (Sel.hasProcess(Process))
      if (Error E = addRanges(T, Sel, Process, Rows))
        return std::move(E);
  // An outer scope before those that begin with it.
  stable_sort(Rows, [](const RangeRow &A, const RangeRow &B) {
    return std::tie(A.Is.BeginNs, A.Process, A.Is.Thread, A.Is.Depth) <
           std::tie(B.Is.BeginNs, B.Process, B.Is.Thread, B.Is.Depth);
  });
  auto ScopeOf = [&T](const RangeRow &R) -> const ScopeRecord & {
    return T.scopes()[T.scopePaths()[R.Is.ScopePath - 1].Scope - 1];
  };
  return TableMaker<RangeRow>()
      .id("process", [&T](const RangeRow &R) { return pidOf(T, R.Process); })
      .id("thread",
          [&T](const RangeRow &R) { return T.threads()[R.Is.Thread - 1].Tid; })
      .number("depth", [](const RangeRow &R) { return R.Is.Depth; })
      .choice("kind",
              [=](const RangeRow &R) { return scopeKindText(ScopeOf(R).Kind); })
      .choice("name",
              [=, &T](const RangeRow &R) { return T.string(ScopeOf(R).Name); })
      .number("begin_ns", [](const RangeRow &R) { return R.Is.BeginNs; })
      .number("end_ns", [](const RangeRow &R) { return R.Is.LastNs; })
      .number("duration_ns",
              [](const RangeRow &R) { return R.Is.LastNs - R.Is.BeginNs; })
      .make(Rows);
}

} // namespace memkit
