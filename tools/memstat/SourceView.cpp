// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --source: the lines of a file with the memory that each holds.

#include "SourceView.h"
#include "Report/SourceText.h"
#include "Support/CommandText.h"
#include "Support/Json.h"
#include "Support/Table.h"
#include "memkit/Analysis/SourceUse.h"
#include "memkit/Support/Format.h"
#include "memkit/Support/RequestError.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

/// Lines of the file around a line with memory.
static constexpr uint64_t Context = 2;
/// The files of one name that are shown.
static constexpr size_t MaxFiles = 3;

static std::string cell(uint64_t Bytes) {
  return Bytes ? formatSize(Bytes) : "";
}

static Table tableOf(const SourceUse &F, const SourceText &Text) {
  using Side = Table::Side;
  Table Rows({{"at the peak", Side::Right},
              {"own", Side::Right, false, 2},
              {"allocated", Side::Right, false, 3},
              {"kept", Side::Right, false, 4},
              {"line", Side::Right},
              {"", Side::Left, true}});
  uint64_t Before = 0;
  for (const SourceRow &R : sourceRows(F, Text, Context)) {
    if (Before && R.Line != Before + 1)
      Rows.add({"", "", "", "", "...", ""});
    Before = R.Line;
    const LineUse *L = R.Use;
    Rows.add({L ? cell(L->PeakBytes) : "", L ? cell(L->OwnPeakBytes) : "",
              L ? cell(L->AllocatedBytes) : "", L ? cell(L->LiveBytes) : "",
              std::to_string(R.Line), R.Text});
  }
  return Rows;
}

static void writeText(raw_ostream &OS, const SelectedStats &S,
                      const SourceUse &F, const SourceText &Text,
                      unsigned Width) {
  StringRef Space = S.trace().spaceName(F.Space);
  OS << oneLine(F.File) << ": " << formatSize(F.PeakBytes) << " of "
     << formatSize(F.SpacePeakBytes)
     << (S.selection().isOuterView() ? " at the peaks of the chosen heaps of "
                                     : " at the peak of ")
     << Space << '\n';
  if (!Text.Doubt.empty())
    OS << "  " << Text.Doubt << ": lines that the trace has\n";
  OS << '\n';
  tableOf(F, Text).print(OS, Width);
}

static void writeJson(raw_ostream &OS, const Trace &T,
                      ArrayRef<SourceUse> Files) {
  json::OStream J(OS, 1);
  J.object([&] {
    J.attribute("format_version", 1);
    J.attributeArray("files", [&] {
      for (const SourceUse &F : Files)
        J.object([&] {
          J.attribute("file", jsonText(F.File));
          J.attribute("space", T.spaceName(F.Space));
          J.attribute("peak_bytes", F.PeakBytes);
          J.attribute("space_peak_bytes", F.SpacePeakBytes);
          J.attributeArray("lines", [&] {
            for (const LineUse &L : F.Lines)
              J.object([&] {
                J.attribute("line", L.Line);
                J.attribute("peak_bytes", L.PeakBytes);
                J.attribute("own_peak_bytes", L.OwnPeakBytes);
                J.attribute("allocated_bytes", L.AllocatedBytes);
                J.attribute("live_bytes", L.LiveBytes);
                J.attribute("source", jsonText(L.Text));
              });
          });
        });
    });
  });
  OS << '\n';
}

Error writeSource(raw_ostream &OS, const SelectedStats &S, StringRef Name,
                  bool Json, unsigned Width) {
  const Trace &T = S.trace();
  std::vector<SourceUse> Files = sourceUse(S, Name);
  erase_if(Files,
           [](const SourceUse &F) { return none_of(F.Lines, holdsMemory); });
  if (Files.empty())
    return makeRequestError(T.name() +
                            ": no stack has a line of a file or "
                            "function '" +
                            oneLine(Name) +
                            "'; memstat shows the lines that "
                            "hold most");
  if (Json) {
    writeJson(OS, T, Files);
    return Error::success();
  }
  for (size_t I = 0; I != std::min(MaxFiles, Files.size()); ++I) {
    if (I)
      OS << '\n';
    writeText(OS, S, Files[I], SourceText::read(Files[I]), Width);
  }
  if (Files.size() > MaxFiles)
    OS << "\n" << Files.size() - MaxFiles << " more files of this name\n";
  return Error::success();
}

} // namespace memkit
