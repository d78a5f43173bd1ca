// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Changes of layers, operators, tensors, steps and resident memory.

#include "Analysis/Resident/Resident.h"
#include "Analysis/Series/StepPeaks.h"
#include "memkit/Analysis/DiffPlaces.h"
#include "memkit/Analysis/LayerHolds.h"
#include "memkit/Model/Query.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;

namespace memkit {

namespace {
/// By memory space or heap, then name: the value in each run.
class NamedValues {
public:
  explicit NamedValues(const DiffRuns &Runs) : Runs(Runs) {}
  void add(size_t Run, StringRef Space, StringRef Name, uint64_t Bytes,
           TensorCategory Category = {}) {
    std::vector<double> &Of = All[{Space.str(), Name.str(), Category}];
    Of.resize(Runs.size());
    Of[Run] += double(Bytes);
  }
  std::vector<NamedChange> changes() const;

private:
  const DiffRuns &Runs;
  std::map<std::tuple<std::string, std::string, TensorCategory>,
           std::vector<double>>
      All;
};
} // namespace

static uint64_t meanOf(ArrayRef<double> Values) {
  double Sum = 0;
  for (double V : Values)
    Sum += V;
  return Values.empty() ? 0 : uint64_t(Sum / double(Values.size()) + 0.5);
}

static uint64_t distance(int64_t Change) {
  return Change < 0 ? 0 - uint64_t(Change) : uint64_t(Change);
}

/// The largest change first.
std::vector<NamedChange> NamedValues::changes() const {
  std::vector<NamedChange> Out;
  for (const auto &[Key, Of] : All)
    Out.push_back({std::get<1>(Key), std::get<0>(Key), std::get<2>(Key),
                   meanOf(Runs.before<double>(Of)),
                   meanOf(Runs.after<double>(Of))});
  stable_sort(Out, [](const NamedChange &A, const NamedChange &B) {
    return distance(A.change()) > distance(B.change());
  });
  return Out;
}

static std::vector<NamedChange> diffLayers(const DiffRuns &Runs) {
  NamedValues Values(Runs);
  for (size_t R = 0; R != Runs.size(); ++R) {
    const Trace &T = Runs.trace(R);
    std::vector<LayerStats> Layers = queryLayers(T, &Runs.run(R).selection());
    LayerHolds Held = orderByHeld(Runs.run(R), Layers);
    for (size_t I = 0; I != Held.Bytes.size(); ++I)
      Values.add(R, T.spaceName(Held.Space),
                 T.string(Layers[I].Name).str() +
                     (Layers[I].Backward ? " (backward)" : ""),
                 Held.Bytes[I]);
  }
  return Values.changes();
}

/// The values of each run, by name of the operator.
using OperatorValues = std::map<std::string, std::vector<double>>;

static std::vector<OperatorChange> diffOperators(const DiffRuns &Runs) {
  OperatorValues Calls, SelfNs, Allocated;
  auto Add = [&](OperatorValues &To, size_t Run, StringRef Name, uint64_t By) {
    std::vector<double> &Of = To[Name.str()];
    Of.resize(Runs.size());
    Of[Run] += double(By);
  };
  for (size_t R = 0; R != Runs.size(); ++R) {
    const Trace &T = Runs.trace(R);
    for (const LayerStats &L : queryOperators(T, &Runs.run(R).selection())) {
      Add(Calls, R, T.string(L.Name), L.Calls);
      Add(SelfNs, R, T.string(L.Name), L.SelfNs);
      Add(Allocated, R, T.string(L.Name), L.AllocatedBytes);
    }
  }
  std::vector<OperatorChange> Out;
  auto Before = [&](ArrayRef<double> Of) {
    return meanOf(Runs.before<double>(Of));
  };
  auto After = [&](ArrayRef<double> Of) {
    return meanOf(Runs.after<double>(Of));
  };
  for (const auto &[Name, Of] : Calls)
    Out.push_back({Name, Before(Of), After(Of), Before(SelfNs[Name]),
                   After(SelfNs[Name]), Before(Allocated[Name]),
                   After(Allocated[Name])});
  stable_sort(Out, [](const OperatorChange &A, const OperatorChange &B) {
    return distance(int64_t(A.SelfNsAfter - A.SelfNsBefore)) >
           distance(int64_t(B.SelfNsAfter - B.SelfNsBefore));
  });
  return Out;
}

static std::vector<NamedChange> diffCategories(const DiffRuns &Runs) {
  NamedValues Values(Runs);
  for (size_t R = 0; R != Runs.size(); ++R) {
    const Trace &T = Runs.trace(R);
    for (const CategorySum &C : queryCategories(T, &Runs.run(R).selection()))
      Values.add(R, T.heapName(C.Heap), "", C.Bytes, C.Category);
  }
  return Values.changes();
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

StepPeaks stepPeaks(const SelectedStats &S, StringRef Space) {
  const Trace &T = S.trace();
  StepPeaks Peaks;
  std::map<uint32_t, uint32_t> Processes;
  for (const StepReport &Step : querySteps(T, &S.selection())) {
    uint32_t Index =
        Processes.try_emplace(Step.Process, Processes.size()).first->second;
    if (Step.IsOpen)
      continue;
    uint64_t Peak = Space == "host" ? Step.PeakBytes : 0;
    for (const SpaceShare &Share : Step.Shares)
      if (T.spaceName(Share.Space) == Space)
        Peak = Share.PeakBytes;
    Peaks[{Index, Step.Step}] = Peak;
  }
  return Peaks;
}

namespace {
struct AlignedStep {
  StepKey Key;
  double Change;
};
} // namespace

/// The steps of all runs, with the change of the mean peak.
static std::vector<AlignedStep> alignSteps(const DiffRuns &Runs,
                                           StringRef Space) {
  std::vector<StepPeaks> All;
  for (size_t R = 0; R != Runs.size(); ++R)
    All.push_back(stepPeaks(Runs.run(R), Space));
  std::vector<AlignedStep> Steps;
  for (const auto &Entry : All.front()) {
    std::vector<double> Values;
    for (const StepPeaks &Of : All)
      if (auto At = Of.find(Entry.first); At != Of.end())
        Values.push_back(double(At->second));
    if (Values.size() != All.size())
      continue;
    Steps.push_back(
        {Entry.first, double(meanOf(Runs.after<double>(Values))) -
                          double(meanOf(Runs.before<double>(Values)))});
  }
  return Steps;
}

static double medianOf(ArrayRef<AlignedStep> Steps) {
  std::vector<double> Changes;
  for (const AlignedStep &S : Steps)
    Changes.push_back(S.Change);
  auto Middle = Changes.begin() + Changes.size() / 2;
  std::nth_element(Changes.begin(), Middle, Changes.end());
  return *Middle;
}

/// The first step that changed by the noise, with most later steps (nine of
/// ten) changed likewise. Steps: of one process.
static std::optional<size_t> firstChanged(ArrayRef<AlignedStep> Steps,
                                          double Noise) {
  std::optional<size_t> First;
  bool Rises = Steps.back().Change > 0;
  size_t Changed = 0;
  for (size_t I = Steps.size(); I-- != 0;) {
    double Change = Rises ? Steps[I].Change : -Steps[I].Change;
    if (Change < Noise || Change <= 0)
      continue;
    ++Changed;
    if (Changed * 10 >= (Steps.size() - I) * 9)
      First = I;
  }
  return First;
}

static StepChange stepChange(const DiffRuns &Runs, StringRef Space,
                             uint64_t Noise) {
  StepChange Out;
  Out.Space = Space.str();
  std::vector<AlignedStep> Steps = alignSteps(Runs, Space);
  // Several processes of a run have the same steps: the first one stands for
  // them.
  erase_if(Steps, [](const AlignedStep &S) { return S.Key.first != 0; });
  Out.Aligned = Steps.size();
  if (Steps.empty())
    return Out;
  Out.Last = Steps.back().Key.second;
  if (std::optional<size_t> First = firstChanged(Steps, double(Noise))) {
    Out.First = Steps[*First].Key.second;
    Out.MedianChange = int64_t(medianOf(ArrayRef(Steps).drop_front(*First)));
  }
  return Out;
}

//===----------------------------------------------------------------------===//
// All
//===----------------------------------------------------------------------===//

static Error takeResident(const DiffRuns &Runs, DiffDetails &Out) {
  std::vector<double> Peaks, Ends;
  for (size_t R = 0; R != Runs.size(); ++R) {
    if (uint64_t Peak = queryRun(Runs.trace(R)).MaxRss)
      Peaks.push_back(double(Peak));
    Expected<MarkSeries> Marks = readMarkSeries(Runs.trace(R));
    if (!Marks)
      return Marks.takeError();
    std::vector<SeriesPoint> Sums = residentSeries(Runs.run(R), Marks->Rss);
    if (const SeriesPoint *Last = lastSample(Sums))
      Ends.push_back(double(Last->Value));
  }
  auto Change = [&](StringRef Name, ArrayRef<double> Values) {
    return NamedChange{Name.str(),
                       "host",
                       {},
                       meanOf(Runs.before<double>(Values)),
                       meanOf(Runs.after<double>(Values))};
  };
  if (Peaks.size() == Runs.size())
    Out.ResidentPeak = Change("resident at most", Peaks);
  if (Ends.size() == Runs.size())
    Out.ResidentEnd = Change("resident, last sample", Ends);
  return Error::success();
}

Expected<DiffDetails>
diffDetails(const DiffRuns &Runs,
            function_ref<uint64_t(StringRef Space)> NoiseOf) {
  DiffDetails Out;
  Out.Layers = diffLayers(Runs);
  Out.Operators = diffOperators(Runs);
  Out.Categories = diffCategories(Runs);
  std::vector<std::string> Spaces;
  StringSet<> Known;
  for (size_t R = 0; R != Runs.size(); ++R)
    for (uint32_t Id = 0; Id <= Runs.trace(R).devices().size(); ++Id)
      if (std::string Name = Runs.trace(R).spaceName(Id).str();
          Known.insert(Name).second)
        Spaces.push_back(std::move(Name));
  for (const std::string &Space : Spaces)
    if (StepChange S = stepChange(Runs, Space, NoiseOf(Space)); S.Aligned)
      Out.Steps.push_back(std::move(S));
  if (Runs.isWhole())
    if (Error E = takeResident(Runs, Out))
      return std::move(E);
  return Out;
}

} // namespace memkit
