// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Differences as a comment on a change.

#include "DiffText.h"
#include "Export/StackText.h"
#include "Support/CommandText.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace memkit {

static std::string commandText(const Trace &T) {
  return T.header().Command.empty() ? std::string("?")
                                    : commandText(T.header().Command);
}

/// Text in back-ticks; Text may contain back-ticks.
static std::string code(StringRef Text) {
  size_t Longest = 0, Ticks = 0;
  for (char C : Text)
    Longest = std::max(Longest, Ticks = C == '`' ? Ticks + 1 : 0);
  std::string Fence(Longest + 1, '`'), Inside = Text.str();
  std::replace(Inside.begin(), Inside.end(), '\n', ' ');
  return Longest ? Fence + " " + Inside + " " + Fence : Fence + Inside + Fence;
}

static void writeHead(raw_ostream &OS, const DiffView &V) {
  OS << "### Memory: " << markdownText(V.NameAfter) << " against "
     << markdownText(V.NameBefore) << "\n\n";
  for (const std::string &Line : V.Failed)
    OS << "**Fails** " << code(Line) << "\n\n";
  for (const std::string &Line : lossLines(V))
    OS << "**" << markdownText(Line) << "**\n\n";
  OS << markdownText(verdictLine(V)) << "\n\n";
}

static void writePlace(raw_ostream &OS, const DiffView &V, StringRef Title,
                       DiffPlace P, Metric By,
                       ArrayRef<Finding::MergedPart> Parts) {
  OS << "\n" << markdownText(Title) << "\n\n";
  for (const std::string &Line : partLines(V, P, By, Parts))
    OS << "- " << markdownText(Line) << "\n";
  std::string Frames;
  raw_string_ostream Text(Frames);
  printFrames(Text, placeFrames(V, P), 0, 0, /*Full=*/false);
  // A name with back-ticks must not end the fenced block.
  StringRef Fence = StringRef(Frames).contains("```") ? "~~~~~~" : "```";
  OS << (Parts.empty() ? "" : "\n") << Fence << "\n" << Frames << Fence << "\n";
}

static void writeRuns(raw_ostream &OS, const DiffView &V) {
  for (size_t R = 0; R != V.Runs.size(); ++R) {
    const Trace &T = V.Runs.trace(R);
    OS << "- " << markdownText(V.Runs.isAfter(R) ? V.NameAfter : V.NameBefore)
       << ": " << code(commandText(T));
    if (!T.header().Host.empty())
      OS << " on " << markdownText(T.header().Host);
    OS << ", " << markdownText(T.name()) << "\n";
  }
}

void writeDiffMarkdown(raw_ostream &OS, const DiffView &V) {
  const size_t MaxHeaps = 5;
  ArrayRef<Finding> Shown = shownFindings(V);
  writeHead(OS, V);
  totalsTable(V, /*WithShare=*/true).printMarkdown(OS);
  if (Table Heaps = heapsTable(V, MaxHeaps); !Heaps.empty()) {
    OS << "\n";
    Heaps.printMarkdown(OS);
  }
  for (const SpaceChange &S : V.Report.Spaces) {
    PlaceRows Rows = placeRows(V, S);
    if (!Rows.Shown.empty()) {
      OS << "\n";
      if (V.Report.Spaces.size() > 1)
        OS << markdownText(S.Name) << ":\n\n";
      placeTable(V, Rows).printMarkdown(OS);
    }
    for (const std::string &Line : placeMoveLines(V, Rows))
      OS << "\n" << markdownText(Line) << "\n";
  }
  for (const std::string &Line : detailLines(V))
    OS << "\n" << markdownText(Line) << "\n";
  if (Shown.empty() && shownMoves(V).empty()) {
    OS << "\n";
    for (const std::string &Line : restLines(V))
      OS << markdownText(Line) << "\n";
  } else {
    size_t All = V.Report.Changes.Findings.size();
    OS << "\n<details><summary>" << All << (All == 1 ? " change" : " changes")
       << "</summary>\n";
    for (const Finding &F : Shown)
      writePlace(OS, V, findingTitle(V, F), F.Place, F.By, F.Largest);
    for (const Move &M : shownMoves(V))
      writePlace(OS, V, moveTitle(V, M), M.Place, M.By, partsToList(M));
    OS << "\n";
    for (const std::string &Line : restLines(V))
      OS << markdownText(Line) << "\n";
    OS << "\n</details>\n";
  }
  OS << "\n<details><summary>Runs</summary>\n\n";
  writeRuns(OS, V);
  OS << "\n</details>\n";
}

} // namespace memkit
