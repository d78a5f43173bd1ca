// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matches the places of runs.

#include "memkit/Analysis/DiffPlaces.h"
#include "Analysis/Places/PlaceMatcher.h"
#include "Extracted.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Path.h"
#include <map>

using namespace llvm;

namespace memkit {

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// A place as runs compare it.
static ComparedPlace comparedPlace(const Place &P, const KeyRules &Rules,
                                   const StringSet<> &Ambiguous) {
  ComparedPlace Out;
  Out.Function = placeKindName(P.Kind).str() + '\0';
  Out.Text = {P.Line, P.Source};
  if (P.Kind == PlaceKind::Library) {
    Out.Function += steadyFileName(P.Name, Rules);
    return Out;
  }
  if (P.Kind != PlaceKind::Line && P.Kind != PlaceKind::Function) {
    Out.Function += P.Name;
    return Out;
  }
  if (!P.Binary.empty() && Rules.Nameless && !Rules.Nameless->empty())
    if (std::string Of = steadyFileName(P.Binary, Rules);
        Rules.Nameless->contains(Of)) {
      Out.Function = placeKindName(PlaceKind::Library).str() + '\0' + Of;
      return Out;
    }
  std::string Room, NewRoom, NewerRoom;
  StringRef Function = steadyFunction(P.Name, Room);
  if (Rules.Renamed)
    Function =
        steadyFunction(Rules.Renamed->function(Function, NewRoom), NewerRoom);
  Out.Function += Function;
  Out.FunctionKey = functionFrameKey(P.Name, P.Binary, P.File, Rules);
  Out.File = steadyFileName(P.File, Rules);
  if (Ambiguous.contains(baseName(P.File)))
    Out.File = sys::path::filename(sys::path::parent_path(P.File)).str() + '/' +
               Out.File;
  return Out;
}

/// The file names that several files of a run have: their folders tell them
/// apart.
static StringSet<> ambiguousFiles(ArrayRef<Places> Where) {
  StringSet<> Ambiguous;
  for (const Places &Of : Where) {
    StringMap<StringRef> PathOf;
    for (uint32_t Id = 0; Id != Of.size(); ++Id) {
      StringRef File = Of.place(Id).File;
      if (!File.empty() &&
          PathOf.try_emplace(baseName(File), File).first->second != File)
        Ambiguous.insert(baseName(File));
    }
  }
  return Ambiguous;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

namespace {
struct PlaceValues {
  StackMetrics Sum;
  SampleVariances Variances;
};
struct RunValues {
  /// By memory space of the trace, then place.
  std::vector<std::vector<PlaceValues>> Spaces;
  StackMetrics Hidden; ///< by suppressions
};
} // namespace

/// OfStacks: the place of each stack; empty: Where.steadyOf().
static RunValues valuesOf(const DiffRuns &Runs, size_t Run, const Places &Where,
                          ArrayRef<uint32_t> OfStacks = {}) {
  const SelectedStats &S = Runs.run(Run);
  const Trace &T = S.trace();
  bool Outer = S.selection().isOuterView();
  RunValues Out;
  Out.Spaces.assign(T.devices().size() + 1,
                    std::vector<PlaceValues>(Where.size()));
  S.forEach([&](uint32_t, const StackStats &R) {
    const Heap &H = T.heap(R.Heap);
    if (!Outer && H.Flags & HF_OutsideTotals)
      return;
    if (Runs.isHidden(Run, R.Key))
      return Out.Hidden.add(metricsOfRow(R, Outer));
    uint32_t Place = OfStacks.empty() ? Where.steadyOf(R.Key) : OfStacks[R.Key];
    PlaceValues &V = Out.Spaces[H.Space][Place];
    V.Sum.add(metricsOfRow(R, Outer));
    if (const SampledHeap &Errors = T.sampled(R.Heap))
      V.Variances.add(R, Errors);
  });
  // The values are of the heap, or exclusive, as metricsOfRow() chooses.
  for (std::vector<PlaceValues> &Space : Out.Spaces)
    for (PlaceValues &V : Space) {
      if (Outer)
        V.Variances.SpacePeak = V.Variances.HeapPeak;
      else
        V.Variances.Live = V.Variances.LiveExclusive;
    }
  return Out;
}

static bool hasAny(const StackMetrics &M) { return M != StackMetrics(); }

//===----------------------------------------------------------------------===//
// Places that are the same
//===----------------------------------------------------------------------===//

/// KeyRules::Counterparts of a trace. Keys: of the functions of its lines, for
/// each the key of its counterpart.
static std::vector<uint64_t> counterpartsOf(const Trace &T, const OwnLines &Of,
                                            ArrayRef<ComparedPlace> Lines,
                                            ArrayRef<uint64_t> Keys) {
  std::vector<uint64_t> Out(T.numFunctions() + 1);
  for (uint32_t F = 1; F < Out.size(); ++F)
    if (std::optional<uint32_t> Line = Of.lineOf(F);
        Line && Keys[*Line] != Lines[*Line].FunctionKey)
      Out[F] = Keys[*Line];
  return Out;
}

/// Numbers the places of each run, with equal numbers for the same place, and
/// finds the counterparts of functions.
static std::vector<SamePlaces>
numberPlaces(const DiffRuns &Runs, ArrayRef<Places> Where,
             ArrayRef<std::optional<OwnLines>> Lines,
             std::vector<std::vector<uint64_t>> &Counterparts) {
  StringSet<> Ambiguous = ambiguousFiles(Where);
  PlaceMatcher Matcher;
  std::vector<SamePlaces> Same(Runs.size());
  Counterparts.resize(Runs.size());
  for (size_t R = Runs.size(); R-- != 0;) {
    std::vector<ComparedPlace> Compared;
    for (uint32_t Id = 0; Id != Where[R].size(); ++Id)
      Compared.push_back(
          comparedPlace(Where[R].place(Id), Runs.rules(R), Ambiguous));
    Same[R].Numbers = Matcher.add(R, Compared, Lines[R]->calls());
    Same[R].Functions = Matcher.functionNumbers();
    Counterparts[R] = counterpartsOf(Runs.trace(R), *Lines[R], Compared,
                                     Matcher.functionKeys());
  }
  return Same;
}

/// Moves the memory of extracted functions to the lines that call them.
static void moveExtracted(const DiffRuns &Runs, ArrayRef<Places> Where,
                          ArrayRef<std::optional<OwnLines>> Lines,
                          ArrayRef<SamePlaces> Same,
                          std::vector<RunValues> &Values) {
  std::vector<std::vector<uint64_t>> Bytes;
  for (size_t R = 0; R != Runs.size(); ++R) {
    std::vector<uint64_t> &Of = Bytes.emplace_back(Where[R].size());
    for (const std::vector<PlaceValues> &Space : Values[R].Spaces)
      for (size_t Id = 0; Id != Space.size(); ++Id) {
        const StackMetrics &M = Space[Id].Sum;
        Of[Id] += std::max({M.AllocatedBytes, M.LiveBytes, M.AtPeakBytes});
      }
  }
  std::vector<std::vector<uint32_t>> OfStacks =
      placesOfExtracted(Runs, Where, Lines, Same, Bytes);
  Runs.forEachRun([&](size_t R) {
    if (!OfStacks[R].empty())
      Values[R] = valuesOf(Runs, R, Where[R], OfStacks[R]);
  });
}

/// By number: the first such place of the last run with one.
static std::map<uint32_t, PlaceOfRun> lastPlaces(ArrayRef<SamePlaces> Same) {
  std::map<uint32_t, PlaceOfRun> Last;
  for (uint32_t R = 0; R != Same.size(); ++R)
    for (uint32_t Id = Same[R].Numbers.size(); Id-- != 0;)
      Last[Same[R].Numbers[Id]] = {R, Id};
  return Last;
}

DiffPlaces diffPlaces(const DiffRuns &Runs) {
  DiffPlaces Out;
  std::vector<RunValues> Values(Runs.size());
  std::vector<std::optional<Places>> Found(Runs.size());
  std::vector<std::optional<OwnLines>> Lines(Runs.size());
  Runs.forEachRun([&](size_t R) {
    Found[R].emplace(Runs.run(R));
    Lines[R].emplace(Runs.trace(R), *Found[R]);
    Values[R] = valuesOf(Runs, R, *Found[R]);
  });
  for (std::optional<Places> &Of : Found)
    Out.Where.push_back(std::move(*Of));
  std::vector<StackMetrics> Hidden;
  for (const RunValues &V : Values)
    Hidden.push_back(V.Hidden);
  Out.HiddenBefore = meanOf(Runs.before<StackMetrics>(Hidden));
  Out.HiddenAfter = meanOf(Runs.after<StackMetrics>(Hidden));

  std::vector<SamePlaces> Same =
      numberPlaces(Runs, Out.Where, Lines, Out.Counterparts);
  moveExtracted(Runs, Out.Where, Lines, Same, Values);
  std::map<uint32_t, PlaceOfRun> Last = lastPlaces(Same);
  std::map<std::pair<std::string, uint32_t>, PlaceChange> All;
  for (size_t R = 0; R != Runs.size(); ++R)
    for (uint32_t Space = 0; Space != Values[R].Spaces.size(); ++Space)
      for (uint32_t Id = 0; Id != Values[R].Spaces[Space].size(); ++Id) {
        const PlaceValues &V = Values[R].Spaces[Space][Id];
        if (!hasAny(V.Sum))
          continue;
        std::string Name = Runs.trace(R).spaceName(Space).str();
        uint32_t Number = Same[R].Numbers[Id];
        PlaceChange &C = All[{Name, Number}];
        C.Space = Name;
        C.Run = Last[Number].Run;
        C.Place = Last[Number].Place;
        // One that stands for several is a library.
        if (Out.Where[R].place(Id).Kind == PlaceKind::Library) {
          C.Run = uint32_t(R);
          C.Place = Id;
        }
        if (auto &Of = Runs.isAfter(R) ? C.Later : C.Earlier; !Of)
          Of = PlaceOfRun{uint32_t(R), Id};
        C.Runs.resize(Runs.size());
        C.Runs[R].add(V.Sum);
        C.Variances.add(V.Variances);
      }
  for (auto &[Key, C] : All) {
    C.Before = meanOf(Runs.before<StackMetrics>(C.Runs));
    C.After = meanOf(Runs.after<StackMetrics>(C.Runs));
    // A line that holds nothing any more is shown as it was.
    if (C.Earlier && !C.After.AtPeakBytes && !C.After.LiveBytes &&
        (C.Before.AtPeakBytes || C.Before.LiveBytes)) {
      C.Run = C.Earlier->Run;
      C.Place = C.Earlier->Place;
    }
    Out.All.push_back(std::move(C));
  }
  return Out;
}

const Place *DiffPlaces::otherBefore(const PlaceChange &C) const {
  if (!C.Earlier || C.Earlier->Run == C.Run)
    return nullptr;
  const Place &Now = place(C);
  if (Now.Kind != PlaceKind::Line)
    return nullptr;
  const Place &Then = Where[C.Earlier->Run].place(C.Earlier->Place);
  std::string NowRoom, ThenRoom;
  bool IsSame =
      baseName(Now.File) == baseName(Then.File) &&
      steadyFunction(Now.Name, NowRoom) == steadyFunction(Then.Name, ThenRoom);
  return IsSame ? nullptr : &Then;
}

static double varianceOf(const SampleVariances &V, Metric By) {
  switch (By) {
  case Metric::Peak:
    return V.SpacePeak;
  case Metric::Live:
  case Metric::Leaked:
    return V.Live;
  case Metric::Allocated:
    return V.Allocated;
  case Metric::Count:
  case Metric::Temporary:
    return 0;
  }
  llvm_unreachable("all metrics are handled");
}

std::optional<ConfidenceInterval> changeOfPlace(const DiffRuns &Runs,
                                                const PlaceChange &C, Metric By,
                                                double Confidence) {
  if (!Runs.isPair()) {
    std::vector<double> Values;
    for (const StackMetrics &M : C.Runs)
      Values.push_back(double(metricOf(M, By)));
    return differenceOfMeans(Runs.before<double>(Values),
                             Runs.after<double>(Values), Confidence);
  }
  double Variance = varianceOf(C.Variances, By);
  if (!Variance)
    return std::nullopt;
  return differenceOfEstimates(double(C.before(By)), double(C.after(By)),
                               Variance, Confidence);
}

} // namespace memkit
