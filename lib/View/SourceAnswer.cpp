// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lines of a file of source, with the memory that each holds.

#include "Export/TableText.h"
#include "Report/SourceText.h"
#include "Support/CommandText.h"
#include "Support/Json.h"
#include "Support/SecretText.h"
#include "Tables/TableMaker.h"
#include "TraceView.h"
#include "memkit/Support/RequestError.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

/// Lines of the file around a line with memory.
static constexpr uint64_t ShownContext = 4;
/// The largest lines of a file with more are kept.
static constexpr size_t MaxShownLines = 1000;

/// Leaves the lines that hold or have allocated most.
static void keepLargest(SourceUse &Use) {
  erase_if(Use.Lines, [](const LineUse &L) { return !holdsMemory(L); });
  if (Use.Lines.size() <= MaxShownLines)
    return;
  stable_sort(Use.Lines, [](const LineUse &A, const LineUse &B) {
    return std::pair(A.PeakBytes, A.AllocatedBytes) >
           std::pair(B.PeakBytes, B.AllocatedBytes);
  });
  Use.Lines.resize(MaxShownLines);
  stable_sort(Use.Lines, [](const LineUse &A, const LineUse &B) {
    return A.Line < B.Line;
  });
}

/// The rows to show. A trace may have the text of any number of lines.
static std::vector<SourceRow> shownRows(const SourceUse &Use,
                                        const SourceText &Text) {
  constexpr size_t MaxRows = 20'000;
  std::vector<SourceRow> Rows = sourceRows(Use, Text, ShownContext);
  if (Rows.size() > MaxRows)
    erase_if(Rows, [](const SourceRow &R) { return !R.Use; });
  return Rows;
}

static TableMaker<SourceRow> sourceColumns() {
  auto Bytes = [](uint64_t LineUse::*Field) {
    return [Field](const SourceRow &R) {
      return R.Use ? R.Use->*Field : uint64_t(0);
    };
  };
  TableMaker<SourceRow> M;
  M.number("line", [](const SourceRow &R) { return R.Line; })
      .number("peak", Bytes(&LineUse::PeakBytes))
      .number("own", Bytes(&LineUse::OwnPeakBytes))
      .number("allocated", Bytes(&LineUse::AllocatedBytes))
      .number("kept", Bytes(&LineUse::LiveBytes))
      .name("text", [](const SourceRow &R) { return R.Text; });
  return M;
}

Expected<std::string> TraceView::source(const Question &Q) {
  std::vector<SourceUse> Files = sourceUse(*In.S, Q.text("file"));
  if (!Files.empty())
    keepLargest(Files.front());
  if (Files.empty() || Files.front().Lines.empty())
    return makeRequestError("no stack has a line of '" +
                            oneLine(Q.text("file")) + "'");
  const SourceUse &Use = Files.front();
  SourceText Known = SourceText::read(Use);
  // A page may be given away, and lines of the file were not looked at yet.
  for (std::string &Line : Known.Lines)
    if (looksSecret(Line))
      Line = "(left out: it looks like a password or a key)";
  std::string Text;
  raw_string_ostream OS(Text);
  json::OStream J(OS);
  J.object([&] {
    J.attribute("file", jsonText(Use.File));
    J.attribute("space", jsonText(trace().spaceName(Use.Space)));
    J.attribute("peak_bytes", Use.PeakBytes);
    J.attribute("space_peak_bytes", Use.SpacePeakBytes);
    J.attribute("doubt", jsonText(Known.Doubt));
    J.attributeObject("rows", [&] {
      writeColumnsJson(J, *sourceColumns().rows(shownRows(Use, Known)));
    });
  });
  return Text;
}

} // namespace memkit
