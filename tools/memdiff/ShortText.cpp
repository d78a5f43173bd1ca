// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// memdiff's answer: what changed, by the lines of the user's own code.

#include "Cli/Terminal.h"
#include "DiffText.h"
#include "Support/CommandText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/WithColor.h"

using namespace llvm;

namespace memkit {

Table placeTable(const DiffView &V, const PlaceRows &Rows) {
  using Side = Table::Side;
  SmallVector<Metric, 2> By = placeMetrics(V);
  std::vector<Table::Column> Columns = {{metricTitle(V, By[0]), Side::Right},
                                        {"", Side::Left}};
  for (Metric M : ArrayRef(By).drop_front())
    Columns.push_back({metricTitle(V, M), Side::Right});
  Columns.push_back({placesTitle(V).str(), Side::Left, true});
  Columns.push_back({"", Side::Left, true, 3});
  Table T(std::move(Columns));
  for (const PlaceChange *C : Rows.Shown) {
    bool Bytes = isInBytes(By[0]);
    std::vector<std::string> Cells = {changeText(C->change(By[0]), Bytes),
                                      valueText(C->before(By[0]), Bytes) +
                                          " -> " +
                                          valueText(C->after(By[0]), Bytes)};
    for (Metric M : ArrayRef(By).drop_front())
      Cells.push_back(changeText(C->change(M), isInBytes(M)));
    std::string Remark = remarkOf(V, *C, By[0]);
    std::string Text = V.Report.Places.text(*C);
    Cells.push_back(Remark.empty() ? Text : Text + " (" + Remark + ")");
    Cells.push_back(oneLine(V.Report.Places.place(*C).Source));
    T.add(std::move(Cells));
  }
  RestOfRows Rest = restOf(V, Rows);
  if (!Rows.Shown.empty() && Rest.Places) {
    std::vector<std::string> Cells = {
        changeText(Rest.Changes[0], isInBytes(By[0])), ""};
    for (size_t I = 1; I != By.size(); ++I)
      Cells.push_back(changeText(Rest.Changes[I], isInBytes(By[I])));
    Cells.push_back(formatCount(Rest.Places) + " other place" +
                    (Rest.Places == 1 ? "" : "s"));
    Cells.push_back("");
    T.add(std::move(Cells));
  }
  return T;
}

void printShort(raw_ostream &OS, const DiffView &V) {
  unsigned Width = outputWidth();
  for (const std::string &Line : lossLines(V))
    OS << Line << '\n';
  printWrapped(OS, verdictLine(V), Width, 2);
  if (!V.Runs.isPair())
    OS << "means of " << V.Runs.numBefore() << " and "
       << V.Runs.size() - V.Runs.numBefore() << " runs\n";
  OS << '\n';
  totalsTable(V, /*WithShare=*/true).print(OS, Width);
  for (const SpaceChange &S : V.Report.Spaces) {
    PlaceRows Rows = placeRows(V, S);
    if (Rows.Shown.empty() && Rows.Moved.empty())
      continue;
    OS << '\n';
    if (V.Report.Spaces.size() > 1)
      OS << S.Name << '\n';
    if (!Rows.Shown.empty())
      placeTable(V, Rows).print(OS, Width);
    for (const std::string &Line : placeMoveLines(V, Rows))
      printWrapped(OS, "  " + Line, Width, 2);
    if (Rows.More)
      OS << "  --top=0 shows all\n";
  }
  std::vector<std::string> Details = detailLines(V);
  if (!Details.empty())
    OS << '\n';
  for (const std::string &Line : Details) {
    if (needsLook(Line))
      printWrapped(WithColor(OS, raw_ostream::RED).get(), Line, Width, 2);
    else
      printWrapped(OS, Line, Width, 2);
  }
  if (!V.Report.Changes.Findings.empty())
    OS << "\nStacks of the changes: memdiff -v\n";
}

} // namespace memkit
