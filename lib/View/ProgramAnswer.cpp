// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled programs of JAX, and live arrays at marks.

#include "Report/ProgramPrinters.h"
#include "Support/Json.h"
#include "TraceView.h"
#include "llvm/ADT/STLFunctionalExtras.h"

using namespace llvm;

namespace memkit {

std::string TraceView::programs() {
  ArrayRef<CompiledProgram> Rows = Over->Compiled.Programs;
  std::string Text;
  raw_string_ostream OS(Text);
  json::OStream J(OS);
  auto Column = [&](const Twine &Key,
                    function_ref<json::Value(const CompiledProgram &)> Of) {
    J.attributeArray(Key.str(), [&] {
      for (const CompiledProgram &P : Rows)
        J.value(Of(P));
    });
  };
  auto Number = [&](StringRef Key, uint64_t CompiledProgram::*Field) {
    Column(Key,
           [=](const CompiledProgram &P) { return json::Value(P.*Field); });
  };
  J.object([&] {
    Column("name", [](const CompiledProgram &P) { return jsonText(P.Name); });
    Number("at_peak_bytes", &CompiledProgram::AtPeakBytes);
    Number("live_bytes", &CompiledProgram::LiveBytes);
    Number("allocated_bytes", &CompiledProgram::AllocatedBytes);
    Number("allocations", &CompiledProgram::Allocations);
    Column("plans", [](const CompiledProgram &P) {
      return json::Value(uint64_t(P.Plans.size()));
    });
    for (size_t I = 0; I != NumProgramValues; ++I)
      Column("plan_" + keyOf(ProgramValue(I)),
             [I](const CompiledProgram &P) -> json::Value {
               const ProgramPlan *Plan = P.largestPlan();
               std::optional<uint64_t> Of =
                   Plan ? Plan->of(ProgramValue(I)) : std::nullopt;
               return Of ? json::Value(*Of) : nullptr;
             });
    writeArraysJson(J, "marks", Over->Compiled.Arrays);
    J.attribute("command", jsonText(CommandOf({.What = "programs"})));
  });
  return Text;
}

} // namespace memkit
