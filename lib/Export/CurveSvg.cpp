// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory over time as a picture.

#include "CurveSvg.h"
#include "Svg.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace llvm;

namespace memkit {

uint64_t byteTick(uint64_t Most) {
  constexpr uint64_t MaxTicks = 6;
  uint64_t Tick = 1;
  while (Most / MaxTicks >= Tick && Tick <= UINT64_MAX / 4)
    Tick *= 2;
  return Tick;
}

uint64_t timeTick(uint64_t EndNs, unsigned MaxTicks) {
  constexpr uint64_t Second = 1'000'000'000;
  uint64_t Least = EndNs / std::max(MaxTicks, 1u);
  for (uint64_t Tick = 1; Tick < Second; Tick *= 10)
    for (uint64_t Times : {1, 2, 5})
      if (Tick * Times > Least)
        return Tick * Times;
  for (uint64_t Seconds : {1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800,
                           3600, 7200, 14400, 28800, 43200})
    if (Seconds * Second > Least)
      return Seconds * Second;
  constexpr uint64_t Day = 86'400 * Second;
  uint64_t Tick = Day;
  while (Tick <= Least && Tick <= UINT64_MAX / 4)
    Tick *= 2;
  return Tick;
}

// Sizes in pixels.
static constexpr double Width = 1200, Left = 88, Right = 24, CurveTop = 48,
                        FirstHeight = 240, OtherHeight = 140, PanelHead = 40,
                        PanelGap = 20, AxisRow = 24, MarkRow = 18,
                        SmallText = 11, TitleLeft = 16, MaxTitle = 400;

static constexpr StringLiteral CurveStyles =
    ".memkit .grid{stroke:#e4e7ec;stroke-width:1;shape-rendering:crispEdges}\n"
    ".memkit .axis{stroke:#8c959f;stroke-width:1;shape-rendering:crispEdges}\n"
    ".memkit .tick,.memkit .dim{font-size:11px}\n"
    ".memkit path,.memkit .key{fill:none;stroke-width:1.5;"
    "stroke-linejoin:round}\n"
    ".memkit .area{fill:#9db8e6;fill-opacity:.55;stroke:none}\n"
    ".memkit .c0{stroke:#3f68b0}\n"
    ".memkit .c1{stroke:#1a7f5a}\n"
    ".memkit .c2{stroke:#8250df}\n"
    ".memkit .c3{stroke:#b35900}\n"
    ".memkit .c4{stroke:#bf3989}\n"
    ".memkit .rss{stroke:#57606a;stroke-dasharray:6 3}\n"
    ".memkit .used{stroke:#57606a;stroke-dasharray:6 3}\n"
    ".memkit .kept{stroke:#57606a;stroke-dasharray:2 3}\n"
    ".memkit .mark{stroke:#6e7781;stroke-dasharray:1 3}\n"
    ".memkit .alarm{stroke:#cf222e;stroke-width:1.5}\n"
    ".memkit text.bad{fill:#cf222e}\n"
    ".memkit .peak{fill:#3f68b0;stroke:#fff;stroke-width:1.5}\n"
    ".memkit .halo{font-weight:600;paint-order:stroke;stroke:#fff;"
    "stroke-width:4px;stroke-linejoin:round}\n";
static constexpr StringLiteral CurveDark =
    ".memkit .grid{stroke:#262c34}\n"
    ".memkit .axis{stroke:#6e7681}\n"
    ".memkit .area{fill:#35568f}\n"
    ".memkit .c0{stroke:#7aa5ee}\n"
    ".memkit .c1{stroke:#4ac38f}\n"
    ".memkit .c2{stroke:#b99bf7}\n"
    ".memkit .c3{stroke:#e8a25c}\n"
    ".memkit .c4{stroke:#f08cc4}\n"
    ".memkit .rss,.memkit .used,.memkit .kept{stroke:#aab4bf}\n"
    ".memkit .mark{stroke:#8b949e}\n"
    ".memkit .alarm{stroke:#ff7b72}\n"
    ".memkit text.bad{fill:#ff7b72}\n"
    ".memkit .peak{fill:#7aa5ee;stroke:#0d1117}\n"
    ".memkit .halo{stroke:#0d1117}\n";

namespace {

/// A part of the picture in one direction, in pixels.
struct Extent {
  double Begin, End;
};

class CurveDrawer {
public:
  CurveDrawer(SvgWriter &W, const CurvePicture &P)
      : W(W), P(P), EndNs(std::max<uint64_t>(P.EndNs, 1)) {}

  void draw();

private:
  double x(uint64_t TimeNs) const {
    return Left + double(std::min(TimeNs, EndNs)) / double(EndNs) * room();
  }
  static double room() { return Width - Left - Right; }
  void panel(const CurvePanel &Panel, double HeadY, double Top, double Height);
  void legend(const CurvePanel &Panel, double Y);
  void bytesAxis(uint64_t Most, double Top, double Height);
  void curve(const CurveLine &L, StringRef Class, double Bottom, double Scale);
  void peak(const CurvePeak &Peak, double Bottom, double Scale);
  void timeAxis(double Y);
  void steps(double Y);
  bool isFree(double Begin, double End) const;
  void mark(const CurveMark &M);
  void marks();

  SvgWriter &W;
  const CurvePicture &P;
  uint64_t EndNs;
  std::vector<Extent> Plots;     ///< of the panels, top and bottom
  std::vector<Extent> MarkTexts; ///< left and right
};

} // namespace

static double panelHeight(size_t Panel) {
  return Panel ? OtherHeight : FirstHeight;
}

/// The classes of a panel's lines.
static std::vector<StringRef> lineClasses(const CurvePanel &Panel) {
  static constexpr StringLiteral Heaps[] = {"c1", "c2", "c3", "c4"};
  std::vector<StringRef> Out;
  size_t Heap = 0;
  for (const CurveLine &L : Panel.Lines)
    switch (L.Style) {
    case CurveStyle::Area:
      Out.push_back("c0");
      break;
    case CurveStyle::Heap:
      Out.push_back(Heaps[Heap++ % std::size(Heaps)]);
      break;
    case CurveStyle::Resident:
      Out.push_back("rss");
      break;
    case CurveStyle::Used:
      Out.push_back("used");
      break;
    case CurveStyle::Reserved:
      Out.push_back("kept");
      break;
    }
  return Out;
}

/// The path of the columns from First on, as horizontal and vertical lines.
/// Equal columns are one line.
static std::string columnPath(const CurveLine &L, size_t First, double Bottom,
                              double Scale, double Room) {
  auto X = [&](size_t Column) {
    return Left + Room * double(Column) / double(L.Values.size());
  };
  size_t End = L.Values.size();
  // A line on the axis would hide the axis.
  if (L.Style != CurveStyle::Area) {
    while (First + 1 < End && !L.Values[First] && !L.Values[First + 1])
      ++First;
    while (End > First + 2 && !L.Values[End - 1] && !L.Values[End - 2])
      --End;
  }
  std::string D;
  std::string Before;
  for (size_t I = First; I != End; ++I) {
    std::string Y = svgNumber(Bottom - double(L.Values[I]) * Scale);
    if (I == First)
      D += "M" + svgNumber(X(I)) + "," + Y;
    else if (Y != Before)
      D += "H" + svgNumber(X(I)) + "V" + Y;
    Before = Y;
  }
  return D + "H" + svgNumber(X(End));
}

void CurveDrawer::curve(const CurveLine &L, StringRef Class, double Bottom,
                        double Scale) {
  if (L.FirstColumn >= L.Values.size())
    return;
  std::string D = columnPath(L, L.FirstColumn, Bottom, Scale, room());
  if (L.Style == CurveStyle::Area)
    W.path("area", D + "V" + svgNumber(Bottom) + "H" + svgNumber(Left) + "Z");
  W.path(Class, D);
}

void CurveDrawer::legend(const CurvePanel &Panel, double Y) {
  constexpr double Sample = 22, SampleGap = 6, EntryGap = 18, TitleSize = 13;
  std::vector<StringRef> Classes = lineClasses(Panel);
  double X = Width - Right;
  double Least =
      TitleLeft + textWidth(pictureText(Panel.Title), TitleSize) + EntryGap;
  // From the right, the last line first.
  for (size_t I = Panel.Lines.size(); I-- != 0;) {
    std::string Name = pictureText(Panel.Lines[I].Name);
    double Wide = textWidth(Name, SmallText);
    if (X - Wide - SampleGap - Sample < Least)
      return;
    W.text("tick", X - Wide, Y, Name);
    X -= Wide + SampleGap;
    if (Panel.Lines[I].Style == CurveStyle::Area)
      W.rect("area", X - Sample, Y - 9, Sample, 10);
    double LineY = Panel.Lines[I].Style == CurveStyle::Area ? Y - 9 : Y - 4;
    W.line(("key " + Classes[I]).str(), X - Sample, LineY, X, LineY);
    X -= Sample + EntryGap;
  }
}

void CurveDrawer::bytesAxis(uint64_t Most, double Top, double Height) {
  uint64_t Tick = byteTick(Most);
  double Scale = Height / double(Most);
  for (uint64_t At = 0; At <= Most; At += Tick) {
    double Y = Top + Height - double(At) * Scale;
    W.line(At ? "grid" : "axis", Left, Y, Width - Right, Y);
    W.text("dim", Left - 10, Y + 4, At ? formatSize(At) : "0", TextAnchor::End);
    if (At > UINT64_MAX - Tick)
      break;
  }
}

void CurveDrawer::peak(const CurvePeak &Peak, double Bottom, double Scale) {
  double X = x(Peak.TimeNs), Y = Bottom - double(Peak.Bytes) * Scale;
  W.circle("peak", X, Y, 4);
  bool IsRight = X > Left + room() * 2 / 3;
  W.text("halo", IsRight ? X - 8 : X + 8, Y - 8, Peak.Text,
         IsRight ? TextAnchor::End : TextAnchor::Start);
}

void CurveDrawer::panel(const CurvePanel &Panel, double HeadY, double Top,
                        double Height) {
  W.text("sub", TitleLeft, HeadY,
         clipToWidth(pictureText(Panel.Title), MaxTitle, 13));
  legend(Panel, HeadY);
  uint64_t Most = Panel.Peak ? Panel.Peak->Bytes : 0;
  for (const CurveLine &L : Panel.Lines)
    for (uint64_t Value : L.Values)
      Most = std::max(Most, Value);
  Most = std::max<uint64_t>(Most, 1);
  // Up to a line of the axis: the peak's text needs room.
  if (uint64_t Tick = byteTick(Most), Rest = Most % Tick;
      Rest && Most <= UINT64_MAX - Tick)
    Most += Tick - Rest;
  bytesAxis(Most, Top, Height);
  double Scale = Height / double(Most);
  std::vector<StringRef> Classes = lineClasses(Panel);
  for (size_t I = 0; I != Panel.Lines.size(); ++I)
    curve(Panel.Lines[I], Classes[I], Top + Height, Scale);
  if (Panel.Peak)
    peak(*Panel.Peak, Top + Height, Scale);
}

void CurveDrawer::timeAxis(double Y) {
  constexpr unsigned MaxTicks = 12;
  uint64_t Tick = timeTick(EndNs, MaxTicks);
  for (uint64_t At = 0; At <= EndNs; At += Tick) {
    W.line("axis", x(At), Y, x(At), Y + 5);
    W.text("dim", x(At), Y + 18, At ? formatTime(At) : "0 s",
           TextAnchor::Middle);
    if (At > UINT64_MAX - Tick)
      break;
  }
}

/// The distance of the numbers of steps: 1, 2 or 5 times a power of ten.
static uint64_t numberDistance(ArrayRef<CurveStep> Steps, double Pixels) {
  constexpr double Least = 44; // pixels for a number
  double Wanted = double(Steps.size()) * Least / std::max(Pixels, 1.);
  uint64_t Distance = 1;
  for (; double(Distance) < Wanted; Distance *= 10)
    for (uint64_t Times : {2, 5})
      if (double(Distance * Times) >= Wanted)
        return Distance * Times;
  return Distance;
}

/// Ticks at the starts of steps, and round numbers as far as they fit.
void CurveDrawer::steps(double Y) {
  constexpr double TickGap = 3, NumberGap = 12;
  W.text("dim", Left - 10, Y + 18, "step", TextAnchor::End);
  double FreeTick = 0, FreeNumber = 0;
  const CurveStep &First = P.Steps.front();
  uint64_t Distance =
      numberDistance(P.Steps, x(P.Steps.back().TimeNs) - x(First.TimeNs));
  for (const CurveStep &S : P.Steps) {
    double X = x(S.TimeNs);
    if (S.TimeNs > EndNs)
      continue;
    std::string Number = std::to_string(S.Number);
    double Half = textWidth(Number, SmallText) / 2;
    bool HasNumber =
        (&S == &First || S.Number % Distance == 0) && X - Half >= FreeNumber;
    if (!HasNumber && X < FreeTick)
      continue;
    FreeTick = X + TickGap;
    W.line("axis", X, Y, X, Y + (HasNumber ? 7 : 4));
    if (!HasNumber)
      continue;
    W.text("dim", X, Y + 18, Number, TextAnchor::Middle);
    FreeNumber = X + Half + NumberGap;
  }
}

/// Whether a text from Begin to End keeps its distance from the texts of marks.
bool CurveDrawer::isFree(double Begin, double End) const {
  constexpr double TextGap = 10;
  return none_of(MarkTexts, [&](const Extent &Of) {
    return Begin < Of.End + TextGap && Of.Begin < End + TextGap;
  });
}

/// A line through all panels, with a text on top if there is room.
void CurveDrawer::mark(const CurveMark &M) {
  constexpr double MaxText = 160, Near = 4;
  double X = x(M.TimeNs);
  std::string Text = clipToWidth(pictureText(M.Text), MaxText, SmallText);
  double Wide = textWidth(Text, SmallText) + Near;
  bool IsRight = X + Wide > Width - Right;
  double Begin = IsRight ? X - Wide : X;
  bool HasText = isFree(Begin, Begin + Wide);
  W.openGroup("");
  W.title(M.Text + "\n" + formatTime(M.TimeNs));
  double Above = HasText ? MarkRow : 0;
  for (const Extent &Panel : Plots) {
    W.line(M.IsAlarm ? "alarm" : "mark", X, Panel.Begin - Above, X, Panel.End);
    Above = 0;
  }
  if (HasText) {
    W.text(M.IsAlarm ? "tick bad" : "dim", IsRight ? X - Near : X + Near,
           Plots.front().Begin - 7, Text,
           IsRight ? TextAnchor::End : TextAnchor::Start);
    MarkTexts.push_back({Begin, Begin + Wide});
  }
  W.closeGroup();
}

/// Failures have their texts first. Marks of equal kind on a pixel are one.
void CurveDrawer::marks() {
  for (bool Alarms : {true, false}) {
    double Free = 0;
    for (const CurveMark &M : P.Marks)
      if (M.IsAlarm == Alarms && M.TimeNs <= EndNs && x(M.TimeNs) >= Free) {
        Free = x(M.TimeNs) + 2;
        mark(M);
      }
  }
}

static double pictureHeight(const CurvePicture &P) {
  double Height = CurveTop + AxisRow + 12;
  for (size_t I = 0; I != P.Panels.size(); ++I)
    Height += PanelHead + panelHeight(I) + (I ? PanelGap : 0);
  return Height + (P.Steps.empty() ? 0 : AxisRow) +
         (P.Marks.empty() ? 0 : MarkRow);
}

void CurveDrawer::draw() {
  constexpr double TitleSize = 16, HeadAbove = 18;
  W.text("head", TitleLeft, 32,
         clipToWidth(pictureText(P.Title), Width - 2 * TitleLeft, TitleSize));
  if (P.Panels.empty()) {
    W.text("dim", TitleLeft, CurveTop + 12,
           "the trace has no live bytes over time");
    return;
  }
  double Y = CurveTop;
  for (size_t I = 0; I != P.Panels.size(); ++I) {
    Y += PanelHead + (I ? PanelGap : 0);
    double HeadY = Y - HeadAbove;
    if (!I && !P.Marks.empty())
      Y += MarkRow;
    Plots.push_back({Y, Y + panelHeight(I)});
    panel(P.Panels[I], HeadY, Y, panelHeight(I));
    Y += panelHeight(I);
  }
  timeAxis(Y);
  if (!P.Steps.empty())
    steps(Y + AxisRow);
  marks();
}

void writeCurveSvg(raw_ostream &OS, const CurvePicture &P) {
  SvgWriter W(OS, Width, pictureHeight(P), P.Title, CurveStyles, CurveDark);
  CurveDrawer(W, P).draw();
  W.end();
}

} // namespace memkit
