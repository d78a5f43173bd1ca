// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares two groups of traces when the page asks.

#include "CompareView.h"
#include "HttpServer.h"
#include "memkit/Support/RequestError.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace memkit {

static Suppressions hiddenBy(const SelectionSpec &Spec) {
  return Spec.Names ? Suppressions::ofChanges(*Spec.Names) : Suppressions();
}

CompareView::CompareView(ArrayRef<const SelectedStats *> Traces,
                         size_t NumBefore, const SelectionSpec &Spec,
                         CompareCommand Command)
    : Command(std::move(Command)),
      Runs(Traces.take_front(NumBefore), Traces.drop_front(NumBefore),
           /*Whole=*/true, NoRenames, hiddenBy(Spec)) {}

CompareView::~CompareView() = default;

/// The differences as memdiff finds them without options.
Expected<const CompareView::Compared *> CompareView::compared(Metric M) {
  auto At = Reports.find(M);
  if (At != Reports.end())
    return &At->second;
  Compared New;
  if (M != Metric::Peak)
    New.Options.By = M;
  New.Options.Noise = cantFail(parseThreshold("1%"));
  New.Options.WantsStacks = false;
  if (Error E = queryDifferences(Runs, New.Options).moveInto(New.Report))
    return std::move(E);
  return &Reports.try_emplace(M, std::move(New)).first->second;
}

DiffView CompareView::viewOf(const Compared &C) const {
  return {Runs,
          C.Report,
          C.Options.By.value_or(Metric::Peak),
          /*IsAtTimePoint=*/false,
          /*Max=*/0,
          /*MaxGiven=*/true,
          /*Uncertain=*/false,
          /*WithMoves=*/false,
          C.Options.Confidence,
          "before",
          "after",
          /*Failed=*/{}};
}

/// The file of the only trace of a group; of several, how many.
std::string CompareView::nameOf(bool IsAfter) const {
  size_t Count = IsAfter ? Runs.size() - Runs.numBefore() : Runs.numBefore();
  const Trace &First = Runs.trace(IsAfter ? Runs.numBefore() : 0);
  std::string Name = sys::path::filename(First.name()).str();
  if (Count > 1)
    Name += " and " + std::to_string(Count - 1) + " more";
  return Name;
}

size_t CompareView::largestSpace(const DiffReport &R) const {
  auto Peak = [](const SpaceChange &S) {
    return std::max(S.Stats.Before.PeakBytes, S.Stats.After.PeakBytes);
  };
  size_t Largest = 0;
  for (size_t I = 1; I < R.Spaces.size(); ++I)
    if (Peak(R.Spaces[I]) > Peak(R.Spaces[Largest]))
      Largest = I;
  return Largest;
}

size_t CompareView::numSpaces() const {
  return Reports.empty() ? 0 : Reports.begin()->second.Report.Spaces.size();
}

Error CompareView::readCurves() {
  constexpr unsigned Columns = 600;
  if (!Curves.empty())
    return Error::success();
  std::vector<HeapCurves> Read;
  for (size_t R = 0; R != Runs.size(); ++R) {
    Expected<SeriesReport> Of = querySeries(Runs.run(R), Columns);
    if (!Of)
      return Of.takeError();
    Read.push_back(std::move(Of->Live));
  }
  Curves = std::move(Read);
  return Error::success();
}

Expected<std::string> CompareView::answer(const Question &Q) {
  std::string What = Q.text("what").str();
  if (!What.empty() && What != "peak" && What != "live")
    return makeRequestError("what=" + What +
                            ": a comparison is of peak or of live");
  Metric M = What == "live" ? Metric::Live : Metric::Peak;
  Expected<const Compared *> C = compared(M);
  if (!C)
    return C.takeError();
  size_t Space = largestSpace((*C)->Report);
  StringRef Wanted = Q.text("space");
  if (!Wanted.empty() &&
      (Wanted.getAsInteger(10, Space) || Space >= (*C)->Report.Spaces.size()))
    return makeRequestError("space=" + Wanted + ": not a number up to " +
                            Twine((*C)->Report.Spaces.size() - 1));
  auto At = Answers.find({M, Space});
  if (At != Answers.end())
    return At->second;
  if (Error E = readCurves())
    return std::move(E);
  std::string Made = make(M, **C, Space);
  return Answers.try_emplace({M, Space}, std::move(Made)).first->second;
}

} // namespace memkit
