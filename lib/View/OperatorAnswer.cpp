// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of operators.

#include "Export/TableText.h"
#include "Support/Json.h"
#include "Tables/Columns.h"
#include "TraceView.h"
#include "memkit/Model/Query.h"

using namespace llvm;

namespace memkit {

std::string TraceView::operators() {
  const Trace &T = trace();
  const std::vector<LayerStats> Rows = queryOperators(T);
  std::string Text;
  raw_string_ostream OS(Text);
  json::OStream J(OS);
  J.object([&] {
    writeColumnsJson(
        J, *scopeColumns(T, Rows)
                .pick("name, calls, self_ns, duration_ns, allocations, "
                      "allocated_bytes, rise_bytes, peak_bytes")
                .rows(Rows));
    J.attribute("command", jsonText(CommandOf({.What = "operators"})));
  });
  return Text;
}

} // namespace memkit
