// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints compiled programs of JAX, and live arrays at marks.

#include "Cli/Terminal.h"
#include "Cli/ToolMain.h"
#include "Input.h"
#include "Jobs.h"
#include "Report/ProgramPrinters.h"

using namespace llvm;
using namespace memkit;

static void printProgramText(raw_ostream &OS,
                             ArrayRef<CompiledProgram> Programs) {
  if (Programs.empty()) {
    OS << "no compiled programs of JAX\n";
    return;
  }
  programTable(Programs).print(OS, outputWidth());
  OS << programNote(Programs) << '\n';
}

static void printArrayText(raw_ostream &OS, ArrayRef<ArraysAtMark> Arrays) {
  if (Arrays.empty())
    OS << "no live arrays of JAX: they are recorded at marks, memkit.mark()\n";
  StringRef Between;
  for (const ArraysAtMark &A : Arrays) {
    OS << Between << arrayTitle(A) << "\n\n";
    arrayTable(A, A.Shapes.size()).print(OS, outputWidth());
    Between = "\n";
  }
}

Error memkit::printPrograms(OutputFile &Out) {
  bool IsArrays = What == DumpJob::Arrays;
  StringRef Name = IsArrays ? "arrays" : "programs";
  if (OutputFormat == DumpFormat::Asm)
    return makeUsageError("--" + Name +
                          " supports only --format=text, json and csv");
  Expected<std::unique_ptr<Trace>> T = openTrace(TP_All);
  if (!T)
    return T.takeError();
  Expected<Selection> All = Selection::create(**T, SelectionSpec());
  if (!All)
    return All.takeError();
  Expected<SelectedStats> S = SelectedStats::create(**T, std::move(*All));
  if (!S)
    return S.takeError();
  Expected<ProgramReport> R = queryPrograms(*S);
  if (!R)
    return R.takeError();
  if (OutputFormat == DumpFormat::Csv) {
    IsArrays ? printArraysCsv(Out.os(), R->Arrays)
             : printProgramsCsv(Out.os(), R->Programs);
  } else if (OutputFormat == DumpFormat::Json) {
    json::OStream J(Out.os(), 2);
    J.object([&] {
      IsArrays ? writeArraysJson(J, Name, R->Arrays)
               : writeProgramsJson(J, Name, R->Programs);
    });
    Out.os() << '\n';
  } else {
    IsArrays ? printArrayText(Out.os(), R->Arrays)
             : printProgramText(Out.os(), R->Programs);
  }
  return Error::success();
}
