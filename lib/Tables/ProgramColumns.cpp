// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Columns of compiled programs of JAX, and of live arrays at marks.

#include "Columns.h"
#include "Support/CommandText.h"
#include "Values.h"
#include "memkit/Support/Format.h"

using namespace llvm;

namespace memkit {

static RowListRef plansOf(const CompiledProgram &Of) {
  TableMaker<ProgramPlan> M;
  for (size_t I = 0; I != NumProgramValues; ++I)
    M.maybe(keyOf(ProgramValue(I)),
            [I](const ProgramPlan &P) { return P.Values[I]; });
  M.maybe("call_bytes", &ProgramPlan::callBytes);
  return M.rows(Of.Plans);
}

TableMaker<CompiledProgram> programColumns() {
  using P = CompiledProgram;
  TableMaker<P> M;
  M.name("name", [](const P &R) { return R.Name.str(); })
      .text("name_if_any", [](const P &R) { return R.Name.str(); })
      .name("name_and_plans",
            [](const P &R) {
              size_t Plans = R.Plans.size();
              return oneLine(R.Name) +
                     (Plans > 1 ? " (" + formatCount(Plans) + " plans)" : "");
            })
      .field("at_peak_bytes", &P::AtPeakBytes)
      .field("live_bytes", &P::LiveBytes)
      .field("allocated_bytes", &P::AllocatedBytes)
      .field("allocations", &P::Allocations)
      .number("plans", [](const P &R) { return R.Plans.size(); })
      .list("plan_list", plansOf);
  for (size_t I = 0; I != NumProgramValues; ++I)
    M.maybe(planKeyOf(ProgramValue(I)), [I](const P &R) {
      const ProgramPlan *Plan = R.largestPlan();
      return Plan ? Plan->Values[I] : std::nullopt;
    });
  M.maybe("plan_call_bytes", [](const P &R) {
    const ProgramPlan *Plan = R.largestPlan();
    return Plan ? Plan->callBytes() : std::nullopt;
  });
  return M;
}

static RowListRef shapesOf(const ArraysAtMark &At) {
  using S = ArraysAtMark::Shape;
  TableMaker<S> M;
  M.name("name", [](const S &R) { return R.Name.str(); })
      .field("arrays", &S::Count)
      .field("bytes", &S::Bytes);
  return M.rows(At.Shapes);
}

TableMaker<ArrayRow> arrayColumns(const Trace &T) {
  using R = ArrayRow;
  TableMaker<R> M;
  M.number("time_ns", [](const R &A) { return A.At->TimeNs; })
      .id("process", [&T](const R &A) { return pidOf(T, A.At->Process); })
      .id("process_id", [](const R &A) { return A.At->Process; })
      .choice("mark_if_any", [](const R &A) { return A.At->Mark; })
      .name("mark", [](const R &A) { return A.At->Mark.str(); })
      .choice("name_if_any", [](const R &A) { return A.Of.Name; })
      .name("name", [](const R &A) { return oneLine(A.Of.Name); })
      .number("arrays", [](const R &A) { return A.Of.Count; })
      .number("bytes", [](const R &A) { return A.Of.Bytes; })
      .text("share",
            [](const R &A) { return formatShare(A.Of.Bytes, A.At->Bytes); })
      .number("all_arrays", [](const R &A) { return A.At->Count; })
      .number("all_bytes", [](const R &A) { return A.At->Bytes; })
      .list("shapes", [](const R &A) { return shapesOf(*A.At); });
  return M;
}

std::vector<ArrayRow> arraysByShape(ArrayRef<ArraysAtMark> Arrays) {
  std::vector<ArrayRow> Rows;
  for (const ArraysAtMark &A : Arrays)
    for (const ArraysAtMark::Shape &Of : A.Shapes)
      Rows.push_back({&A, Of});
  return Rows;
}

std::vector<ArrayRow> arraysByMark(ArrayRef<ArraysAtMark> Arrays) {
  std::vector<ArrayRow> Rows;
  for (const ArraysAtMark &A : Arrays)
    Rows.push_back({&A, {}});
  return Rows;
}

std::vector<ColumnPick> programPicks(ColumnPick Name) {
  std::vector<ColumnPick> Picks = {Name,
                                   {"at_peak_bytes"},
                                   {"live_bytes"},
                                   {"allocated_bytes"},
                                   {"allocations"},
                                   {"plans"}};
  for (size_t I = 0; I != NumProgramValues; ++I)
    Picks.push_back({planKeyOf(ProgramValue(I))});
  Picks.push_back({"plan_call_bytes"});
  return Picks;
}

} // namespace memkit
