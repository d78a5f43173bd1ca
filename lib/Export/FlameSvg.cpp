// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Flame graphs as a picture.

#include "FlameSvg.h"
#include "FlameTree.h"
#include "Support/FunctionName.h"
#include "Svg.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <climits>
#include <cmath>
#include <functional>

using namespace llvm;

namespace memkit {

/// The limits of a picture; a browser draws 2,000 frames at once.
static constexpr size_t MaxDrawn = 2'000, MaxSvgBytes = 300'000;
/// Narrower frames are lines without a name.
static constexpr double MinFrameWidth = 2;
/// The least share of the width in the lowest row: a few deep stacks would make
/// the picture high and empty.
static constexpr double MinRowShare = 0.05;
/// More rows than a browser's picture can have.
static constexpr uint32_t MaxRows = 400;

// Sizes in pixels.
static constexpr double Margin = 16, RowHeight = 18, FrameHeight = 17,
                        Gap = 0.5, NamePad = 4, GraphGap = 28;
/// A column of the font of names, 11 pixels high; all its usual fonts are
/// between 0.55 and 0.602 em wide.
static constexpr double ColumnWidth = 0.602 * 11;

// Frames are told apart in grey, too: the user's own code is bold.
static constexpr StringLiteral FlameStyle =
    ".memkit .rows text{font:11px ui-monospace,SFMono-Regular,Menlo,Consolas,"
    "'DejaVu Sans Mono',monospace}\n"
    ".memkit .rows .u text{font-weight:700}\n"
    ".memkit .rows text .v{font-weight:400;fill:#39424d}\n"
    ".memkit .u rect{fill:#b7cff5}\n"
    ".memkit .l rect{fill:#dadee3}\n"
    ".memkit .i rect{fill:#eef0f2}\n"
    ".memkit .o rect{fill:#e9e9e4}\n"
    ".memkit .g rect{fill:#efb3ab}\n"
    ".memkit .s rect{fill:#a9cbe8}\n";
static constexpr StringLiteral FlameDark =
    ".memkit .rows text .v{fill:#c3ccd6}\n"
    ".memkit .u rect{fill:#2f5596}\n"
    ".memkit .l rect{fill:#3c444d}\n"
    ".memkit .i rect{fill:#262c33}\n"
    ".memkit .o rect{fill:#24282d}\n"
    ".memkit .g rect{fill:#8a3b35}\n"
    ".memkit .s rect{fill:#2a5d85}\n";

namespace {

/// What the title of a frame has. A picture with long names has less.
struct TitleDetail {
  bool WithPlace;
  unsigned MaxName; ///< columns of names and places
};
constexpr TitleDetail Details[] = {
    {true, UINT_MAX}, {true, 1'000}, {false, 400}, {false, 120}};

/// A frame of a graph.
struct DrawnFrame {
  uint32_t Name;
  uint32_t Depth;
  CodeOwner Owner;
  double X, Width;
  uint64_t Total;
};

/// The drawn frames of a graph, by row.
struct DrawnGraph {
  std::vector<DrawnFrame> Frames;
  uint32_t Rows = 0;
  uint64_t LeftOut = 0;
};

class FlameDrawer {
public:
  FlameDrawer(ShownTree T, const NodeRanks &Ranks, const FrameOwners &Owners,
              const FlamePicture &P)
      : Owners(Owners), P(P), Names(T, FlameNames::Distinct::ByPlace),
        Room(P.Width - 2 * Margin) {
    FlameBuilder Builder(T, Ranks, Names);
    for (const FlameGraph &G : P.Graphs)
      Trees.push_back(Builder.build(*G.Of, P.Full ? 0 : MaxDrawn));
    for (const FlameNames::FlameName &N : Names.names())
      OwnerOf.push_back(Owners.of(N.Function, N.File));
    Labels.resize(Names.names().size());
  }

  std::string draw(size_t MaxFrames, TitleDetail Detail);

private:
  double pixels(const FlameGraph &G) const;
  double narrowest(size_t MaxFrames) const;
  uint32_t rows(size_t Graph, double MinWidth) const;
  DrawnGraph place(size_t Graph, double MinWidth) const;
  StringRef label(uint32_t Name);
  std::string total(const FlameGraph &G, uint64_t Value) const;
  std::string leftOutText(size_t Graph, const DrawnGraph &D) const;
  void legend(SvgWriter &W, ArrayRef<DrawnGraph> All, double Y) const;
  void frame(SvgWriter &W, size_t Graph, const DrawnFrame &F);

  const FrameOwners &Owners;
  const FlamePicture &P;
  FlameNames Names;
  double Room; ///< of the widest graph
  std::vector<std::vector<FlameNode>> Trees;
  std::vector<CodeOwner> OwnerOf;  ///< by name
  std::vector<std::string> Labels; ///< by name; empty: not made yet
  TitleDetail Detail = Details[0];
};

} // namespace

/// The pixels of a unit of a graph's values.
double FlameDrawer::pixels(const FlameGraph &G) const {
  uint64_t Widest = std::max(G.WidestTotal, G.Of->Total);
  return Room / double(std::max<uint64_t>(Widest, 1));
}

/// The least width of a frame for at most MaxFrames frames in all graphs. A
/// frame is no wider than its parent, so the frames form trees.
double FlameDrawer::narrowest(size_t MaxFrames) const {
  if (P.Full)
    return 0;
  std::vector<double> Widths;
  for (size_t I = 0; I != Trees.size(); ++I)
    for (const FlameNode &N : Trees[I])
      if (double Width = double(N.Total) * pixels(P.Graphs[I]);
          Width >= MinFrameWidth && N.Name != FlameNames::Smaller)
        Widths.push_back(Width);
  if (Widths.size() <= MaxFrames)
    return MinFrameWidth;
  auto Last = Widths.begin() + MaxFrames;
  std::nth_element(Widths.begin(), Last, Widths.end(), std::greater<>());
  // The frames as wide as the first frame left out are left out, too.
  return std::nextafter(*Last, INFINITY);
}

/// How many rows of frames of MinWidth or wider a graph has.
uint32_t FlameDrawer::rows(size_t Graph, double MinWidth) const {
  const double Scale = pixels(P.Graphs[Graph]);
  std::vector<double> Widths; // by row
  for (const FlameNode &N : Trees[Graph]) {
    double Width = double(N.Total) * Scale;
    if (Width < MinWidth || N.Name == FlameNames::Smaller)
      continue;
    Widths.resize(std::max<size_t>(Widths.size(), N.Depth + 1));
    Widths[N.Depth] += Width;
  }
  double Least = MinRowShare * double(P.Graphs[Graph].Of->Total) * Scale;
  while (!P.Full && !Widths.empty() && Widths.back() < Least)
    Widths.pop_back();
  return std::min<size_t>(Widths.size(), P.Full ? SIZE_MAX : MaxRows);
}

DrawnGraph FlameDrawer::place(size_t Graph, double MinWidth) const {
  const uint32_t Rows = rows(Graph, MinWidth);
  const double Scale = pixels(P.Graphs[Graph]);
  struct OpenNode {
    uint64_t Next; ///< where the next child starts
    bool IsInImport;
    bool IsDrawn;
  };
  std::vector<OpenNode> Open{{0, false, true}};
  DrawnGraph Out;
  for (const FlameNode &N : Trees[Graph]) {
    Open.resize(N.Depth + 1);
    OpenNode &Parent = Open.back();
    uint64_t Begin = Parent.Next;
    Parent.Next += N.Total;
    CodeOwner Owner = OwnerOf[N.Name];
    // All other code below an import belongs to the import.
    bool IsInImport = Parent.IsInImport || Owner == CodeOwner::Import;
    if (IsInImport && Owner != CodeOwner::User)
      Owner = CodeOwner::Import;
    double Width = double(N.Total) * Scale;
    bool IsFolded = N.Name == FlameNames::Smaller && !P.Full;
    bool IsDrawn =
        Parent.IsDrawn && Width >= MinWidth && !IsFolded && N.Depth < Rows;
    if (IsDrawn) {
      double X = Margin + double(Begin) * Scale;
      Out.Frames.push_back({N.Name, N.Depth, Owner, X, Width, N.Total});
      Out.Rows = std::max(Out.Rows, N.Depth + 1);
    } else if (Parent.IsDrawn) {
      Out.LeftOut += N.Total;
    }
    Open.push_back({Begin, IsInImport, IsDrawn});
  }
  stable_sort(Out.Frames, [](const DrawnFrame &A, const DrawnFrame &B) {
    return A.Depth < B.Depth;
  });
  return Out;
}

/// The name in a frame: of C++ without parameters and long template arguments.
StringRef FlameDrawer::label(uint32_t Name) {
  std::string &Label = Labels[Name];
  if (!Label.empty())
    return Label;
  const FlameNames::FlameName &N = Names.names()[Name];
  bool IsPython = N.File.ends_with(".py") || N.File.starts_with("<") ||
                  N.Function.ends_with(".py)");
  Label =
      pictureText(IsPython ? N.Function.str() : shortFunctionName(N.Function));
  return Label;
}

static std::string shareText(uint64_t Part, uint64_t Whole) {
  return formatShare(uint32_t(double(Part) / double(Whole) * 1e6));
}

std::string FlameDrawer::total(const FlameGraph &G, uint64_t Value) const {
  return isInBytes(G.Of->M) ? formatSize(Value) : formatCount(Value);
}

void FlameDrawer::frame(SvgWriter &W, size_t Graph, const DrawnFrame &F) {
  const FlameGraph &G = P.Graphs[Graph];
  static constexpr StringLiteral Classes[] = {"u", "l", "i", "o"};
  StringRef Class = Classes[static_cast<size_t>(F.Owner)];
  if (G.Tone != FlameTone::Owners) {
    bool IsOwn = F.Owner == CodeOwner::User;
    Class = G.Tone == FlameTone::Grown ? (IsOwn ? "u g" : "g")
                                       : (IsOwn ? "u s" : "s");
  }
  const FlameNames::FlameName &N = Names.names()[F.Name];
  std::string Title = clipText(pictureText(N.Function), Detail.MaxName) + "\n";
  if (Detail.WithPlace && !N.File.empty())
    Title += clipText(pictureText(N.File), Detail.MaxName) + "\n";
  std::string Total = total(G, F.Total);
  Title += Total + ", " + shareText(F.Total, G.Of->Total);
  W.openGroup(Class);
  W.title(Title);
  W.rect("", F.X, 0, std::max(F.Width - Gap, Gap), FrameHeight);
  unsigned Columns = std::max(0., (F.Width - 2 * NamePad) / ColumnWidth);
  StringRef Name = label(F.Name);
  bool HasRoom = textColumns(Name) + 1 + textColumns(Total) <= Columns;
  W.text("", F.X + NamePad, 12.5, clipText(Name, Columns), TextAnchor::Start,
         HasRoom ? Total : "");
  W.closeGroup();
}

std::string FlameDrawer::leftOutText(size_t Graph, const DrawnGraph &D) const {
  uint64_t Total = P.Graphs[Graph].Of->Total;
  if (double(D.LeftOut) <= double(Total) / 100)
    return "";
  return shareText(D.LeftOut, Total) + " is in frames too small to draw";
}

void FlameDrawer::legend(SvgWriter &W, ArrayRef<DrawnGraph> All,
                         double Y) const {
  struct LegendEntry {
    StringRef Class, Text;
    bool IsUsed = false;
  };
  LegendEntry Entries[] = {{"u", "your code"}, {"l", "libraries"},
                           {"i", "imports"},   {"o", "other"},
                           {"g", "grew"},      {"s", "shrank"}};
  constexpr size_t Grown = 4, Shrunk = 5;
  for (size_t I = 0; I != All.size(); ++I) {
    FlameTone Tone = P.Graphs[I].Tone;
    if (Tone != FlameTone::Owners)
      Entries[Tone == FlameTone::Grown ? Grown : Shrunk].IsUsed = true;
    else
      for (const DrawnFrame &F : All[I].Frames)
        Entries[static_cast<size_t>(F.Owner)].IsUsed = true;
  }
  // Frames that all are no code have one colour, which means nothing.
  if (none_of(Entries,
              [](const LegendEntry &E) { return E.IsUsed && E.Class != "o"; }))
    return;
  constexpr double Swatch = 12, SwatchGap = 6, EntryGap = 20, FontSize = 12;
  double X = Margin;
  for (const LegendEntry &E : Entries) {
    if (!E.IsUsed)
      continue;
    W.openGroup(E.Class);
    W.rect("", X, Y - 10, Swatch, Swatch);
    X += Swatch + SwatchGap;
    W.text("", X, Y, E.Text);
    X += textWidth(E.Text, FontSize) + EntryGap;
    W.closeGroup();
  }
}

std::string FlameDrawer::draw(size_t MaxFrames, TitleDetail With) {
  Detail = With;
  std::vector<DrawnGraph> All;
  bool HasHeads = P.Graphs.size() > 1;
  double MinWidth = narrowest(MaxFrames);
  constexpr double Top = 74, HeadHeight = 26;
  double Height = Top - GraphGap;
  for (size_t I = 0; I != P.Graphs.size(); ++I) {
    HasHeads |= P.Graphs[I].Tone != FlameTone::Owners;
    const DrawnGraph &D = All.emplace_back(place(I, MinWidth));
    Height += GraphGap + D.Rows * RowHeight;
  }
  if (HasHeads)
    Height += HeadHeight * double(All.size()) - 10;
  std::string Text;
  raw_string_ostream OS(Text);
  SvgWriter W(OS, P.Width, Height + Margin, P.Title, FlameStyle, FlameDark);
  constexpr double TitleSize = 16;
  W.text("head", Margin, 32,
         clipToWidth(pictureText(P.Title), Room, TitleSize));
  OS << '\n';
  legend(W, All, 56);
  double Y = HasHeads ? Top - 10 : Top;
  if (none_of(All, [](const DrawnGraph &D) { return !D.Frames.empty(); }))
    W.text("dim", Margin, 56, "no memory to draw");
  for (size_t I = 0; I != All.size(); ++I) {
    if (HasHeads) {
      Y += HeadHeight;
      W.text("sub", Margin, Y - 9, P.Graphs[I].Title);
    }
    W.text("dim", P.Width - Margin, HasHeads ? Y - 9 : 56,
           leftOutText(I, All[I]), TextAnchor::End);
    ArrayRef<DrawnFrame> Left = All[I].Frames;
    while (!Left.empty()) {
      uint32_t Depth = Left.front().Depth;
      W.openGroup("rows", 0, Y + Depth * RowHeight);
      for (; !Left.empty() && Left.front().Depth == Depth;
           Left = Left.drop_front())
        frame(W, I, Left.front());
      W.closeGroup();
    }
    Y += All[I].Rows * RowHeight + GraphGap;
  }
  W.end();
  return Text;
}

void writeFlameSvg(raw_ostream &OS, ShownTree T, const NodeRanks &Ranks,
                   const FrameOwners &Owners, const FlamePicture &P) {
  FlameDrawer Drawer(T, Ranks, Owners, P);
  std::string Text;
  for (TitleDetail Detail : Details) {
    Text = Drawer.draw(MaxDrawn, Detail);
    if (P.Full || Text.size() <= MaxSvgBytes)
      break;
  }
  for (size_t Frames = MaxDrawn / 2;
       !P.Full && Text.size() > MaxSvgBytes && Frames > 1; Frames /= 2)
    Text = Drawer.draw(Frames, *std::prev(std::end(Details)));
  OS << Text;
}

} // namespace memkit
