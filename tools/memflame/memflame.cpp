// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Flame graphs of a trace.

#include "Cli/Browser.h"
#include "Cli/LargePages.h"
#include "Cli/OutputFile.h"
#include "Cli/Progress.h"
#include "Cli/SelectionFlags.h"
#include "Cli/ToolMain.h"
#include "Export/Collapsed.h"
#include "Export/Csv.h"
#include "Export/Firefox.h"
#include "Export/FlameSvg.h"
#include "Export/Perfetto.h"
#include "Export/Pprof.h"
#include "Export/Speedscope.h"
#include "Merge/FolderInput.h"
#include "Model/Query/ProfileQuery.h"
#include "Options.h"
#include "OverTime.h"
#include "Support/CommandText.h"
#include "Support/RunBoth.h"
#include "View/FlamePage.h"
#include "memkit/Model/LiveBlocks.h"
#include "memkit/Model/Query.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace memkit;

static std::string CommandLine; ///< of this call
static std::string Input;       ///< of Inputs, as one trace
static bool IsWhole;            ///< nothing is selected

/// The metrics of --metric, else Usual. At a time point Usual shrinks to live
/// bytes and, if Usual has counts, live blocks.
static SmallVector<Metric, 6> wantedMetrics(const SelectedStats &S,
                                            ArrayRef<Metric> Usual) {
  if (!Metrics.empty())
    return SmallVector<Metric, 6>(Metrics.begin(), Metrics.end());
  if (!MaxAge.empty())
    return {Metric::Temporary};
  if (!S.selection().times().At)
    return SmallVector<Metric, 6>(Usual);
  SmallVector<Metric, 6> Out{Metric::Live};
  if (is_contained(Usual, Metric::Count))
    Out.push_back(Metric::Count);
  return Out;
}

/// ` 343 MiB`, or a count.
static std::string totalText(const Profile &P) {
  return " " + (isInBytes(P.M) ? formatSize(P.Total) : formatCount(P.Total));
}

/// `train.py: host peak 343 MiB at 17.7 s, step 59`: the program and the first
/// profile.
static std::string titleOf(const ProfileQuery &P, const Profile &First) {
  const Trace &T = P.trace();
  if (isDiff(T))
    return commandText(T.header().Command);
  std::string Title = oneLine(queryProgram(T));
  auto [Of, What] = StringRef(First.Name).split(": ");
  Title += ((Title.empty() ? "" : ": ") + Of + (What.empty() ? "" : " ") + What)
               .str();
  if (!IsWhole || First.M != Metric::Peak)
    return Title;
  for (const TotalStats &S : T.summary().Spaces) {
    if (!StringRef(First.Name).starts_with((T.spaceName(S.Id) + ":").str()))
      continue;
    Title += " at " + formatTime(S.PeakTimeNs);
    if (std::optional<uint64_t> Step = stepAt(T, S.PeakTimeNs))
      Title += ", step " + std::to_string(*Step);
  }
  return Title;
}

/// The profiles of --metric, at least one, and at the same time the ranks.
static Expected<std::vector<Profile>>
profilesOf(const ProfileQuery &P, std::optional<NodeRanks> &Ranks) {
  SmallVector<Metric, 6> Wanted = wantedMetrics(P.stats(), Metric::Peak);
  std::vector<Profile> Profiles;
  Error Failed = Error::success();
  runBoth([&] { Ranks.emplace(P.tree()); },
          [&] {
            Expected<std::vector<Profile>> Made = P.profiles(Wanted);
            if (Made)
              Profiles = std::move(*Made);
            else
              Failed = joinErrors(std::move(Failed), Made.takeError());
          });
  if (Failed)
    return std::move(Failed);
  // Viewers need at least one profile.
  if (Profiles.empty())
    Profiles.push_back(makeProfile(P.stats(), Wanted.front()));
  return Profiles;
}

/// The blocks of --time-order; nothing without the option.
static Expected<std::optional<Profile>> profileInOrder(const ProfileQuery &P) {
  if (!TimeOrder)
    return std::nullopt;
  Expected<Profile> Made =
      liveBlocks(P.trace(), P.stats().selection(), P.keys());
  if (!Made)
    return Made.takeError();
  return std::move(*Made);
}

static Error writeSpeedscopeOf(raw_ostream &OS, const ProfileQuery &P) {
  std::optional<NodeRanks> Ranks;
  Expected<std::vector<Profile>> Profiles = profilesOf(P, Ranks);
  if (!Profiles)
    return Profiles.takeError();
  Expected<std::optional<Profile>> InOrder = profileInOrder(P);
  if (!InOrder)
    return InOrder.takeError();
  std::vector<ProfileCourse> Courses;
  if (OverTime)
    if (Error E = liveOverTime(P).moveInto(Courses))
      return E;
  for (Profile &Of : *Profiles)
    Of.Name += totalText(Of);
  std::string Title = titleOf(P, Profiles->front());
  SpeedscopeProfiles All{*Profiles, *InOrder ? &**InOrder : nullptr, Courses};
  writeSpeedscope(OS, P.tree(), *Ranks, All, Full, Title);
  return Error::success();
}

static Error writePage(raw_ostream &OS, const ProfileQuery &P) {
  std::optional<NodeRanks> Ranks;
  Expected<std::vector<Profile>> Profiles = profilesOf(P, Ranks);
  if (!Profiles)
    return Profiles.takeError();
  Expected<std::optional<Profile>> InOrder = profileInOrder(P);
  if (!InOrder)
    return InOrder.takeError();
  Profile First;
  First.Name = Profiles->front().Name + totalText(Profiles->front());
  First.M = Profiles->front().M;
  FlamePage Page{P, *Ranks, *Profiles};
  Page.InOrder = *InOrder ? &**InOrder : nullptr;
  Page.By = Grouping;
  Page.HasStacks = isOfStacks(Grouping);
  Page.Full = Full;
  Page.IsInverted = Invert;
  Page.Trace = Input == "-" ? "" : sys::path::filename(Input).str();
  Page.Title = titleOf(P, First);
  Page.Command = CommandLine;
  writeFlamePage(OS, Page);
  return Error::success();
}

/// Of a trace of differences: for each memory space and metric what grew, then
/// what shrank, on one scale.
static std::vector<Profile> differencesOf(const ProfileQuery &P,
                                          FlamePicture &Picture) {
  std::vector<Profile> All;
  for (uint32_t Space : spacesOf(P.stats()))
    for (Metric M : wantedMetrics(P.stats(), Metric::Peak)) {
      auto [Less, More] = makeDiffProfiles(P.stats(), M, Space);
      uint64_t Widest = std::max(Less.Total, More.Total);
      StringRef Name = P.trace().spaceName(Space);
      auto Add = [&](Profile &Of, FlameTone Tone, StringRef What) {
        if (!Of.Total)
          return;
        Of.Name = (Name + ", " + metricName(M) + ": " + What).str();
        Picture.Graphs.push_back(
            {Of.Name + totalText(Of), nullptr, Tone, Widest});
        All.push_back(std::move(Of));
      };
      Add(More, FlameTone::Grown, "grew by");
      Add(Less, FlameTone::Shrunk, "shrank by");
    }
  return All;
}

/// The colours of a profile of a heap `H.more` or `H.less`.
static FlameTone toneOf(const ProfileQuery &P, const Profile &Of) {
  if (!isDiff(P.trace()))
    return FlameTone::Owners;
  StringRef Heap = StringRef(Of.Name).rsplit(": ").first;
  return Heap.ends_with(".less") ? FlameTone::Shrunk : FlameTone::Grown;
}

static Error writeSvgOf(raw_ostream &OS, const ProfileQuery &P) {
  FlamePicture Picture;
  Picture.Full = Full;
  std::vector<Profile> Profiles;
  std::optional<NodeRanks> Ranks;
  if (P.showsDiff()) {
    Ranks.emplace(P.tree());
    Profiles = differencesOf(P, Picture);
    Picture.Title = commandText(P.trace().header().Command);
  } else {
    Expected<std::vector<Profile>> Made = profilesOf(P, Ranks);
    if (!Made)
      return Made.takeError();
    Profiles = std::move(*Made);
    for (Profile &Of : Profiles) {
      FlameTone Tone = toneOf(P, Of);
      Of.Name += totalText(Of);
      Picture.Graphs.push_back({Of.Name, nullptr, Tone});
    }
    Picture.Title = titleOf(P, Profiles.front());
  }
  for (size_t I = 0; I != Profiles.size(); ++I)
    Picture.Graphs[I].Of = &Profiles[I];
  FrameOwners Owners(P.trace(), Places(P.stats()), Grouping);
  writeFlameSvg(OS, P.tree(), *Ranks, Owners, Picture);
  return Error::success();
}

static Error writeCollapsedOf(raw_ostream &OS, const ProfileQuery &P) {
  Metric M = wantedMetrics(P.stats(), {Metric::Peak}).front();
  if (P.showsDiff()) {
    auto [Less, More] = makeDiffProfiles(P.stats(), M);
    writeCollapsedPair(OS, P.tree(), Less, More);
    return Error::success();
  }
  Expected<Profile> Made = P.profile(M);
  if (!Made)
    return Made.takeError();
  writeCollapsed(OS, P.tree(), *Made);
  return Error::success();
}

/// Writes the formats with a column for each metric.
static Error writeColumns(raw_ostream &OS, const ProfileQuery &P) {
  std::vector<Profile> Profiles;
  for (Metric M : wantedMetrics(
           P.stats(),
           Grouping == GroupBy::Category
               ? ArrayRef<Metric>(Metric::Peak)
               : ArrayRef<Metric>({Metric::Peak, Metric::Live,
                                   Metric::Allocated, Metric::Count,
                                   Metric::Temporary, Metric::Leaked}))) {
    Expected<Profile> Made = P.profile(M);
    if (!Made)
      return Made.takeError();
    Profiles.push_back(std::move(*Made));
  }
  if (OutputFormat == FlameFormat::Csv)
    writeCsv(OS, P.tree(), Profiles);
  else
    writePprof(OS, P.tree(), Profiles);
  return Error::success();
}

static void warnOfScopes(const Trace &T, uint64_t LeftOut) {
  if (LeftOut)
    warn(T.name() + ": the last " + formatCount(LeftOut) +
         " scopes were left out; choose a window with --since and --until");
}

static Error writePerfettoOf(raw_ostream &OS, const ProfileQuery &P) {
  Expected<Profile> Chart =
      P.profile(wantedMetrics(P.stats(), {Metric::Peak}).front());
  if (!Chart)
    return Chart.takeError();
  Expected<PerfettoResult> Done =
      writePerfetto(OS, P.stats(), P.tree(), NodeRanks(P.tree()), *Chart,
                    isOfStacks(Grouping) && !Invert, Full);
  if (!Done)
    return Done.takeError();
  warnOfScopes(P.trace(), Done->ScopesLeftOut);
  return Error::success();
}

static Error writeFirefoxOf(raw_ostream &OS, const ProfileQuery &P) {
  FirefoxOptions Options;
  Options.Program = oneLine(queryProgram(P.trace()));
  if (Full)
    Options.MaxBlocks = 0;
  FrameOwners Owners(P.trace(), Places(P.stats()), Grouping);
  Expected<FirefoxResult> Done =
      writeFirefox(OS, P.stats(), P.keys(), P.tree(), Owners, Options);
  if (!Done)
    return Done.takeError();
  std::string Name = P.trace().name().str();
  if (Done->RoundedNs)
    warn(Name + ": " + formatCount(Done->Blocks) + " blocks were merged to " +
         formatCount(Done->Merged) + " of equal stacks and times, and times " +
         "rounded up to " + formatTime(Done->RoundedNs) +
         (Done->HasSmaller ? "; the smallest stacks are '(smaller)'" : "") +
         "; choose a part with --heap, --min-size, --since and --until, or " +
         "keep all with --full");
  warnOfScopes(P.trace(), Done->ScopesLeftOut);
  return Error::success();
}

static Error write(raw_ostream &OS, const ProfileQuery &P) {
  switch (OutputFormat) {
  case FlameFormat::Speedscope:
    return writeSpeedscopeOf(OS, P);
  case FlameFormat::Html:
    return writePage(OS, P);
  case FlameFormat::Svg:
    return writeSvgOf(OS, P);
  case FlameFormat::Collapsed:
    return writeCollapsedOf(OS, P);
  case FlameFormat::Pprof:
  case FlameFormat::Csv:
    return writeColumns(OS, P);
  case FlameFormat::Perfetto:
    return writePerfettoOf(OS, P);
  case FlameFormat::Firefox:
    return writeFirefoxOf(OS, P);
  }
  llvm_unreachable("all formats are handled");
}

static SmallString<128> temporaryPage() {
  SmallString<128> Model, Path;
  sys::path::system_temp_directory(/*ErasedOnReboot=*/true, Model);
  sys::path::append(Model, "memflame-%%%%%%.html");
  sys::fs::createUniquePath(Model, Path, /*MakeAbsolute=*/false);
  return Path;
}

/// Builds the query from the options.
static Expected<std::unique_ptr<ProfileQuery>> ask(SelectionSpec Spec) {
  ProfileOptions Options;
  Options.By = Grouping;
  Options.LinesOfPython = !Grouping.getNumOccurrences() &&
                          OutputFormat != FlameFormat::Pprof &&
                          OutputFormat != FlameFormat::Perfetto &&
                          OutputFormat != FlameFormat::Firefox;
  Options.Shape.Invert = Invert;
  Options.Shape.MergeRecursion = MergeRecursion;
  Options.Shape.StripPrefixes = {StripPrefixes.begin(), StripPrefixes.end()};
  Options.InOneTree = OutputFormat == FlameFormat::Collapsed ||
                      OutputFormat == FlameFormat::Csv ||
                      OutputFormat == FlameFormat::Pprof;
  Options.WantsOtherThanPeak =
      any_of(Metrics, [](Metric M) { return M != Metric::Peak; });
  Options.WantsDiff = OutputFormat == FlameFormat::Collapsed ||
                      OutputFormat == FlameFormat::Svg;
  if (!MaxAge.empty()) {
    Expected<uint64_t> Age = parseTime(MaxAge);
    if (!Age)
      return makeUsageError("--max-age: " + toString(Age.takeError()));
    Options.MaxAgeNs = *Age;
  }
  Expected<std::unique_ptr<Trace>> T =
      Trace::open(Input, TP_All, showProgress());
  if (!T)
    return T.takeError();
  for_each((*T)->warnings(), [](const std::string &W) { warn(W); });
  auto P =
      ProfileQuery::create(std::move(*T), std::move(Spec), std::move(Options));
  if (P && !(*P)->warning().empty())
    warn((*P)->warning());
  return P;
}

/// A part of the run may have held memory at other times alone: an empty graph
/// does not say so.
static void warnOfEmptyPeak(const ProfileQuery &P) {
  bool WantsPeak = MaxAge.empty() && OutputFormat != FlameFormat::Firefox &&
                   (Metrics.empty() || is_contained(Metrics, Metric::Peak));
  if (IsWhole || !WantsPeak || P.stats().selection().times().At)
    return;
  auto Total = [&](Metric M) {
    return makeProfile(P.stats(), M, {}, std::nullopt).Total;
  };
  if (!Total(Metric::Peak) && Total(Metric::Count))
    warn(P.trace().name() + ": the selection held nothing at the peak of the "
                            "run; --metric=allocated or live, or --at=TIME, "
                            "shows what it held at other times");
}

/// Some other tools take the output as the last argument.
static Error checkInputs() {
  StringRef Last = Inputs.empty() ? "" : StringRef(Inputs[Inputs.size() - 1]);
  if (Inputs.size() < 2 || Last.ends_with(".fb") || sys::fs::exists(Last))
    return Error::success();
  return makeUsageError("'" + Last + "' is no trace; -o " + Last +
                        " writes there");
}

static Expected<int> run(const SelectionFlags &Flags) {
  if (Error E = checkInputs())
    return E;
  if (Error E = chooseTraces(Inputs).moveInto(Input))
    return E;
  if (Error E = checkOptions())
    return E;
  Expected<SelectionSpec> Spec = Flags.spec();
  if (!Spec)
    return Spec.takeError();
  IsWhole = Spec->empty();
  Expected<std::unique_ptr<ProfileQuery>> P = ask(std::move(*Spec));
  if (!P)
    return P.takeError();
  warnOfEmptyPeak(**P);
  SmallString<128> Path(Output.getValue());
  bool IsTable = OutputFormat == FlameFormat::Collapsed ||
                 OutputFormat == FlameFormat::Csv;
  OutputFile::Content Content =
      IsTable ? OutputFile::Content::Text : OutputFile::Content::Machine;
  if (OpenPage && !Output.getNumOccurrences()) {
    Path = temporaryPage();
    Content = OutputFile::Content::Trace; // as private as a trace
  }
  Expected<std::unique_ptr<OutputFile>> Out = OutputFile::open(Path, Content);
  if (!Out)
    return Out.takeError();
  if (Error E = write((*Out)->os(), **P))
    return E;
  if (Error E = (*Out)->keep())
    return E;
  for (const std::string &Warning : (*P)->trace().reader().unknownWarnings())
    warn(Warning);
  if (OpenPage) {
    outs() << Path << '\n';
    if (!openInBrowser(Path))
      warn("cannot find xdg-open to show " + Path);
  }
  return ExitOk;
}

int main(int Argc, char **Argv) {
  acceptFolders();
  useLargePages();
  CommandLine = "memflame";
  for (const char *Word : ArrayRef(Argv, Argc).drop_front())
    CommandLine += " " + std::string(Word);
  SelectionFlags Flags(SF_All);
  return runTool(
      Argc, Argv,
      {"memflame", "Draws flame graphs of a recorded program's memory.",
       "memflame trace.fb > out.speedscope.json\n"
       "memflame --open trace.fb\n"
       "memflame --format=svg trace.fb > peak.svg\n"
       "memflame --format=collapsed --metric=leaked trace.fb\n"
       "memflame --at=step:10 --group-by=layer trace.fb > layers.json",
       "[trace | folder]..."},
      [&] { return run(Flags); });
}
