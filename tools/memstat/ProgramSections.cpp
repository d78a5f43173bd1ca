// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled programs, and live arrays at marks.

#include "Sections.h"
#include "Support/CommandText.h"
#include "Support/Json.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

using Side = Table::Side;

static std::string sizeOf(const ProgramPlan *P, ProgramValue V) {
  std::optional<uint64_t> Of = P ? P->of(V) : std::nullopt;
  return Of ? formatSize(*Of) : "";
}

/// The plan with the highest peak; null: none is known.
static const ProgramPlan *largestPlan(const CompiledProgram &P) {
  const ProgramPlan *Largest = nullptr;
  for (const ProgramPlan &Of : P.Plans)
    if (!Largest || Of.of(ProgramValue::Peak).value_or(0) >
                        Largest->of(ProgramValue::Peak).value_or(0))
      Largest = &Of;
  return Largest;
}

std::optional<PageSection> programSection(const PageInput &F) {
  constexpr size_t Useful = 10;
  const std::vector<CompiledProgram> &All = F.O.Compiled.Programs;
  if (All.empty())
    return std::nullopt;
  Table T({{"program", Side::Left, true},
           {"at peak", Side::Right},
           {"at end", Side::Right},
           {"allocated", Side::Right},
           {"blocks", Side::Right},
           {"plan: arguments", Side::Right},
           {"outputs", Side::Right},
           {"aliased", Side::Right},
           {"temporary", Side::Right},
           {"peak", Side::Right},
           {"flops", Side::Right}});
  size_t Shown = F.shown(All.size(), Useful);
  bool HasSeveral = false;
  for (const CompiledProgram &P : ArrayRef(All).take_front(Shown)) {
    const ProgramPlan *Plan = largestPlan(P);
    HasSeveral |= P.Plans.size() > 1;
    std::string Name = oneLine(P.Name);
    if (P.Plans.size() > 1)
      Name += " (" + formatCount(P.Plans.size()) + " plans)";
    std::optional<uint64_t> Flops =
        Plan ? Plan->of(ProgramValue::Flops) : std::nullopt;
    T.add({Name, formatSize(P.AtPeakBytes), formatSize(P.LiveBytes),
           formatSize(P.AllocatedBytes), formatCount(P.Allocations),
           sizeOf(Plan, ProgramValue::Arguments),
           sizeOf(Plan, ProgramValue::Outputs),
           sizeOf(Plan, ProgramValue::Aliased),
           sizeOf(Plan, ProgramValue::Temporary),
           sizeOf(Plan, ProgramValue::Peak), Flops ? formatCount(*Flops) : ""});
  }
  PageSection Out;
  Out.Rows = std::move(T);
  if (Shown < All.size())
    Out.Notes.push_back(formatCount(All.size() - Shown) +
                        " more programs: --top=0");
  Out.Notes.push_back(
      "the left columns are recorded, of all calls; the plan and the flops are "
      "XLA's own, of one call" +
      std::string(HasSeveral ? ", of the plan with the highest peak" : ""));
  return Out;
}

/// The marks with most bytes of arrays, and the last.
std::vector<PageSection> arraySections(const PageInput &F) {
  constexpr size_t Useful = 8;
  std::vector<PageSection> Out;
  const std::vector<ArraysAtMark> &All = F.O.Compiled.Arrays;
  if (All.empty())
    return Out;
  const ArraysAtMark *Most = &All.front();
  for (const ArraysAtMark &A : All)
    Most = A.Bytes > Most->Bytes ? &A : Most;
  std::vector<const ArraysAtMark *> Shown = {Most};
  if (Most != &All.back())
    Shown.push_back(&All.back());
  for (const ArraysAtMark *A : Shown) {
    Table T({{"type and shape", Side::Left, true},
             {"arrays", Side::Right},
             {"bytes", Side::Right},
             {"share", Side::Right}});
    size_t Rows = F.shown(A->Shapes.size(), Useful);
    for (const ArraysAtMark::Shape &S : ArrayRef(A->Shapes).take_front(Rows))
      T.add({oneLine(S.Name), formatCount(S.Count), formatSize(S.Bytes),
             formatShare(S.Bytes, A->Bytes)});
    PageSection S;
    S.Title = "Live arrays of JAX at the mark " + oneLine(A->Mark) + " (" +
              formatTime(A->TimeNs) + "), " + formatCount(A->Count) + " with " +
              formatSize(A->Bytes);
    S.Titled = true;
    S.Rows = std::move(T);
    if (Rows < A->Shapes.size())
      S.Notes.push_back(formatCount(A->Shapes.size() - Rows) +
                        " more shapes: --top=0");
    Out.push_back(std::move(S));
  }
  return Out;
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static void writePlan(json::OStream &J, const ProgramPlan &P) {
  static constexpr StringLiteral Names[NumProgramValues] = {
      "argument_bytes", "output_bytes", "aliased_bytes", "temporary_bytes",
      "code_bytes",     "peak_bytes",   "flops",         "accessed_bytes"};
  J.object([&] {
    for (size_t I = 0; I != P.Values.size(); ++I)
      J.attribute(Names[I], P.Values[I] ? json::Value(*P.Values[I]) : nullptr);
  });
}

void writeProgramJson(json::OStream &J, const PageInput &F) {
  J.attributeArray("program_list", [&] {
    for (const CompiledProgram &P : F.O.Compiled.Programs)
      J.object([&] {
        J.attribute("name", jsonText(P.Name));
        J.attribute("at_peak_bytes", P.AtPeakBytes);
        J.attribute("live_bytes", P.LiveBytes);
        J.attribute("allocated_bytes", P.AllocatedBytes);
        J.attribute("allocations", P.Allocations);
        J.attributeArray("plans", [&] {
          for (const ProgramPlan &Plan : P.Plans)
            writePlan(J, Plan);
        });
      });
  });
  J.attributeArray("live_arrays", [&] {
    for (const ArraysAtMark &A : F.O.Compiled.Arrays)
      J.object([&] {
        J.attribute("mark", jsonText(A.Mark));
        J.attribute("time_ns", A.TimeNs);
        J.attribute("process", A.Process);
        J.attribute("arrays", A.Count);
        J.attribute("bytes", A.Bytes);
        J.attributeArray("shapes", [&] {
          for (const ArraysAtMark::Shape &Of : A.Shapes)
            J.object([&] {
              J.attribute("name", jsonText(Of.Name));
              J.attribute("arrays", Of.Count);
              J.attribute("bytes", Of.Bytes);
            });
        });
      });
  });
}

} // namespace memkit
