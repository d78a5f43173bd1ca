// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matches the places of runs.

#include "memkit/Analysis/DiffPlaces.h"
#include "LineAlignment.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Path.h"
#include <map>

using namespace llvm;

namespace memkit {

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// The name by which a place is the same in all runs, but for its line.
static std::string steadyName(const Place &P, const KeyRules &Rules,
                              const StringSet<> &Ambiguous) {
  std::string Name = placeKindName(P.Kind).str() + '\0';
  if (P.Kind == PlaceKind::Library)
    return Name + steadyFileName(P.Name, Rules);
  if (P.Kind != PlaceKind::Line && P.Kind != PlaceKind::Function)
    return Name + P.Name.str();
  std::string Room, NewRoom, NewerRoom;
  StringRef Function = steadyFunction(P.Name, Room);
  if (Rules.Renamed)
    Function =
        steadyFunction(Rules.Renamed->function(Function, NewRoom), NewerRoom);
  Name += Function.str() + '\0' + steadyFileName(P.File, Rules);
  if (Ambiguous.contains(baseName(P.File)))
    Name += '\0' + sys::path::filename(sys::path::parent_path(P.File)).str();
  return Name;
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
// Matching
//===----------------------------------------------------------------------===//

namespace {
/// A place of one run.
struct RunPlace {
  FunctionLine Text;
  uint32_t Place = 0;
};

/// A place of all runs.
struct SharedPlace {
  FunctionLine Text; ///< as the last run with this place has it
  uint32_t Run = 0, Place = 0;
  uint32_t Number = 0;
};

/// Numbers the places of all runs. Runs are added from the last to the first,
/// so that places look as in the last run.
class PlaceMatcher {
public:
  /// Returns the number of each place of the run.
  std::vector<uint32_t> add(uint32_t Run, const Places &Where,
                            ArrayRef<std::string> Names);
  uint32_t size() const { return Count; }
  std::vector<SharedPlace> byNumber() const;

private:
  void match(uint32_t Run, std::vector<SharedPlace> &Shared,
             std::vector<RunPlace> &Mine, std::vector<uint32_t> &Numbers);

  StringMap<std::vector<SharedPlace>> ByName;
  uint32_t Count = 0;
};
} // namespace

template <class T> static void sortByLine(std::vector<T> &All) {
  stable_sort(All,
              [](const T &A, const T &B) { return A.Text.Line < B.Text.Line; });
}

template <class T>
static std::vector<FunctionLine> textsOf(const std::vector<T> &All) {
  std::vector<FunctionLine> Texts;
  for (const T &Of : All)
    Texts.push_back(Of.Text);
  return Texts;
}

void PlaceMatcher::match(uint32_t Run, std::vector<SharedPlace> &Shared,
                         std::vector<RunPlace> &Mine,
                         std::vector<uint32_t> &Numbers) {
  sortByLine(Mine);
  auto Of = alignLines(textsOf(Mine), textsOf(Shared));
  size_t Known = Shared.size();
  for (size_t I = 0; I != Mine.size(); ++I) {
    if (!Of[I])
      Shared.push_back({Mine[I].Text, Run, Mine[I].Place, Count++});
    Numbers[Mine[I].Place] = Shared[Of[I].value_or(Shared.size() - 1)].Number;
  }
  if (Shared.size() != Known)
    sortByLine(Shared);
}

std::vector<uint32_t> PlaceMatcher::add(uint32_t Run, const Places &Where,
                                        ArrayRef<std::string> Names) {
  MapVector<StringRef, std::vector<RunPlace>> Mine;
  for (uint32_t Id = 0; Id != Where.size(); ++Id) {
    const Place &P = Where.place(Id);
    Mine[Names[Id]].push_back({{P.Line, P.Source}, Id});
  }
  std::vector<uint32_t> Numbers(Where.size());
  for (auto &[Name, Of] : Mine)
    match(Run, ByName[Name], Of, Numbers);
  return Numbers;
}

std::vector<SharedPlace> PlaceMatcher::byNumber() const {
  std::vector<SharedPlace> All(Count);
  for (const auto &Entry : ByName)
    for (const SharedPlace &P : Entry.second)
      All[P.Number] = P;
  return All;
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

static RunValues valuesOf(const DiffRuns &Runs, size_t Run,
                          const Places &Where) {
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
    PlaceValues &V = Out.Spaces[H.Space][Where.of(R.Key)];
    V.Sum.add(metricsOfRow(R, Outer));
    if (uint64_t Sample = H.estimateBytes())
      V.Variances.add(R, Sample);
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

DiffPlaces diffPlaces(const DiffRuns &Runs) {
  DiffPlaces Out;
  std::vector<RunValues> Values(Runs.size());
  std::vector<std::optional<Places>> Found(Runs.size());
  Runs.forEachRun([&](size_t R) {
    Found[R].emplace(Runs.run(R));
    Values[R] = valuesOf(Runs, R, *Found[R]);
  });
  for (std::optional<Places> &Of : Found)
    Out.Where.push_back(std::move(*Of));
  std::vector<StackMetrics> Hidden;
  for (const RunValues &V : Values)
    Hidden.push_back(V.Hidden);
  Out.HiddenBefore = meanOf(Runs.before<StackMetrics>(Hidden));
  Out.HiddenAfter = meanOf(Runs.after<StackMetrics>(Hidden));

  StringSet<> Ambiguous = ambiguousFiles(Out.Where);
  PlaceMatcher Matcher;
  std::vector<std::vector<uint32_t>> Numbers(Runs.size());
  for (size_t R = Runs.size(); R-- != 0;) {
    std::vector<std::string> Names;
    for (uint32_t Id = 0; Id != Out.Where[R].size(); ++Id)
      Names.push_back(
          steadyName(Out.Where[R].place(Id), Runs.rules(R), Ambiguous));
    Numbers[R] = Matcher.add(R, Out.Where[R], Names);
  }

  std::vector<SharedPlace> Shared = Matcher.byNumber();
  std::map<std::pair<std::string, uint32_t>, PlaceChange> All;
  for (size_t R = 0; R != Runs.size(); ++R)
    for (uint32_t Space = 0; Space != Values[R].Spaces.size(); ++Space)
      for (uint32_t Id = 0; Id != Values[R].Spaces[Space].size(); ++Id) {
        const PlaceValues &V = Values[R].Spaces[Space][Id];
        if (!hasAny(V.Sum))
          continue;
        std::string Name = Runs.trace(R).spaceName(Space).str();
        uint32_t Number = Numbers[R][Id];
        PlaceChange &C = All[{Name, Number}];
        C.Space = Name;
        C.Run = Shared[Number].Run;
        C.Place = Shared[Number].Place;
        C.Runs.resize(Runs.size());
        C.Runs[R].add(V.Sum);
        C.Variances.add(V.Variances);
      }
  for (auto &[Key, C] : All) {
    C.Before = meanOf(Runs.before<StackMetrics>(C.Runs));
    C.After = meanOf(Runs.after<StackMetrics>(C.Runs));
    Out.All.push_back(std::move(C));
  }
  return Out;
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
