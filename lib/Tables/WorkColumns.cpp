// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Columns of the work of devices.

#include "Columns.h"
#include "TraceText/EnumNames.h"
#include "Values.h"

using namespace llvm;

namespace memkit {

TableMaker<DeviceWorkRow> workColumns(const Trace &T) {
  using R = DeviceWorkRow;
  auto Sum = [](uint64_t DeviceTimeStats::*Field) {
    return [Field](const R &W) { return W.Sums.*Field; };
  };
  TableMaker<R> M;
  M.name("name", [](const R &W) { return W.Name; })
      .choice("kind", [](const R &W) { return enumName(W.Sums.Kind); })
      .choice("device", [&T](const R &W) { return T.spaceName(W.Sums.Device); })
      .number("stream", Sum(&DeviceTimeStats::Stream))
      .maybe("graph", [](const R &W) { return ifAny(uint64_t(W.Sums.Graph)); })
      .id("process", [&T](const R &W) { return pidOf(T, W.Sums.Process); })
      .text("operator", [](const R &W) { return W.Operator.str(); })
      .text("layer", [](const R &W) { return W.Layer.str(); })
      .text("line", [](const R &W) { return W.Line; })
      .id("stack", [](const R &W) { return W.Sums.Stack; })
      .text("scope_path",
            [&T](const R &W) {
              uint32_t Path = W.Sums.ScopePath;
              return Path ? T.scopePathText(Path) : std::string();
            })
      .number("calls", Sum(&DeviceTimeStats::Calls))
      .number("duration_ns", Sum(&DeviceTimeStats::DurationNs))
      .number("mean_duration_ns",
              [](const R &W) {
                return W.Sums.Calls ? W.Sums.DurationNs / W.Sums.Calls : 0;
              })
      .number("longest_ns", Sum(&DeviceTimeStats::LongestNs))
      .maybe("bytes", [](const R &W) { return ifAny(W.Sums.Bytes); })
      .number("begin_ns", Sum(&DeviceTimeStats::BeginNs))
      .number("end_ns", Sum(&DeviceTimeStats::EndNs))
      .maybe("untied", [](const R &W) { return ifAny(W.Sums.Untied); });
  return M;
}

} // namespace memkit
