// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --explain: the whole finding, for somebody who does not have the trace.

#include "Cli/Advice.h"
#include "Export/StackText.h"
#include "Report/GrowthSentences.h"
#include "Report/HolderSentences.h"
#include "Sections.h"
#include "Support/CommandText.h"
#include "memkit/Model/Imported.h"
#include "memkit/Model/Merged.h"
#include "memkit/Model/Redact.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

/// The lines of the stack that holds most of a growth.
static std::vector<std::string> stackLines(const PageInput &F,
                                           const Growth &G) {
  if (G.IsArenas || !G.Stack)
    return {};
  std::string Text;
  raw_string_ostream OS(Text);
  printStack(OS, F.T, G.Stack, 0, 0, /*Full=*/false);
  SmallVector<StringRef, 32> Lines;
  StringRef(Text).rtrim().split(Lines, '\n');
  return {Lines.begin(), Lines.end()};
}

static PageSection growthSection(const PageInput &F, const LineGrowth &L) {
  const GrowthReport &R = F.O.Growth;
  const Places &Where = *F.O.Where;
  PageSection Out;
  Out.Titled = true;
  Out.Title = wordText(L) + "  " + Where.text(L.Where);
  if (std::string Amount = amountText(L); !Amount.empty())
    Out.Lines.push_back(Amount);
  if (!L.isGrowing())
    return Out;
  std::string Since = sinceText(R, L);
  if (L.Caller)
    Since += "; called by " + Where.text(*L.Caller);
  Out.Lines.push_back(Since);
  if (std::string Text = contentsText(F.T, Where, R, L); !Text.empty())
    Out.Lines.push_back("holds: " + Text);
  const Growth &Most = R.Found[L.Findings.front()];
  if (!Most.Bounded.empty() && L.Word == GrowthWord::Grows)
    Out.Lines.push_back(("may fill " + Most.Bounded).str());
  if (!L.Where.Source.empty())
    Out.Drawn.push_back(oneLine(L.Where.Source));
  if (std::vector<std::string> Stack = stackLines(F, Most); !Stack.empty()) {
    if (!Out.Drawn.empty())
      Out.Drawn.emplace_back();
    append_range(Out.Drawn, Stack);
  }
  return Out;
}

std::vector<PageSection> growthSections(const PageInput &F) {
  const GrowthReport &R = F.O.Growth;
  std::vector<PageSection> Out;
  if (R.Spans.empty() || !F.O.Where)
    return Out;
  constexpr size_t Useful = 3;
  size_t Shown = F.shown(F.O.Growing.size(), Useful);
  for (const LineGrowth &L : ArrayRef(F.O.Growing).take_front(Shown))
    Out.push_back(growthSection(F, L));
  if (none_of(F.O.Growing, [](const LineGrowth &L) { return L.isGrowing(); })) {
    PageSection None;
    None.Titled = true;
    None.Title = "Nothing grows";
    None.Lines.push_back("measured: " + spanText(R));
    Out.insert(Out.begin(), std::move(None));
  }
  if (size_t Left = F.O.Growing.size() - Shown)
    Out.back().Notes.push_back(plural(Left, "other line") +
                               "; --top=0 shows all");
  return Out;
}

std::optional<PageSection> holderSection(const PageInput &F) {
  if (F.O.Names.empty())
    return std::nullopt;
  PageSection Out;
  Out.Titled = true;
  Out.Title = "Names that hold memory";
  Table T({{"held", Table::Side::Right},
           {"blocks", Table::Side::Right},
           {"name", Table::Side::Left, true}});
  constexpr size_t Useful = 5;
  for (const HeldPath &P :
       ArrayRef(F.O.Names).take_front(F.shown(F.O.Names.size(), Useful)))
    T.add({formatSize(P.Bytes), formatCount(P.Blocks), P.Path});
  Out.Rows = std::move(T);
  return Out;
}

static constexpr StringLiteral LiveCondition = "host:live>";

/// When memrec finds the names of what grows: at the end, or, if that is freed
/// by then, shortly before the peak.
static std::string whenToLook(const PageInput &F, bool IsFreed) {
  constexpr uint64_t MiB = 1 << 20;
  uint64_t Bytes = F.T.hostStats().PeakBytes / 4 * 3;
  if (!IsFreed || Bytes < MiB)
    return "end";
  return LiveCondition.str() + std::to_string(Bytes / MiB) + "MiB";
}

/// Whether memrec has looked at that time, or at some bytes: the peak of
/// another run is another one.
static bool hasLooked(const PageInput &F, StringRef When) {
  bool IsOfBytes = When.starts_with(LiveCondition);
  return any_of(F.T.header().Options, [&](StringRef Option) {
    return Option.consume_front("holders=") &&
           (Option == When || (IsOfBytes && Option.starts_with(LiveCondition)));
  });
}

std::optional<PageSection> trySection(const PageInput &F) {
  PageSection Out;
  Out.Titled = true;
  Out.Title = "What to try";
  auto Add = [&](std::string Text) {
    if (!is_contained(Out.Lines, Text))
      Out.Lines.push_back(std::move(Text));
  };
  bool HasPython = false, IsFreed = false;
  for (const LineGrowth &L : F.O.Growing) {
    if (!L.isGrowing())
      continue;
    HasPython |= StringRef(L.Where.File).ends_with(".py");
    IsFreed |= L.FreedAtExit;
    if (std::optional<LeakHint> Hint = findHint(F.T, F.O.Growth, L))
      Add(hintText(*Hint).str());
    if (F.O.Growth.Found[L.Findings.front()].IsArenas)
      Add("memrec --python-objects records the line of each small object");
    if (L.Word == GrowthWord::Grows && !L.HasSteps)
      Add(undecidedText().str());
  }
  for (const Suggestion &S : F.O.Suggestions)
    Add(adviceText(F, S));
  std::string When = whenToLook(F, IsFreed);
  if (HasPython && !hasLooked(F, When))
    Add("memrec --holders=" + shellWord(When) + " names what holds the blocks");
  if (Out.Lines.empty())
    return std::nullopt;
  return Out;
}

/// The options of memrec that the recording had, as on its command line,
/// without the defaults.
static std::string optionWords(const Header &H) {
  static constexpr StringLiteral Defaults[] = {
      "on-full=wait:10s", "max-depth=1024", "source=lines"};
  static constexpr StringLiteral Flags[] = {"python-objects", "malloc-info",
                                            "no-follow", "no-symbols"};
  std::string Text;
  for (StringRef Option : H.Options) {
    auto [Name, Value] = Option.split('=');
    // The names at a condition come with an alert of it.
    bool IsOfHolders =
        Name == "alert" && is_contained(H.Options, ("holders=" + Value).str());
    if (is_contained(Defaults, Option) || IsOfHolders || Name == "attached" ||
        Name == "census")
      continue;
    Text += ' ';
    if (Option == "private=0")
      Text += "--no-private";
    else if (is_contained(Flags, Name))
      Text += ("--" + Name).str();
    else
      Text += ("--" + Name + "=" + shellWord(Value)).str();
  }
  return Text;
}

std::optional<PageSection> againSection(const PageInput &F) {
  const Header &H = F.T.header();
  if (H.Command.empty() || !H.Imported.empty() || isRedacted(H) || numMerged(H))
    return std::nullopt;
  PageSection Out;
  Out.Titled = true;
  Out.Title = "How to reproduce";
  std::string Line = "memrec" + optionWords(H) + " --";
  for (const std::string &Word : H.Command)
    Line += ' ' + shellWord(Word);
  Out.Drawn = {Line, "memkit explain trace.fb"};
  if (!H.Tool.empty())
    Out.Notes.push_back("Recorded by " + H.Tool);
  return Out;
}

} // namespace memkit
