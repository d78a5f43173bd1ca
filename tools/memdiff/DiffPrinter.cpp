// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Differences as text.

#include "Cli/Terminal.h"
#include "Cli/ToolMain.h"
#include "DiffText.h"
#include "Export/StackText.h"

using namespace llvm;

namespace memkit {

static void printPlace(raw_ostream &OS, const DiffView &V, DiffPlace P,
                       Metric By, ArrayRef<Finding::MergedPart> Parts,
                       unsigned Width) {
  const unsigned Indent = 4;
  for (const std::string &Line : partLines(V, P, By, Parts))
    OS.indent(Indent / 2) << (Width > Indent ? shorten(Line, Width - Indent)
                                             : Line)
                          << '\n';
  printFrames(OS, placeFrames(V, P), Indent, Width, isVerbose());
}

void printDiff(raw_ostream &OS, const DiffView &V) {
  const size_t MaxHeaps = 10;
  unsigned Width = outputWidth();
  for (const std::string &Line : lossLines(V))
    OS << Line << '\n';
  if (!V.Runs.isPair())
    OS << "means of " << V.Runs.numBefore() << " and "
       << V.Runs.size() - V.Runs.numBefore() << " runs\n";
  totalsTable(V, /*WithShare=*/false).print(OS, Width);
  if (Table Heaps = heapsTable(V, MaxHeaps); !Heaps.empty()) {
    OS << '\n';
    Heaps.print(OS, Width);
  }
  for (const Finding &F : shownFindings(V)) {
    OS << '\n' << findingTitle(V, F) << '\n';
    printPlace(OS, V, F.Place, F.By, F.Largest, Width);
  }
  for (const Move &M : shownMoves(V)) {
    OS << '\n' << moveTitle(V, M) << '\n';
    printPlace(OS, V, M.Place, M.By, partsToList(M), Width);
  }
  for (const std::string &Line : restLines(V))
    OS << '\n' << Line << '\n';
}

} // namespace memkit
