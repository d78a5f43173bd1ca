// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled programs of JAX, and live arrays at marks, as text, JSON and CSV.

#include "ProgramPrinters.h"
#include "Support/CommandText.h"
#include "Support/CsvField.h"
#include "Support/Json.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

using Side = Table::Side;

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

static std::string sizeOf(const ProgramPlan *P, ProgramValue V) {
  std::optional<uint64_t> Of = P ? P->of(V) : std::nullopt;
  return Of ? formatSize(*Of) : "";
}

static bool haveSeveralPlans(ArrayRef<CompiledProgram> Programs) {
  return any_of(Programs,
                [](const CompiledProgram &P) { return P.Plans.size() > 1; });
}

Table programTable(ArrayRef<CompiledProgram> Programs) {
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
  for (const CompiledProgram &P : Programs) {
    const ProgramPlan *Plan = P.largestPlan();
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
  return T;
}

std::string programNote(ArrayRef<CompiledProgram> Programs) {
  std::string Note = "the left columns are recorded, of all calls; the plan "
                     "and the flops are XLA's own, of one call";
  if (haveSeveralPlans(Programs))
    Note += ", of the plan with the highest peak";
  return Note;
}

static void writePlan(json::OStream &J, const ProgramPlan &P) {
  J.object([&] {
    for (size_t I = 0; I != P.Values.size(); ++I)
      J.attribute(keyOf(ProgramValue(I)),
                  P.Values[I] ? json::Value(*P.Values[I]) : nullptr);
  });
}

void writeProgramsJson(json::OStream &J, StringRef Key,
                       ArrayRef<CompiledProgram> Programs) {
  J.attributeArray(Key, [&] {
    for (const CompiledProgram &P : Programs)
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
}

void printProgramsCsv(raw_ostream &OS, ArrayRef<CompiledProgram> Programs) {
  OS << "name,at_peak_bytes,live_bytes,allocated_bytes,allocations,plans";
  for (size_t I = 0; I != NumProgramValues; ++I)
    OS << ",plan_" << keyOf(ProgramValue(I));
  OS << '\n';
  for (const CompiledProgram &P : Programs) {
    printField(OS, P.Name);
    OS << ',' << P.AtPeakBytes << ',' << P.LiveBytes << ',' << P.AllocatedBytes
       << ',' << P.Allocations << ',' << P.Plans.size();
    const ProgramPlan *Plan = P.largestPlan();
    for (size_t I = 0; I != NumProgramValues; ++I) {
      OS << ',';
      if (std::optional<uint64_t> Of =
              Plan ? Plan->of(ProgramValue(I)) : std::nullopt)
        OS << *Of;
    }
    OS << '\n';
  }
}

//===----------------------------------------------------------------------===//
// Live arrays
//===----------------------------------------------------------------------===//

Table arrayTable(const ArraysAtMark &A, size_t MaxShapes) {
  Table T({{"type and shape", Side::Left, true},
           {"arrays", Side::Right},
           {"bytes", Side::Right},
           {"share", Side::Right}});
  for (const ArraysAtMark::Shape &S : ArrayRef(A.Shapes).take_front(MaxShapes))
    T.add({oneLine(S.Name), formatCount(S.Count), formatSize(S.Bytes),
           formatShare(S.Bytes, A.Bytes)});
  return T;
}

std::string arrayTitle(const ArraysAtMark &A) {
  return "at the mark " + oneLine(A.Mark) + " (" + formatTime(A.TimeNs) +
         "), " + formatCount(A.Count) + " with " + formatSize(A.Bytes);
}

void writeArraysJson(json::OStream &J, StringRef Key,
                     ArrayRef<ArraysAtMark> Arrays) {
  J.attributeArray(Key, [&] {
    for (const ArraysAtMark &A : Arrays)
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

void printArraysCsv(raw_ostream &OS, ArrayRef<ArraysAtMark> Arrays) {
  OS << "time_ns,process,mark,name,arrays,bytes\n";
  for (const ArraysAtMark &A : Arrays)
    for (const ArraysAtMark::Shape &S : A.Shapes) {
      OS << A.TimeNs << ',' << A.Process << ',';
      printField(OS, A.Mark);
      OS << ',';
      printField(OS, S.Name);
      OS << ',' << S.Count << ',' << S.Bytes << '\n';
    }
}

} // namespace memkit
