// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The run in one picture: live and resident bytes over time.

#include "Sections.h"
#include "Terminal/Graph.h"
#include "memkit/Model/Imported.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

/// Puts Text into Line at Column, if the columns are free.
static void place(std::string &Line, size_t Column, StringRef Text) {
  // With a blank on each side.
  size_t Before = Column ? 1 : 0;
  if (Column + Text.size() <= Line.size() &&
      StringRef(Line)
          .substr(Column - Before, Text.size() + Before + 1)
          .trim()
          .empty())
    Line.replace(Column, Text.size(), Text);
}

/// Puts the first and the last step at their begins, where there is room.
static void placeSteps(const PageInput &F, std::string &Line) {
  size_t Columns = Line.size();
  ArrayRef<StepReport> Steps = F.O.Steps;
  if (Steps.empty())
    return;
  auto At = [&](const StepReport &S) {
    double Share =
        double(S.BeginNs) / double(std::max<uint64_t>(F.T.endNs(), 1));
    return std::min(Columns - 1, static_cast<size_t>(Share * double(Columns)));
  };
  const StepReport &First = Steps.front(), &Last = Steps.back();
  place(Line, At(First), "step " + std::to_string(First.Step));
  std::string Text = std::to_string(Last.Step);
  if (&First != &Last && At(Last) >= Text.size())
    place(Line, At(Last) - Text.size() + 1, Text);
}

static std::optional<PageSection> curveOf(const PageInput &F,
                                          const Subject &S) {
  constexpr unsigned Rows = 6;
  ArrayRef<uint64_t> Live = S.Curve;
  // One moment is no curve.
  if (Live.empty() ||
      !noAnswerReason(F.T.header(), HistoryQuestion::OverTime).empty())
    return std::nullopt;
  ArrayRef<uint64_t> Rss;
  if (S.Space == 0 && !F.OfHeaps)
    Rss = F.O.Rss.Highest;
  uint64_t Highest = *std::max_element(Live.begin(), Live.end());
  uint64_t MaxRss = Rss.empty() ? 0 : *std::max_element(Rss.begin(), Rss.end());
  uint64_t Top = std::max(Highest, MaxRss);
  if (!Top)
    return std::nullopt;
  std::vector<std::string> Drawn = drawCurve(Live, Rss, Top, Rows, F.Ascii);
  PageSection Out;
  std::string TopText = formatSize(Top);
  size_t Label = std::max<size_t>(TopText.size(), 8);
  for (unsigned I = 0; I != Rows; ++I) {
    std::string Text = I == 0 ? TopText : "";
    Out.Drawn.push_back(std::string(Label - Text.size(), ' ') + Text +
                        (F.Ascii ? " |" : " │") + Drawn[I]);
  }
  size_t Columns = Live.size();
  std::string Axis = std::string(Label - 1, ' ') + (F.Ascii ? "0 +" : "0 ┼");
  for (size_t I = 0; I != Columns; ++I)
    Axis += F.Ascii ? "-" : "─";
  Out.Drawn.push_back(Axis);
  std::string Times(Columns, ' '), End = formatTime(F.T.endNs());
  place(Times, 0, "0 s");
  if (End.size() < Columns)
    place(Times, Columns - End.size(), End);
  placeSteps(F, Times);
  Out.Drawn.push_back(std::string(Label + 2, ' ') + Times);
  std::string Key =
      (F.Ascii ? "# " : "█ ") + S.Name + ": live, the most in each column";
  if (MaxRss)
    Key += F.Ascii ? "   - resident" : "   ─ resident";
  Out.Drawn.push_back(std::string(Label + 2, ' ') + Key);
  return Out;
}

std::optional<PageSection> curveSection(const PageInput &F) {
  std::vector<Subject> All = subjectsOf(F);
  if (!F.O.Curves || All.empty())
    return std::nullopt;
  return curveOf(F, largest(All));
}

} // namespace memkit
