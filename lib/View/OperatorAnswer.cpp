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
  std::vector<ColumnPick> Picks =
      picksOf("name, calls, self_ns, duration_ns, allocations, "
              "allocated_bytes, rise_bytes, peak_bytes");
  if (any_of(Rows, [](const LayerStats &R) { return R.DeviceNs != 0; }))
    append_range(Picks, picksOf("device_self_ns, device_ns"));
  std::string Text;
  raw_string_ostream OS(Text);
  json::OStream J(OS);
  J.object([&] {
    writeColumnsJson(J, *scopeColumns(T, Rows).pick(Picks).rows(Rows));
    J.attribute("command", jsonText(CommandOf({.What = "operators"})));
  });
  return Text;
}

} // namespace memkit
