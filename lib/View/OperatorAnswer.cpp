// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of operators.

#include "Support/Json.h"
#include "TraceView.h"
#include "memkit/Model/Query.h"
#include "llvm/ADT/STLFunctionalExtras.h"

using namespace llvm;

namespace memkit {

std::string TraceView::operators() {
  const Trace &T = trace();
  const std::vector<LayerStats> Rows = queryOperators(T);
  std::string Text;
  raw_string_ostream OS(Text);
  json::OStream J(OS);
  auto Column = [&](StringRef Key,
                    function_ref<json::Value(const LayerStats &)> Of) {
    J.attributeArray(Key, [&] {
      for (const LayerStats &L : Rows)
        J.value(Of(L));
    });
  };
  auto Number = [&](StringRef Key, uint64_t LayerStats::*Field) {
    Column(Key, [=](const LayerStats &L) { return json::Value(L.*Field); });
  };
  J.object([&] {
    Column("name",
           [&](const LayerStats &L) { return jsonText(T.string(L.Name)); });
    Number("calls", &LayerStats::Calls);
    Number("self_ns", &LayerStats::SelfNs);
    Number("duration_ns", &LayerStats::DurationNs);
    Number("allocations", &LayerStats::Allocations);
    Number("allocated_bytes", &LayerStats::AllocatedBytes);
    Number("rise_bytes", &LayerStats::RiseBytes);
    Number("peak_bytes", &LayerStats::PeakBytes);
    J.attribute("command", jsonText(CommandOf({.What = "operators"})));
  });
  return Text;
}

} // namespace memkit
