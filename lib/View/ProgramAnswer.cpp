// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled programs of JAX, and live arrays at marks.

#include "Export/TableText.h"
#include "Report/ProgramPrinters.h"
#include "Support/Json.h"
#include "Tables/Columns.h"
#include "TraceView.h"

using namespace llvm;

namespace memkit {

std::string TraceView::programs() {
  ArrayRef<CompiledProgram> Rows = Over->Compiled.Programs;
  std::string Text;
  raw_string_ostream OS(Text);
  json::OStream J(OS);
  J.object([&] {
    writeColumnsJson(
        J, *programColumns().pick(programPicks({"name"})).rows(Rows.vec()));
    writeRowsJson(J, "marks", *arrayObjects(trace(), Over->Compiled.Arrays));
    J.attribute("command", jsonText(CommandOf({.What = "programs"})));
  });
  return Text;
}

} // namespace memkit
