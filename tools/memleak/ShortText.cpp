// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// memleak's answer: one finding for each of the user's lines.

#include "Cli/Advice.h"
#include "Cli/ToolMain.h"
#include "GrowthText.h"
#include "Report/GrowthSentences.h"
#include "Report/HolderSentences.h"
#include "Support/CommandText.h"
#include "Support/Table.h"
#include "memkit/Model/Imported.h"
#include "memkit/Support/Format.h"
#include "memkit/Trace/CensusNames.h"
#include "memkit/Trace/Sampling.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/WithColor.h"
#include <map>

using namespace llvm;

namespace memkit {

namespace {
/// Prints the answer on a trace.
class ShortPrinter {
public:
  ShortPrinter(raw_ostream &OS, const LeakView &V)
      : OS(OS), V(V), Where(*V.Where) {
    if (V.Kinds & FK_Growth)
      Lines = growthLines(V.S, Where, V.R.Growth);
  }
  void print();

private:
  void say(const Twine &Text);
  void printLine(const LineGrowth &L);
  void printGrowth();
  void printExits();
  void printLost();
  bool isLost(uint32_t Stack) const;
  void printOutliers();
  void printRest();
  void printImported();
  std::string layersOf(const LineGrowth &L) const;
  std::string holdersOf(const LineGrowth &L) const;
  bool isOfGrowth(const ShownFrame &F) const;
  bool isOfGrowth(uint32_t Stack);
  NamedSums sumExits();

  raw_ostream &OS;
  const LeakView &V;
  const Places &Where;
  std::vector<LineGrowth> Lines;
  /// Whether the way from a node of the stacks goes through a line that grows.
  DenseMap<uint32_t, bool> GrowthWays;
};
} // namespace

std::string ShortPrinter::layersOf(const LineGrowth &L) const {
  NamedSums Sums;
  auto IsOfLine = [&](const LeakFinding &F) {
    return F.Kind == FK_Growth && is_contained(L.Findings, F.Place);
  };
  // The blocks of malloc in which tensors lie have the same bytes.
  auto IsOfTensors = [&](const LeakFinding &F) {
    return V.T.heap(F.Heap).Parent != 0;
  };
  bool HasTensors = any_of(V.R.All, [&](const LeakFinding &F) {
    return IsOfLine(F) && IsOfTensors(F);
  });
  for (const LeakFinding &F : V.R.All)
    if (IsOfLine(F) && (!HasTensors || IsOfTensors(F)))
      for (auto [Layer, Bytes] : F.Layers)
        Sums.add(V.T.string(Layer).str(), Bytes);
  return listText(Sums.sorted(), 3);
}

/// The names of Python that hold the blocks of the line.
std::string ShortPrinter::holdersOf(const LineGrowth &L) const {
  // A tensor and its block of malloc have one holder.
  std::map<std::string, HeldPath> By;
  for (const LeakFinding &F : V.R.All)
    if (F.Kind == FK_Growth && is_contained(L.Findings, F.Place))
      for (const HeldPath &P : F.HeldBy) {
        HeldPath &Most = By.try_emplace(P.Path, P).first->second;
        if (P.Bytes > Most.Bytes)
          Most = P;
      }
  std::vector<HeldPath> Paths;
  for (const auto &[Path, Is] : By)
    Paths.push_back(Is);
  stable_sort(Paths, [](const HeldPath &A, const HeldPath &B) {
    return A.Bytes > B.Bytes;
  });
  if (!Paths.empty())
    return "held by " + holdersText(Paths);
  if (L.Findings.empty())
    return "";
  const Growth &G = V.R.Growth.Found[L.Findings.front()];
  return G.FreedAtExit || G.IsArenas
             ? ""
             : noHolderText(V.T, V.R.Searches, L.Process);
}

/// Prints a line of a finding, wrapped below the finding's first line.
void ShortPrinter::say(const Twine &Text) {
  printWrapped(OS, Text.str(), V.Width, 2);
}

/// `Nothing grows`, `Nothing else grows`, `Nothing new grows`.
static std::string nothingText(const LeakView &V, bool SomethingGrows) {
  if (SomethingGrows)
    return "Nothing else grows";
  return V.R.GrowthInBaseline ? "Nothing new grows" : "Nothing grows";
}

void ShortPrinter::printLine(const LineGrowth &L) {
  std::string Of = L.Processes.size() == 1 ? processText(V.T, L.Process) : "";
  std::string Amount = amountText(L);
  {
    std::optional<WithColor> Red;
    if (L.Word == GrowthWord::Leak)
      Red.emplace(OS, raw_ostream::RED);
    say(wordText(L) + "  " + Where.text(L.Where) + Of +
        (Amount.empty() ? "" : "  " + Amount));
  }
  if (!L.isGrowing())
    return;
  const std::string Indent(6, ' ');
  if (!L.Where.Source.empty())
    say(Indent + oneLine(L.Where.Source));
  std::string Since = sinceText(V.R.Growth, L);
  if (L.Caller)
    Since += "; called by " + Where.text(*L.Caller);
  say(Indent + Since);
  if (std::string Text = innerText(Where, L); !Text.empty())
    say(Indent + "allocated by: " + Text);
  if (std::string Text = contentsText(V.T, Where, V.R.Growth, L); !Text.empty())
    say(Indent + "holds: " + Text);
  if (std::string Text = layersOf(L); !Text.empty())
    say(Indent + "layers: " + Text);
  if (std::string Text = holdersOf(L); !Text.empty())
    say(Indent + Text);
  if (L.ArenaBytes)
    say(Indent + "its own blocks " + formatSize(L.Rise - L.ArenaBytes) +
        ", arenas below it " + formatSize(L.ArenaBytes) +
        ": memrec --python-objects names the objects");
  if (V.R.Growth.Found[L.Findings.front()].IsArenas) {
    const Growth &G = V.R.Growth.Found[L.Findings.front()];
    std::optional<Place> Most = Where.ofFrames(V.T.shownStack(G.Stack));
    say(Indent + "small objects" +
        (Most ? ", most arenas mapped below " + Where.text(*Most)
              : std::string()) +
        "; memrec --python-objects records the line of each object");
  }
  StringRef Bounded = V.R.Growth.Found[L.Findings.front()].Bounded;
  if (!Bounded.empty() && L.Word == GrowthWord::Grows)
    say(Indent + "may fill " + Bounded);
  if (std::optional<LeakHint> Hint = findHint(V.T, V.R.Growth, L))
    say(Indent + "hint: " + hintText(*Hint));
}

void ShortPrinter::printGrowth() {
  const GrowthReport &G = V.R.Growth;
  if (G.Spans.empty())
    return;
  auto IsGrowing = [](const LineGrowth &L) { return L.isGrowing(); };
  // Imports end when they are done.
  erase_if(Lines, [](const LineGrowth &L) {
    return !L.isGrowing() && L.Where.Kind == PlaceKind::Import;
  });
  ArrayRef<LineGrowth> Shown = Lines, Ended = Lines;
  Shown = Shown.take_while(IsGrowing);
  Ended = Ended.drop_front(Shown.size());
  constexpr size_t Usual = 3;
  if (size_t Max = V.MaxGiven ? V.Max : Usual) {
    Shown = Shown.take_front(Max);
    Ended = Ended.take_front(Max);
  }
  for (const LineGrowth &L : Shown)
    printLine(L);
  if (any_of(Shown, [](const LineGrowth &L) {
        return L.Word == GrowthWord::Grows && !L.HasSteps;
      }))
    say("      " + undecidedText());
  size_t Growing = count_if(Lines, IsGrowing);
  if (size_t Left = Growing - std::min(Growing, Shown.size()))
    OS << plural(Left, "other line") << (Left == 1 ? " grows" : " grow")
       << "; --top=0 shows " << (Left == 1 ? "it" : "all") << '\n';
  else
    say(nothingText(V, Growing != 0) + " (measured: " + spanText(G) + ")" +
        notSeenText(V.T, G));
  for (const OutsideRise &O : V.R.Outside)
    say(outsideText(V.T, O));
  for (const LineGrowth &L : Ended)
    printLine(L);
}

bool ShortPrinter::isOfGrowth(const ShownFrame &F) const {
  auto Is = [&](const Place &P) {
    return P.Line == F.Line && P.Name == F.Function && P.File == F.File;
  };
  return F.Line && any_of(Lines, [&](const LineGrowth &L) {
           return L.isGrowing() && (Is(L.Where) || any_of(L.Joined, Is));
         });
}

/// Whether the stack goes through a line that grows. Stacks share their ways,
/// so that each node is looked at once.
bool ShortPrinter::isOfGrowth(uint32_t Stack) {
  const StackView &Tree = V.T.view();
  SmallVector<uint32_t, 64> Way;
  bool Is = false;
  for (uint32_t Node = Tree.leaf(Stack); Node && !Is;
       Node = Tree.parent(Node)) {
    auto Known = GrowthWays.find(Node);
    if (Known != GrowthWays.end()) {
      Is = Known->second;
      break;
    }
    Way.push_back(Node);
    Is = any_of(V.T.shown(Tree.frameOf(Node)),
                [&](const ShownFrame &F) { return isOfGrowth(F); });
  }
  for (uint32_t Node : Way)
    GrowthWays[Node] = Is;
  return Is;
}

/// The blocks live at the end by place; all imports are one.
NamedSums ShortPrinter::sumExits() {
  NamedSums Sums;
  size_t Growing =
      count_if(Lines, [](const LineGrowth &L) { return L.isGrowing(); });
  bool AreLeaks = none_of(
      Lines, [](const LineGrowth &L) { return L.Word == GrowthWord::Grows; });
  std::string GrowthName =
      AreLeaks ? (Growing == 1 ? "the leak above" : "the leaks above")
               : "the growth above";
  for (const Leak &L : V.R.Exit.Leaks) {
    const Place &P = Where.place(Where.of(L.Stack));
    std::string Name = P.Kind == PlaceKind::Import ? std::string("imports")
                       : isOfGrowth(L.Stack)       ? GrowthName
                                                   : Where.text(P);
    Sums.add(Name, L.Bytes, L.Blocks);
  }
  return Sums;
}

void ShortPrinter::printExits() {
  const LeakReport &R = V.R.Exit;
  std::string When = V.At.empty() ? "at the end" : "at " + V.At.str();
  std::string What = "Live " + When;
  if (ImportedFrom From = importedFrom(V.T.header()); From.isMoment()) {
    // Nothing is said of an end that the trace does not have.
    When = "in the recording";
    What = momentWords(From).str();
    What[0] = toUpper(What[0]);
  }
  if (R.Leaks.empty()) {
    OS << (V.R.InBaseline ? "No new leaks" : "Nothing was live") << ' ' << When
       << '\n';
    return;
  }
  std::vector<NamedBytes> Sums = sumExits().sorted();
  OS << What << ": " << formatEstimate(R.Bytes, standardError(R.Variance))
     << " in " << plural(R.Blocks, "block") << '\n';
  constexpr size_t Usual = 4;
  size_t Max = V.MaxGiven ? (V.Max ? V.Max : Sums.size()) : Usual;
  Table T({{"", Table::Side::Right},
           {"", Table::Side::Right},
           {"", Table::Side::Left, true}});
  T.hideTitles();
  for (const NamedBytes &N : ArrayRef(Sums).take_front(Max))
    T.add({"      " + formatSize(N.Bytes), plural(N.Blocks, "block"), N.Name});
  uint64_t Left = 0, Blocks = 0;
  for (const NamedBytes &N :
       ArrayRef(Sums).drop_front(std::min(Max, Sums.size())))
    Left += N.Bytes, Blocks += N.Blocks;
  if (Sums.size() > Max)
    T.add({"      " + formatSize(Left), plural(Blocks, "block"),
           plural(Sums.size() - Max, "other place")});
  T.print(OS, V.Width);
}

/// Whether the blocks of the stack lived before the recording, and no pointer
/// led to them then.
bool ShortPrinter::isLost(uint32_t Stack) const {
  const StackView &Tree = V.T.view();
  uint32_t First = 0, Second = 0; // the outermost nodes
  for (uint32_t Node = Tree.leaf(Stack); Node; Node = Tree.parent(Node)) {
    Second = First;
    First = Node;
  }
  auto NameOf = [&](uint32_t Node) {
    return Node ? V.T.shown(Tree.frameOf(Node)).front().Function : StringRef();
  };
  return NameOf(First) == NoPointerLeads ||
         (NameOf(First) == LivedBefore && NameOf(Second) == NoPointerLeads);
}

void ShortPrinter::printLost() {
  uint64_t Bytes = 0, Blocks = 0;
  NamedSums Kinds;
  for (const Leak &L : V.R.Exit.Leaks) {
    if (!isLost(L.Stack))
      continue;
    Bytes += L.Bytes;
    Blocks += L.Blocks;
    const StackView &Tree = V.T.view();
    StringRef Kind =
        V.T.shown(Tree.frameOf(Tree.leaf(L.Stack))).front().Function;
    Kinds.add(Kind == NoPointerLeads ? "of unknown kind" : Kind.str(), L.Bytes);
  }
  if (!Blocks)
    return;
  OS << "Lost: " << formatSize(Bytes) << " in " << plural(Blocks, "block")
     << ", to which no pointer leads: " << listText(Kinds.sorted(), 3) << '\n';
}

void ShortPrinter::printOutliers() {
  constexpr size_t Max = 3;
  for (const Outlier &O : ArrayRef(V.R.Outliers).take_front(Max))
    OS << "Forgotten: " << formatSize(O.Bytes) << " in "
       << plural(O.Blocks, "block") << " of " << formatCount(O.Allocations)
       << " at " << Where.text(Where.place(Where.of(O.Stack))) << '\n';
  if (V.R.Outliers.size() > Max)
    OS << plural(V.R.Outliers.size() - Max, "other stack")
       << " with forgotten blocks: memleak -v --kind=outlier\n";
  if (V.Kinds == FK_Outlier && V.R.Outliers.empty())
    OS << "No outliers\n";
}

void ShortPrinter::printRest() {
  uint64_t Named = 0;
  for (const LeakFinding &F : V.R.All)
    for (const HeldPath &P : F.HeldBy)
      Named += P.Bytes;
  if (std::string Text = earlierSearchText(V.T, V.R.Searches, Named);
      !Text.empty())
    say(Text);
  printHiddenShort(OS, V);
  if (!V.R.All.empty())
    OS << "Stacks and statistics: memleak -v\n";
}

/// What the trace cannot tell, before what it can.
void ShortPrinter::printImported() {
  if (std::string Text = unknownText(V); !Text.empty())
    say(Text);
}

void ShortPrinter::print() {
  printImported();
  if (uint64_t Lost = V.T.lostEvents())
    OS << plural(Lost, "event") << " lost: leaks may be wrong\n";
  if (V.Kinds & FK_Growth)
    printGrowth();
  if (V.Kinds & FK_Exit) {
    if (importedFrom(V.T.header()).isCensus()) {
      printLost();
      printExits();
    } else {
      printExits();
      printLost();
    }
  }
  if (V.Kinds & FK_Outlier)
    printOutliers();
  printRest();
}

void printShort(raw_ostream &OS, const LeakView &V) {
  ShortPrinter(OS, V).print();
}

void printShortMarkdown(raw_ostream &OS, const LeakView &V) {
  std::string Text;
  raw_string_ostream To(Text);
  printShort(To, V);
  for (StringRef Line : split(StringRef(Text).rtrim(), '\n')) {
    OS << (Line.starts_with(" ") ? "  - " : "- ");
    // Columns lie at least two blanks apart.
    SmallVector<StringRef, 4> Cells;
    Line.trim().split(Cells, "  ", -1, /*KeepEmpty=*/false);
    ListSeparator Comma;
    for (StringRef Cell : Cells)
      OS << Comma << markdownText(Cell.trim());
    OS << '\n';
  }
}

} // namespace memkit
