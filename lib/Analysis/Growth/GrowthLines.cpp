// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Growth by the lines of the user's own code.

#include "memkit/Analysis/GrowthLines.h"
#include "Analysis/Places/OwnTree.h"
#include "memkit/Trace/Sampling.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include <map>
#include <tuple>

using namespace llvm;

namespace memkit {

namespace {
/// Finds the line that each finding belongs to.
class LineChooser {
public:
  LineChooser(const SelectedStats &S, const Places &Of, const GrowthReport &R)
      : R(R), Tree(S, Of), FindingsOf(Tree.size()) {
    for (uint32_t I = 0; I != R.Found.size(); ++I)
      if (!R.Found[I].IsArenas)
        for (uint32_t C = Tree.ofNode(R.Found[I].Node); C; C = Tree.parent(C))
          FindingsOf[C].push_back(I);
  }

  /// The call of the line that explains the finding; 0: none.
  uint32_t callOf(const Growth &G) const {
    uint32_t First = G.IsArenas ? 0 : Tree.ofNode(G.Node);
    for (uint32_t C = First; C; C = Tree.parent(C))
      if (!runsWithoutGrowth(C, G))
        return C;
    return First;
  }
  const OwnTree &tree() const { return Tree; }

private:
  /// Whether other callers run the same line about as often, and nothing below
  /// grows as G does. Calls of a recursive function below one another are one.
  bool runsWithoutGrowth(uint32_t Call, const Growth &G) const {
    constexpr uint64_t Part = 4;
    uint64_t Others = 0;
    for (uint32_t C : Tree.callsOfLine(Call))
      if (!Tree.isBelow(C, Call) && !Tree.isBelow(Call, C) && !isRecursive(C) &&
          none_of(FindingsOf[C],
                  [&](uint32_t I) { return haveSameCourse(R.Found[I], G); }))
        Others += Tree.allocations(C);
    return Others && Others >= Tree.allocations(Call) / Part;
  }

  /// Whether the same line calls the call, directly or not.
  bool isRecursive(uint32_t Call) const {
    const Place &P = Tree.place(Call);
    for (uint32_t C = Tree.parent(Call); C; C = Tree.parent(C))
      if (const Place &Q = Tree.place(C);
          Q.Line == P.Line && Q.Name == P.Name && Q.File == P.File)
        return true;
    return false;
  }

  /// Growths in different parts of a run have different causes.
  bool haveSameCourse(const Growth &A, const Growth &B) const {
    constexpr double MaxApart = 0.15;
    const GrowthRange &Of = R.Spans[A.Span];
    if ((A.Word == GrowthWord::Grew) != (B.Word == GrowthWord::Grew))
      return false;
    double Max = MaxApart * static_cast<double>(Of.EndNs - Of.BeginNs);
    auto Apart = [](uint64_t X, uint64_t Y) {
      return static_cast<double>(std::max(X, Y) - std::min(X, Y));
    };
    auto Since = [&](const Growth &G) {
      return std::max(G.SinceNs, R.Spans[G.Span].BeginNs);
    };
    // Processes of one program start at different times.
    return A.Span != B.Span || (Apart(Since(A), Since(B)) <= Max &&
                                Apart(A.UntilNs, B.UntilNs) <= Max);
  }

  const GrowthReport &R;
  OwnTree Tree;
  std::vector<std::vector<uint32_t>> FindingsOf; ///< by call: at or below
};

/// A line, and the call of OwnTree that it was found at; 0: none.
struct FoundLine {
  LineGrowth L;
  uint32_t Call = 0;
};

/// Sorts the findings into lines, and joins lines of one cause.
class LineMaker {
public:
  LineMaker(const SelectedStats &S, const Places &Of, const GrowthReport &R)
      : T(S.trace()), S(S), Of(Of), R(R), Chooser(S, Of, R),
        Tree(Chooser.tree()) {}
  std::vector<LineGrowth> run();

private:
  void addFinding(uint32_t Index);
  Place placeOf(const Growth &G, uint32_t Call) const;
  bool isOfOneImport(const Growth &G) const;
  uint32_t callerOf(uint32_t Call) const;
  std::string programOf(uint32_t Process) const;
  void joinArenas();
  void findInner(LineGrowth &L) const;
  void setRate(LineGrowth &L) const;
  uint64_t arenasBelow(const Growth &Arenas, uint32_t Call) const;
  void joinSiblings();
  void joinSiblings(std::vector<FoundLine *> Of);
  bool isSameLine(uint32_t A, uint32_t B) const {
    const Place &P = Tree.place(A), &Q = Tree.place(B);
    return P.Line == Q.Line && P.File == Q.File && P.Name == Q.Name;
  }

  const Trace &T;
  const SelectedStats &S;
  const Places &Of;
  const GrowthReport &R;
  LineChooser Chooser;
  const OwnTree &Tree;
  std::vector<FoundLine> Lines;
  StringMap<uint32_t> Known; ///< indices in Lines
};
} // namespace

static void take(LineGrowth &To, const LineGrowth &L) {
  bool IsFirst = To.Findings.empty();
  auto Earlier = [&](uint64_t A, uint64_t B) {
    return IsFirst ? B : std::min(A, B);
  };
  To.Word = IsFirst ? L.Word : std::min(To.Word, L.Word);
  To.HasSteps = L.HasSteps;
  To.Rate += L.Rate;
  To.Rise += L.Rise;
  To.RiseBlocks += L.RiseBlocks;
  To.Variance += L.Variance;
  To.Bytes += L.Bytes;
  To.Blocks += L.Blocks;
  To.ArenaBytes += L.ArenaBytes;
  To.SinceStep = Earlier(To.SinceStep, L.SinceStep);
  To.SinceNs = Earlier(To.SinceNs, L.SinceNs);
  To.IdleSinceNs = Earlier(To.IdleSinceNs, L.IdleSinceNs);
  To.FreedNs = IsFirst || (To.FreedNs && L.FreedNs)
                   ? std::max(To.FreedNs, L.FreedNs)
                   : 0;
  To.FreedAtExit = L.FreedAtExit && (IsFirst || To.FreedAtExit);
  To.LastStep = std::max(To.LastStep, L.LastStep);
  To.UntilNs = std::max(To.UntilNs, L.UntilNs);
  To.UntilStep = std::max(To.UntilStep, L.UntilStep);
  To.PValue = std::min(To.PValue, L.PValue);
  append_range(To.Processes, L.Processes);
  llvm::sort(To.Processes);
  To.Processes.erase(llvm::unique(To.Processes), To.Processes.end());
  To.Process = To.Processes.front();
  append_range(To.Findings, L.Findings);
}

/// The growth of one finding, without its place.
static LineGrowth lineOf(const Trace &T, const GrowthReport &R,
                         uint32_t Index) {
  const Growth &G = R.Found[Index];
  const GrowthRange &Span = R.Spans[G.Span];
  LineGrowth L;
  L.Word = G.Word;
  L.HasSteps = Span.HasSteps;
  L.Rate = G.Rate;
  L.Rise = G.Rise;
  L.RiseBlocks = G.RiseBlocks;
  L.Variance = T.sampled(G.Heap).variance(G.Rise, G.Bytes, G.Blocks);
  L.Bytes = G.Bytes;
  L.Blocks = G.Blocks;
  L.SinceStep = G.SinceStep ? G.SinceStep : Span.FirstStep;
  L.SinceNs = G.SinceNs ? G.SinceNs : Span.BeginNs;
  L.LastStep = Span.LastStep;
  L.UntilNs = G.UntilNs;
  L.UntilStep = G.UntilStep;
  L.FreedNs = G.FreedNs;
  L.IdleSinceNs = G.IdleSinceNs;
  L.FreedAtExit = G.FreedAtExit;
  L.Process = Span.Process;
  L.Processes = {Span.Process};
  L.PValue = G.PValue;
  L.Findings = {Index};
  return L;
}

Place LineMaker::placeOf(const Growth &G, uint32_t Call) const {
  if (Call)
    return Tree.place(Call);
  if (G.IsArenas) {
    Place Arenas;
    Arenas.Kind = PlaceKind::Category;
    Arenas.Name = Place::Arenas;
    return Arenas;
  }
  return Of.place(Of.of(G.Stack));
}

/// Whether one module has nearly all of the live bytes at the finding's node.
bool LineMaker::isOfOneImport(const Growth &G) const {
  constexpr double NearlyAll = 0.8;
  StringMap<double> Bytes; // by module
  double All = 0, Most = 0;
  S.forEachKey([&](SelectedStats::RowId Id, uint32_t Heap, uint32_t Stack) {
    uint32_t N = Heap == G.Heap ? T.view().leaf(Stack) : 0;
    while (N > G.Node)
      N = T.view().parent(N);
    if (!N || N != G.Node)
      return;
    auto Live = static_cast<double>(S.row(Id).LiveBytes);
    double &Of = Bytes[this->Of.place(this->Of.of(Stack)).Name];
    Of += Live;
    All += Live;
    Most = std::max(Most, Of);
  });
  return Most >= NearlyAll * All;
}

/// The call of another line that calls Call; 0: none.
uint32_t LineMaker::callerOf(uint32_t Call) const {
  uint32_t Caller = Call ? Tree.parent(Call) : 0;
  while (Caller && isSameLine(Caller, Call))
    Caller = Tree.parent(Caller);
  // `python -c`, and the workers of multiprocessing: says nothing.
  return Caller && Tree.place(Caller).File == "<string>" ? 0 : Caller;
}

/// The same for all processes of one program; ranks of a job stay apart.
std::string LineMaker::programOf(uint32_t Process) const {
  const ProcessRecord &P = T.processes()[Process - 1];
  std::string Key = std::to_string(P.Exe) + " " + std::to_string(P.Place.Rank);
  for (uint32_t Argument : P.Command)
    Key += " " + std::to_string(Argument);
  return Key;
}

void LineMaker::addFinding(uint32_t Index) {
  const Growth &G = R.Found[Index];
  const GrowthRange &Span = R.Spans[G.Span];
  uint32_t Call = Chooser.callOf(G);
  // What an import needs is the import's, whichever line imports.
  const Place &Asked = Of.place(Of.of(G.Stack));
  // What a library's pool has touched is the pool's, whichever line mapped it.
  if (!G.IsArenas && (Asked.Kind == PlaceKind::Import || Asked.IsSampled))
    Call = 0;
  Place Where = placeOf(G, Call);
  // Several modules below one line: none of them names the finding.
  if (Asked.Kind == PlaceKind::Import && !isOfOneImport(G))
    Where.Name = "";
  // A line may be in two functions: a comprehension is one of its own.
  std::string Name =
      Where.Kind == PlaceKind::Line ? Of.lineText(Where) : Of.text(Where);
  std::string Key =
      (Twine(Span.HasSteps) + " " + Twine(G.Word == GrowthWord::Grew) + " " +
       programOf(Span.Process) + " " + Name + " " + Where.File)
          .str();
  auto [At, New] = Known.try_emplace(Key, Lines.size());
  if (New) {
    FoundLine &L = Lines.emplace_back();
    L.Call = Call;
    L.L.Where = Where;
    if (uint32_t Caller = callerOf(Call))
      L.L.Caller = Tree.place(Caller);
  }
  take(Lines[At->second].L, lineOf(T, R, Index));
}

/// The bytes of arenas that were mapped at or below the line of Call, or below
/// the line that calls it.
uint64_t LineMaker::arenasBelow(const Growth &Arenas, uint32_t Call) const {
  uint32_t Caller = callerOf(Call);
  uint64_t Bytes = 0;
  for (const ArenaRise &A : R.Arenas) {
    if (A.Group != Arenas.ArenaGroup)
      continue;
    uint32_t At = Tree.ofNode(T.view().leaf(A.Stack));
    while (At && !isSameLine(At, Call) && !(Caller && isSameLine(At, Caller)))
      At = Tree.parent(At);
    Bytes += At ? A.Bytes : 0;
  }
  return Bytes;
}

/// Gives arenas to the line below which most of them were mapped.
void LineMaker::joinArenas() {
  for (FoundLine &From : Lines) {
    if (From.L.Where.Kind != PlaceKind::Category || From.Call ||
        From.L.Findings.empty() || !R.Found[From.L.Findings.front()].IsArenas)
      continue;
    const Growth &Arenas = R.Found[From.L.Findings.front()];
    FoundLine *Most = nullptr;
    uint64_t Bytes = Arenas.Bytes / 2;
    for (FoundLine &To : Lines) {
      if (!To.Call || To.L.isGrowing() != From.L.isGrowing() ||
          To.L.HasSteps != From.L.HasSteps ||
          !is_contained(To.L.Processes, From.L.Process))
        continue;
      if (uint64_t Below = arenasBelow(Arenas, To.Call); Below > Bytes) {
        Bytes = Below;
        Most = &To;
      }
    }
    if (!Most)
      continue;
    From.L.ArenaBytes = From.L.Rise;
    take(Most->L, From.L);
    From.L.Findings.clear();
  }
}

/// Joins lines that the same line calls. If one of them has nearly all bytes,
/// the others belong to it; if they are three or more and none has
/// half, all belong to the caller.
void LineMaker::joinSiblings(std::vector<FoundLine *> Of) {
  constexpr double NearlyAll = 0.95, MaxOfOne = 0.5;
  constexpr size_t Many = 3;
  FoundLine *Most =
      *std::max_element(Of.begin(), Of.end(), [](FoundLine *A, FoundLine *B) {
        return A->L.Rise < B->L.Rise;
      });
  double All = 0;
  for (FoundLine *L : Of)
    All += static_cast<double>(L->L.Rise);
  auto Top = static_cast<double>(Most->L.Rise);
  bool ToCaller = Of.size() >= Many && Top < MaxOfOne * All;
  if (Top < NearlyAll * All && !ToCaller)
    return;
  for (FoundLine *L : Of)
    if (L != Most) {
      Most->L.Joined.push_back(L->L.Where);
      take(Most->L, L->L);
      L->L.Findings.clear();
    }
  if (!ToCaller)
    return;
  Most->L.Joined.push_back(Most->L.Where);
  Most->Call = callerOf(Most->Call);
  Most->L.Where = Tree.place(Most->Call);
  uint32_t Caller = callerOf(Most->Call);
  Most->L.Caller =
      Caller ? std::optional<Place>(Tree.place(Caller)) : std::nullopt;
}

void LineMaker::joinSiblings() {
  std::map<std::tuple<bool, GrowthWord, uint32_t, uint32_t>,
           std::vector<FoundLine *>>
      Siblings;
  for (FoundLine &L : Lines)
    if (uint32_t Caller = callerOf(L.Call); Caller && !L.L.Findings.empty())
      Siblings[{L.L.HasSteps, L.L.Word, L.L.Process, Caller}].push_back(&L);
  for (auto &[Key, Of] : Siblings)
    if (Of.size() > 1)
      joinSiblings(Of);
}

/// The places at which tables count the blocks of L, if a line has most of the
/// blocks, and that line is not L's.
void LineMaker::findInner(LineGrowth &L) const {
  if (L.Where.Kind != PlaceKind::Line)
    return;
  std::map<uint32_t, uint64_t> Rises; // by place
  for (uint32_t Id : L.Findings)
    if (const Growth &G = R.Found[Id]; !G.IsArenas)
      G.forEachPart([&](uint32_t Stack, uint64_t Bytes) {
        Rises[Of.of(Stack)] += Bytes;
      });
  std::vector<std::pair<uint64_t, uint32_t>> Sorted;
  for (auto [At, Rise] : Rises)
    Sorted.push_back({Rise, At});
  llvm::sort(Sorted, std::greater<>());
  auto IsOfL = [&](const Place &P) {
    return P.Line == L.Where.Line && P.File == L.Where.File;
  };
  if (Sorted.empty() ||
      Of.place(Sorted.front().second).Kind != PlaceKind::Line ||
      IsOfL(Of.place(Sorted.front().second)))
    return;
  for (auto [Rise, At] : Sorted)
    if (const Place &P = Of.place(At); P.Kind == PlaceKind::Line && !IsOfL(P)) {
      L.Inner.push_back(P);
      L.InnerRises.push_back(Rise);
    }
}

/// The rate over the time of all processes: rates add up only where processes
/// run at the same time.
void LineMaker::setRate(LineGrowth &L) const {
  if (L.HasSteps || L.Processes.size() < 2 || L.UntilNs <= L.SinceNs)
    return;
  double Bytes = 0;
  for (uint32_t Id : L.Findings) {
    LineGrowth One = lineOf(T, R, Id);
    Bytes += One.Rate * static_cast<double>(One.UntilNs -
                                            std::min(One.SinceNs, One.UntilNs));
  }
  L.Rate = std::min(L.Rate, Bytes / static_cast<double>(L.UntilNs - L.SinceNs));
}

std::vector<LineGrowth> LineMaker::run() {
  for (uint32_t I = 0; I != R.Found.size(); ++I)
    addFinding(I);
  joinSiblings();
  joinArenas();
  std::vector<LineGrowth> Out;
  for (FoundLine &L : Lines)
    if (!L.L.Findings.empty()) {
      findInner(L.L);
      setRate(L.L);
      Out.push_back(std::move(L.L));
    }
  stable_sort(Out, [](const LineGrowth &A, const LineGrowth &B) {
    return std::tuple(A.Word, !A.HasSteps, B.Rise) <
           std::tuple(B.Word, !B.HasSteps, A.Rise);
  });
  return Out;
}

std::vector<LineGrowth> growthLines(const SelectedStats &S, const Places &Of,
                                    const GrowthReport &R) {
  if (R.Found.empty())
    return {};
  return LineMaker(S, Of, R).run();
}

} // namespace memkit
