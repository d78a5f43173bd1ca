// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sentences and rows of a first screen.

#include "FirstScreen.h"
#include "GapSentences.h"
#include "GrowthSentences.h"
#include "OomSentences.h"
#include "ResidentSentences.h"
#include "Support/CommandText.h"
#include "Support/Table.h"
#include "TraceText/EnumNames.h"
#include "memkit/Analysis/HeapOverview.h"
#include "memkit/Model/Imported.h"
#include "memkit/Support/Format.h"
#include "memkit/Trace/CensusNames.h"
#include "llvm/ADT/STLExtras.h"
#include <csignal>
#include <cstring>

using namespace llvm;

namespace memkit {

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

static std::string programText(const PageInput &F) {
  std::string Name = oneLine(queryProgram(F.T, &F.Sel));
  if (Name.empty())
    Name = oneLine(importedFrom(F.T.header()).File);
  return Name.empty() ? "the program" : Name;
}

/// Whether the trace is one moment of a run.
static bool isMoment(const PageInput &F) {
  return importedFrom(F.T.header()).isMoment();
}

/// `at 17.7 s, step 59`.
static std::string whenText(const PageInput &F, uint64_t TimeNs) {
  std::string Text = "at " + formatTime(TimeNs);
  if (std::optional<uint64_t> Step = stepAt(F.T, TimeNs))
    Text += ", step " + std::to_string(*Step);
  return Text;
}

static std::vector<Subject> wholeSpaces(const PageInput &F) {
  std::vector<Subject> Out;
  for (const SpaceReport &S : F.R.Spaces) {
    Subject Of{S.Name.str(),       S.Id, S.Stats.PeakBytes, S.Stats.LiveBytes,
               S.Stats.PeakTimeNs, {}};
    if (F.O.Curves && S.Id < F.O.Curves->Spaces.size())
      Of.Curve = F.O.Curves->Spaces[S.Id];
    Out.push_back(std::move(Of));
  }
  return Out;
}

/// The selection's part of each memory space; a single heap has its own peak.
static std::vector<Subject> selectedParts(const PageInput &F) {
  std::vector<Subject> Out(F.R.Spaces.size());
  for (const PlaceStats &P : F.O.Places) {
    Out[P.Space].PeakBytes += P.PeakBytes;
    Out[P.Space].LiveBytes += P.LiveBytes;
  }
  if (std::optional<uint32_t> Only = onlyProcess(F.T, F.Sel))
    for (uint32_t Space = 0; Space != Out.size() && !F.OfHeaps; ++Space)
      Out[Space].PeakBytes = peakOfProcess(F.T, *Only, Space);
  for (uint32_t Space = 0; Space != Out.size(); ++Space) {
    Subject &S = Out[Space];
    S.Space = Space;
    S.Name = ((F.OfHeaps ? "selected heaps of " : "selected processes, ") +
              F.R.Spaces[Space].Name)
                 .str();
    const HeapOverview *Only = nullptr;
    size_t Count = 0;
    for (const HeapOverview &H : F.O.Heaps)
      if (H.Heap && H.Space == Space && ++Count)
        Only = &H;
    if (!F.OfHeaps || Count != 1)
      continue;
    S.Name = F.heapName(Only->Heap).str();
    S.PeakTimeNs = Only->Stats.PeakTimeNs;
    if (F.O.Curves && Only->Heap < F.O.Curves->Highest.size())
      S.Curve = F.O.Curves->Highest[Only->Heap];
  }
  return Out;
}

std::vector<Subject> subjectsOf(const PageInput &F) {
  std::vector<Subject> All = F.Whole ? wholeSpaces(F) : selectedParts(F);
  erase_if(All, [](const Subject &S) { return S.PeakBytes == 0; });
  return All;
}

const Subject &largest(ArrayRef<Subject> All) {
  return *llvm::max_element(All, [](const Subject &A, const Subject &B) {
    return A.PeakBytes < B.PeakBytes;
  });
}

/// How the program ended, if by a signal.
static std::string deathText(const PageInput &F) {
  for (const ProcessReport &P : F.R.Processes)
    if (P.Stats && P.Stats->Ended && P.Stats->Signal &&
        (P.Parent == 0 || P.Id == F.R.Program))
      return P.Stats->Signal == SIGINT
                 ? std::string("interrupted")
                 : "killed by signal " + std::to_string(P.Stats->Signal) +
                       " (" + strsignal(int(P.Stats->Signal)) + ")";
  return "";
}

//===----------------------------------------------------------------------===//
// Verdict
//===----------------------------------------------------------------------===//

bool isNamed(const PageInput &F, ArrayRef<Subject> All) {
  return !F.Whole || All.size() > 1 || All.front().Space != 0;
}

/// Whether the program may have done no more than start.
static bool isShort(const PageInput &F) {
  constexpr uint64_t LongStartNs = 3'000'000'000;
  return F.R.EndNs < LongStartNs;
}

/// Whether an import runs in a stack.
static bool isInImport(const Trace &T, uint32_t Stack) {
  for (uint32_t Node = T.leaf(Stack); Node; Node = T.parent(Node))
    if (any_of(T.unfolded(T.frameOf(Node)), [](const ShownFrame &F) {
          return F.IsPython && F.File.starts_with("<frozen importlib");
        }))
      return true;
  return false;
}

/// Whether it may only be the start of a program that has not run longer: it
/// imports modules, also its own, and the arenas of Python fill meanwhile.
static bool mayBeStart(const PageInput &F, const LineGrowth &L) {
  return L.Word == GrowthWord::Grows && !L.HasSteps && isShort(F) &&
         (L.Where.Kind == PlaceKind::Import || L.Where.isArenas() ||
          2 * L.ArenaBytes >= L.Rise || all_of(L.Findings, [&](uint32_t I) {
            return isInImport(F.T, F.O.Growth.Found[I].Stack);
          }));
}

/// What grows by a thousandth of the peak or more, of a program that ran
/// shortly by a tenth; memleak reports the rest.
static std::vector<LineGrowth> growing(const PageInput &F) {
  constexpr uint64_t Part = 1000, PartOfShort = 10;
  auto IsLarge = [&](const LineGrowth &L) {
    bool IsSure = L.Word == GrowthWord::Leak || L.HasSteps || !isShort(F);
    uint64_t Peak = F.T.hostStats().PeakBytes;
    return L.Rise >= Peak / (IsSure ? Part : PartOfShort);
  };
  std::vector<LineGrowth> Out;
  for (const LineGrowth &L : F.O.Growing)
    if (L.isGrowing() && IsLarge(L) && !mayBeStart(F, L))
      Out.push_back(L);
  return Out;
}

/// The answer in one sentence.
static std::string verdict(const PageInput &F, ArrayRef<Subject> All) {
  std::string Text = programText(F) + ": ";
  if (All.empty())
    return Text + (F.Whole ? "no memory was recorded"
                           : "nothing that was selected lived at a peak");
  const Subject &S = largest(All);
  if (isMoment(F))
    return Text + (isNamed(F, All) ? S.Name + " " : "") +
           formatSize(S.LiveBytes) + " " +
           momentWords(importedFrom(F.T.header())).str();
  Text +=
      (isNamed(F, All) ? S.Name + " " : "") + "peak " + formatSize(S.PeakBytes);
  if (S.PeakTimeNs)
    Text += " " + whenText(F, *S.PeakTimeNs);
  bool IsKilled = F.O.Oom && F.O.Oom->Event.What.Kind == OomKind::Killed;
  if (IsKilled)
    Text += "; killed by the kernel: out of memory";
  else if (uint64_t Ooms = F.R.OomFailures)
    Text += "; out of memory " +
            (Ooms == 1 ? std::string("once") : formatCount(Ooms) + " times");
  if (std::string Death = deathText(F); !Death.empty() && !IsKilled)
    Text += "; " + Death;
  if (std::vector<LineGrowth> All = growing(F); !All.empty()) {
    const LineGrowth &L = All.front();
    Text += "; " + wordText(L) + " " + rateText(L) + ": " +
            placeText(*F.O.Where, L);
  }
  return Text;
}

/// The exit status of the program, if it is not 0.
static std::string statusText(const PageInput &F) {
  for (const ProcessReport &P : F.R.Processes)
    if (P.Id == F.R.Program && P.Stats && P.Stats->Ended && !P.Stats->Signal &&
        P.Stats->ExitStatus > 0)
      return ", exit status " + std::to_string(P.Stats->ExitStatus);
  return "";
}

/// Whether the trace has what lived before memrec attached.
static bool hasBefore(const Trace &T) {
  for (uint32_t Id = 1; Id <= T.numFunctions(); ++Id)
    if (T.string(T.function(Id).Name) == LivedBefore)
      return true;
  return false;
}

static std::string runText(const PageInput &F) {
  const RunReport &R = F.R;
  if (isMoment(F))
    return "one moment, " + plural(R.Allocations, "block");
  std::string Line = formatTime(R.EndNs);
  if (R.Steps)
    Line += ", " + plural(R.Steps, "step");
  if (size_t Count = R.Processes.size() - R.NumLaunchers;
      Count > 1 || R.NumLaunchers > 1)
    Line +=
        ", " + (Count == 1 ? "1 process" : formatCount(Count) + " processes");
  if (R.NumLaunchers > 1)
    Line += " (and " + formatCount(R.NumLaunchers) + " that only launched it)";
  if (R.Run.Rank >= 0)
    Line += ", rank " + std::to_string(R.Run.Rank) + " of " +
            std::to_string(R.Run.WorldSize);
  Line += ", " + plural(R.Allocations - R.OldBlocks, "allocation") + ", ";
  if (R.OldBlocks)
    Line += plural(R.OldBlocks, "block") + " from before, ";
  Line += R.Lost ? plural(R.Lost, "event") + " lost" : "nothing lost";
  Line += statusText(F);
  if (is_contained(F.T.header().Options, "attached=1"))
    Line += hasBefore(F.T) ? "; attached to"
                           : "; attached to: without what lived before";
  return Line;
}

/// What a subject has at the peak and at the end.
static std::string subjectText(const Subject &S, const PageInput &F) {
  std::string Text = S.Name + " " + formatSize(S.PeakBytes) +
                     (S.PeakTimeNs ? " " + whenText(F, *S.PeakTimeNs) : "");
  // Processes end at different times, so the sum of the bytes that were live at
  // their ends may be above the peak.
  if (S.LiveBytes > S.PeakBytes)
    return Text + "; the processes ended with " + formatSize(S.LiveBytes) +
           " in all";
  return Text + ", " + formatSize(S.LiveBytes) + " at the end";
}

/// The recording that the trace was made of, and what it cannot tell.
static void
addImportRows(const PageInput &F,
              function_ref<void(StringRef, const std::string &)> Add) {
  ImportedFrom From = importedFrom(F.T.header());
  if (!From)
    return;
  if (From.isCensus())
    Add("census", "what lived in a process that ran, by who held it");
  else
    Add("imported", "from " + formatWords(From.Format) +
                        (From.File.empty() ? "" : ", " + oneLine(From.File)));
  std::string Text;
  for (Lack L : From.Lacks)
    if (isOfFirstScreen(L))
      Text += (Text.empty() ? "" : "; ") + lackSentence(L).str();
  Add("limits", Text);
}

/// `imports: torch, numpy`, the largest modules first.
static std::string importText(const PageInput &F,
                              ArrayRef<const PlaceStats *> Imports) {
  constexpr size_t MaxNames = 3;
  std::string Names;
  size_t Count = 0;
  uint64_t Whole = 0;
  for (const PlaceStats *P : Imports)
    Whole += P->PeakBytes;
  for (const PlaceStats *P : Imports) {
    StringRef Name = F.O.Where->place(P->Place).Name;
    bool IsSmall = P->PeakBytes < Whole / 20;
    if (Name.empty() || (IsSmall && Count))
      continue;
    if (++Count > MaxNames)
      continue;
    Names += (Names.empty() ? "" : ", ") + Name.str();
  }
  if (Count > MaxNames)
    Names += ", ...";
  return Names.empty() ? "imports" : "imports: " + Names;
}

std::vector<PlaceRow> placeRows(const PageInput &F, uint32_t Space) {
  std::vector<PlaceRow> Rows;
  std::vector<const PlaceStats *> Imports;
  PlaceRow Imported;
  for (const PlaceStats &P : F.O.Places) {
    if (P.Space != Space || !P.PeakBytes)
      continue;
    const Place &At = F.O.Where->place(P.Place);
    if (At.Kind == PlaceKind::Import) {
      Imports.push_back(&P);
      Imported.Bytes += P.PeakBytes;
    } else {
      Rows.push_back(
          {F.O.Where->text(At), oneLine(At.Source), P.PeakBytes, At.Kind});
    }
  }
  if (Imported.Bytes) {
    Imported.Kind = PlaceKind::Import;
    Imported.Text = importText(F, Imports);
    Rows.push_back(std::move(Imported));
  }
  stable_sort(Rows, [](const PlaceRow &A, const PlaceRow &B) {
    return A.Bytes > B.Bytes;
  });
  return Rows;
}

/// `train.py:46 Block.forward 44 %, imports 20 %`: what holds most of a peak.
static std::string holderText(const PageInput &F, const Subject &Of) {
  constexpr size_t Max = 3;
  std::string Text;
  std::vector<PlaceRow> Rows = placeRows(F, Of.Space);
  for (const PlaceRow &R :
       ArrayRef(Rows).take_front(std::min(Max, Rows.size())))
    if (R.Bytes >= Of.PeakBytes / 20)
      Text += (Text.empty() ? "" : ", ") + R.Text + " " +
              formatShare(R.Bytes, Of.PeakBytes);
  return Text;
}

/// What lived before the recording without a holder, if it matters.
static std::string unheldText(const PageInput &F, const Subject &Of) {
  constexpr uint64_t LeastShare = 200;
  for (const PlaceStats &P : F.O.Places)
    if (F.O.Where->place(P.Place).Name == NoPointerLeads && P.LiveBytes &&
        P.LiveBytes >= Of.LiveBytes / LeastShare)
      return formatSize(P.LiveBytes) +
             " to which no pointer led: memleak tells what it is";
  return "";
}

/// The largest names of Python that hold blocks.
static std::string namesText(const PageInput &F, const Subject &Of) {
  constexpr size_t Max = 3;
  std::string Text;
  size_t Count = 0;
  for (const HeldPath &P : F.O.Names) {
    if (P.Bytes < Of.PeakBytes / 100 || Count == Max)
      break;
    if (P.Bits & HeldByNoName)
      continue;
    Text += (Count++ ? ", " : "") + heldByText(P) + " " + formatSize(P.Bytes);
  }
  return Text;
}

std::string verdictText(const PageInput &F) {
  return verdict(F, subjectsOf(F));
}

/// Why memory ran out, what held it then, and what to change.
static void addOomRows(const PageInput &F,
                       function_ref<void(StringRef, const std::string &)> Add) {
  uint64_t Times = F.R.OomFailures;
  if (!Times)
    return;
  if (!F.O.Oom)
    return Add("! out of memory", plural(Times, "time"));
  const OomMoment &M = *F.O.Oom;
  std::string Reason = oomReason(F.T, *F.O.Where, M);
  Add("! out of memory",
      Times == 1 ? Reason : plural(Times, "time") + ", at last: " + Reason);
  Add("held then", oomHolders(*F.O.Where, M));
  Add("tensors then", oomTensors(F.T, M));
  Add("to change", oomAdvice(F.T, *F.O.Where, M));
}

/// The last alert, and what held the memory then.
static void
addAlertRows(const PageInput &F,
             function_ref<void(StringRef, const std::string &)> Add) {
  if (F.O.Alerts.empty())
    return;
  const RaisedAlert &A = F.O.Alerts.back();
  std::string Text = A.Text.str() + " at " + formatTime(A.TimeNs);
  if (F.O.Alerts.size() > 1)
    Text = plural(F.O.Alerts.size(), "alert") + ", the last: " + Text;
  std::string Held;
  if (F.O.Where)
    for (auto [Stack, Bytes] : A.Top) {
      std::string Place =
          F.O.Where->text(F.O.Where->place(F.O.Where->of(Stack)));
      if (!StringRef(Held).contains(Place))
        Held += (Held.empty() ? "; held by " : ", ") + Place + " " +
                formatSize(Bytes);
    }
  Add("! alert", Text + Held);
}

/// `PyTorch 2.13.0, NumPy 2.4.0, Python 3.11.2`: the frameworks that the
/// program has loaded.
static std::string frameworksText(ArrayRef<StringRef> Versions) {
  static constexpr std::pair<StringLiteral, StringLiteral> Frameworks[] = {
      {"torch", "PyTorch"}, {"tensorflow", "TensorFlow"},
      {"keras", "Keras"},   {"jax", "JAX"},
      {"cuda", "CUDA"},     {"cupy", "CuPy"},
      {"numpy", "NumPy"},   {"python", "Python"}};
  std::string Text;
  for (const auto &[Name, Shown] : Frameworks) {
    std::string All;
    for (StringRef Version : Versions)
      if (Version.consume_front(Name) && Version.consume_front("="))
        All += (All.empty() ? "" : " and ") + Version.str();
    if (!All.empty())
      Text += (Text.empty() ? "" : ", ") + Shown.str() + " " + All;
  }
  return Text;
}

std::vector<HeadRow> headRows(const PageInput &F) {
  std::vector<Subject> All = subjectsOf(F);
  std::vector<HeadRow> Rows;
  auto Add = [&](StringRef Label, const std::string &Text) {
    bool NeedsLook = Label.consume_front("! ");
    if (!Text.empty())
      Rows.push_back({Label.str(), Text, NeedsLook});
  };
  // A program may be on the command line itself.
  constexpr unsigned MaxCommand = 160;
  Add("command", shorten(commandText(F.R.Run.Command), MaxCommand));
  addImportRows(F, Add);
  Add("with", frameworksText(F.O.Versions));
  Add("run", runText(F));
  addOomRows(F, Add);
  addAlertRows(F, Add);
  Add("! gap", gapWarning(F.T, F.O.Gaps));
  for (const Subject &S : All)
    if (isMoment(F))
      Add(momentWords(importedFrom(F.T.header())),
          S.Name + " " + formatSize(S.LiveBytes));
    else
      Add("peak", subjectText(S, F));
  if (!All.empty())
    Add("held by", holderText(F, largest(All)));
  if (!All.empty())
    Add("names", namesText(F, largest(All)));
  if (!All.empty())
    Add("unheld", unheldText(F, largest(All)));
  Add("own", ownText(F));
  if (F.R.MaxRss)
    Add("resident", residentText(F));
  if (!F.R.IsComplete)
    Add(F.T.isBeingRecorded() ? "trace" : "! trace",
        (F.T.isBeingRecorded() ? "still being recorded: this is the run up to "
                               : "not complete: this is the run up to ") +
            formatTime(F.R.EndNs));
  for (const Heap &H : F.T.heaps())
    if (uint64_t Bytes = H.estimateBytes())
      Add("sampled", F.T.string(H.Name).str() + ", one byte in " +
                         formatSize(Bytes) + ": values are estimates");
  if (F.R.Lost)
    Add("! lost", plural(F.R.Lost, "event") + ": figures may be wrong");
  constexpr size_t MaxGrowing = 3;
  std::vector<LineGrowth> Growing = growing(F);
  for (const LineGrowth &L :
       ArrayRef(Growing).take_front(std::min(MaxGrowing, Growing.size())))
    Add((L.Word == GrowthWord::Leak ? "! " : "") + wordText(L),
        rateText(L) + ", " + formatSize(L.Rise) +
            " so far: " + placeText(*F.O.Where, L));
  if (Growing.size() > MaxGrowing)
    Add(Growing[MaxGrowing].Word == GrowthWord::Leak ? "! LEAK" : "grows",
        formatCount(Growing.size() - MaxGrowing) + " more places");
  return Rows;
}

//===----------------------------------------------------------------------===//
// The peak by line
//===----------------------------------------------------------------------===//

StringRef byWhat(const PageInput &F) {
  if (F.O.Where->hasLines())
    return ", by line of your code";
  if (importedFrom(F.T.header()).isCensus())
    return ", by variable and library";
  bool HasFunctions = any_of(F.O.Places, [&](const PlaceStats &P) {
    return F.O.Where->place(P.Place).Kind == PlaceKind::Function;
  });
  return HasFunctions ? ", by function and library (no debug information)"
                      : ", by library (no debug information)";
}

//===----------------------------------------------------------------------===//
// In a line each
//===----------------------------------------------------------------------===//

/// Of the heap with the highest peak: a GPU's, if the program has one.
static std::string tensorText(const PageInput &F) {
  std::string Text;
  auto PeakOf = [&](const CategorySum &K) {
    return F.T.heapStats(K.Heap).PeakBytes;
  };
  const CategorySum *Largest = nullptr;
  for (const CategorySum &K : F.O.Categories)
    if (!Largest || PeakOf(K) > PeakOf(*Largest))
      Largest = &K;
  if (!Largest)
    return Text;
  uint64_t Peak = PeakOf(*Largest);
  for (const CategorySum &K : F.O.Categories) {
    if (K.Heap != Largest->Heap)
      continue;
    if (Text.empty())
      Text = "Tensors at the peak of " + F.heapName(K.Heap).str() + ", " +
             formatSize(Peak) + ": ";
    else if (K.Bytes < Peak / 100)
      break;
    else
      Text += ", ";
    Text += std::string(categoryName(K.Category)) + " " +
            formatShare(K.Bytes, Peak);
  }
  return Text;
}

static std::string layerText(const PageInput &F) {
  constexpr size_t Max = 3;
  if (F.O.Held.Bytes.empty())
    return "";
  std::string Text;
  for (size_t I = 0; I != std::min(Max, F.O.Layers.size()); ++I) {
    if (!F.O.Held.Bytes[I])
      break;
    const LayerStats &L = F.O.Layers[I];
    Text += (Text.empty() ? "Layers that hold most at the peak: " : ", ") +
            F.T.string(L.Name).str() + (L.Backward ? " (backward) " : " ") +
            formatSize(F.O.Held.Bytes[I]);
  }
  return Text;
}

/// ` (a call takes 27.6 MiB by its plan)`, or nothing.
static std::string planText(const CompiledProgram &P) {
  const ProgramPlan *Plan = P.largestPlan();
  uint64_t Call = Plan ? Plan->callBytes().value_or(0) : 0;
  return Call ? " (a call takes " + formatSize(Call) + " by its plan)" : "";
}

/// The compiled programs with most bytes at the peak of JAX's heaps.
static std::string compiledText(const PageInput &F) {
  constexpr size_t Max = 3;
  std::string Text;
  for (const CompiledProgram &P :
       ArrayRef(F.O.Compiled.Programs).take_front(Max))
    if (P.AtPeakBytes)
      Text += (Text.empty() ? "Programs that hold most at the peak of JAX: "
                            : ", ") +
              P.Name.str() + " " + formatSize(P.AtPeakBytes) + planText(P);
  return Text;
}

/// The place with the most of a count, if there are many and it has a good
/// part.
static std::string mostText(const PageInput &F, StringRef What, uint64_t All,
                            uint64_t PlaceStats::*Field) {
  constexpr uint64_t Many = 1'000'000;
  if (All < Many)
    return "";
  const PlaceStats *Best = nullptr;
  for (const PlaceStats &P : F.O.Places) {
    const Place &Of = F.O.Where->place(P.Place);
    if (Of.Kind != PlaceKind::Import && !Of.IsHolder &&
        (!Best || P.*Field > Best->*Field))
      Best = &P;
  }
  if (!Best || Best->*Field < All / 5)
    return "";
  return (What + ": " + formatCount(Best->*Field) + " (" +
          formatShare(Best->*Field, All) + ") " +
          F.O.Where->text(F.O.Where->place(Best->Place)))
      .str();
}

/// The private allocator of a library that has a good part of the peak, and how
/// to see the lines behind it.
static std::string poolText(const PageInput &F) {
  NamedSums Pools;
  uint64_t Host = 0;
  for (const PlaceStats &P : F.O.Places) {
    const Place &Of = F.O.Where->place(P.Place);
    Host += P.Space ? 0 : P.PeakBytes;
    if (Of.IsSampled && Of.Kind == PlaceKind::Category)
      Pools.add(Of.Name.split(", mapped below").first.str(), P.PeakBytes, 0);
  }
  std::vector<NamedBytes> Sorted = Pools.sorted();
  if (Sorted.empty() || Sorted.front().Bytes < Host / 10)
    return "";
  const NamedBytes &Most = Sorted.front();
  std::string Text = "The lines that fill " + Most.Name + ", " +
                     formatSize(Most.Bytes) + " at the peak, are not recorded";
  if (StringRef(Most.Name).starts_with("Arrow's pool"))
    Text += "; with ARROW_DEFAULT_MEMORY_POOL=system they are";
  return Text;
}

std::vector<std::string> noteLines(const PageInput &F) {
  std::vector<std::string> Out;
  uint64_t Temporaries = 0;
  for (const PlaceStats &P : F.O.Places)
    Temporaries += P.Temporaries;
  for (std::string Line :
       {poolText(F), tensorText(F), layerText(F), compiledText(F),
        mostText(F, "Most allocations", F.R.Allocations,
                 &PlaceStats::Allocations),
        mostText(F, "Most temporary allocations", Temporaries,
                 &PlaceStats::Temporaries)})
    if (!Line.empty())
      Out.push_back(std::move(Line));
  if (F.O.Rss.HasLast && F.O.Rss.LastLiveBytes)
    if (std::string Line = keptAdvice(F); !Line.empty())
      Out.push_back(std::move(Line));
  constexpr size_t MaxAdvice = 2;
  for (const Suggestion &S : ArrayRef(F.O.Suggestions).take_front(MaxAdvice))
    Out.push_back("Suggestion: " + adviceText(F, S));
  return Out;
}

} // namespace memkit
