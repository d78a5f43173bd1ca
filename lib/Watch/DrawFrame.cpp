// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Draws a frame of memtop.

#include "Report/GrowthSentences.h"
#include "Support/Rounding.h"
#include "Terminal/Graph.h"
#include "WatchFrame.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace llvm;
using namespace memkit;

namespace {
/// A picture as it is drawn, line by line.
struct Drawing {
  const WatchFrame &F;
  WatchState &S;
  FrameStyle How;
  Pictured &P;
  Cells C;
  unsigned Row = 0;

  void line(StringRef Text, uint8_t Style = CS_Plain) {
    C.write(Row++, 0, fitText(Text, How.Width), Style);
  }
};

/// A column of the table.
struct TableColumn {
  SortColumn Of;
  unsigned Width;
  std::string Title;
};
} // namespace

/// A number for people in at most five characters: `950`, `12.3k`, `4.5M`.
static std::string shortCount(double Value) {
  static constexpr StringLiteral Units[] = {"", "k", "M", "G"};
  size_t Unit = 0;
  constexpr double Thousand = 1000, NearThousand = 999.5, Ten = 9.95,
                   Hundred = 99.95;
  while (Value >= NearThousand && Unit + 1 != std::size(Units)) {
    Value /= Thousand;
    ++Unit;
  }
  constexpr double Least = 0.05;
  bool HasPoint =
      Value >= Least && (Unit != 0 || Value < Ten) && Value < Hundred;
  return formatv(HasPoint ? "{0:f1}{1}" : "{0:f0}{1}", Value, Units[Unit]);
}

/// The name of a memory space; of a heap, indented below its space, or apart
/// from its total.
static std::string heapLabel(const WatchedHeap &S) {
  return S.IsSpace ? S.Name : (S.IsApart ? "+ " : "  ") + S.Name;
}

/// The part of a curve up to now.
static ArrayRef<SeriesPoint> upToNow(ArrayRef<SeriesPoint> Curve,
                                     uint64_t NowNs) {
  const SeriesPoint *Last = pointAt(Curve, NowNs);
  return Last ? Curve.take_front(size_t(Last - Curve.begin()) + 1)
              : ArrayRef<SeriesPoint>();
}

/// The highest values of a curve in the columns of the shown time.
static std::vector<uint64_t> columnsOfCurve(const Drawing &D,
                                            ArrayRef<SeriesPoint> Curve,
                                            unsigned Columns) {
  return highestOf(upToNow(Curve, D.P.NowNs), D.P.BeginNs,
                   std::max(D.P.NowNs, D.P.BeginNs + 1), Columns);
}

//===----------------------------------------------------------------------===//
// The top
//===----------------------------------------------------------------------===//

static std::string clockText(uint64_t Ns) {
  constexpr uint64_t NsPerS = 1'000'000'000, Minute = 60, Hour = 3600;
  uint64_t S = Ns / NsPerS;
  return formatv("{0}:{1,0+2}:{2,0+2}", S / Hour, S % Hour / Minute,
                 S % Minute);
}

static void drawTitle(Drawing &D) {
  const WatchedRun &R = D.F.Run;
  std::string Left = "memtop  " + R.Program;
  if (R.Pid)
    Left += " (" + std::to_string(R.Pid) + ")";
  if (R.Rank >= 0)
    Left += "  rank " + std::to_string(R.Rank);
  Left +=
      "  " + clockText(D.F.NowNs) + "  " + (D.S.IsPaused ? "paused" : R.Status);
  unsigned Used = columnsOfText(Left);
  D.C.addStyle(D.Row, 0, D.How.Width, CS_Reverse);
  D.C.write(D.Row, 0, fitText(Left, D.How.Width), CS_Reverse);
  // A long path is shown by its file's name.
  for (StringRef Right : {StringRef(R.Source), baseName(R.Source)}) {
    unsigned Columns = columnsOfText(Right);
    if (Used + 2 + Columns > D.How.Width)
      continue;
    D.C.write(D.Row, D.How.Width - Columns, Right, CS_Reverse);
    break;
  }
  ++D.Row;
}

/// Shared pages are in the RSS of each process that has them.
static std::string processesText(size_t Number) {
  return Number < 2 ? "" : " of " + formatCount(Number) + " processes";
}

static void drawTruth(Drawing &D) {
  const WatchedTrace &W = *D.F.W;
  std::string Text;
  auto Add = [&](const Twine &What) {
    Text += (Text.empty() ? "" : "  ") + What.str();
  };
  std::optional<uint64_t> Swap = W.swappedAt(D.F.AtNs);
  bool HasSwap = Swap && *Swap;
  // Where memory is swapped out, a falling RSS says nothing of the program.
  if (auto Own = W.ownAt(D.F.AtNs); Own && HasSwap)
    Add("own " + formatSize(*Own));
  if (auto Rss = W.residentAt(D.F.AtNs))
    Add("RSS " + formatSize(*Rss) + processesText(W.livingAt(D.F.AtNs)));
  if (HasSwap)
    Add("swap " + formatSize(*Swap));
  if (D.F.Run.LimitBytes)
    Add("limit " + formatSize(*D.F.Run.LimitBytes));
  Add(shortCount(W.allocationsPerSecond(D.F.AtNs, D.S.WindowNs)) +
      " allocations/s");
  Add("lost " + formatCount(W.run().Lost));
  if (D.F.Run.RecorderShare)
    Add("memrec " + formatv("{0:f0}", *D.F.Run.RecorderShare * 100).str() +
        " % of a CPU");
  D.line(Text, W.run().Lost ? CS_Bold | CS_Red : CS_Plain);
}

/// What leaks or grows up to now, a line each.
static void drawGrowth(Drawing &D, size_t MaxLines) {
  // A replay has not come so far.
  if (D.F.NowNs < D.F.Run.GrowthNs)
    return;
  ArrayRef<WatchedGrowth> All = D.F.Run.Growing;
  for (const WatchedGrowth &G : All.take_front(MaxLines)) {
    bool IsLeak = G.Line.Word == GrowthWord::Leak;
    bool IsLast = &G == &All[std::min(MaxLines, All.size()) - 1];
    std::string More =
        IsLast && All.size() > MaxLines
            ? "  (and " + formatCount(All.size() - MaxLines) + " more)"
            : "";
    D.line(wordText(G.Line) + "  " + G.Name + "  " + rateText(G.Line) + ", " +
               formatSize(G.Line.Rise) + " so far" + More,
           IsLeak ? CS_Bold | CS_Red : CS_Plain);
  }
}

/// What the driver says of a device: `cuda:0  reserved 12 GiB  used ...`;
/// empty: nothing.
static std::string deviceText(const WatchFrame &F, uint32_t Device) {
  const MarkSeries &M = F.W->measured();
  std::string Text;
  uint64_t Reserved = 0;
  for (const HeapReport &H : F.W->run().Heaps)
    if (H.Space == Device && H.Id < M.Heaps.size())
      if (const auto *R = pointAt<ReservedPoint>(M.Heaps[H.Id], F.AtNs))
        Reserved += R->Reserved;
  if (Reserved)
    Text += "  reserved " + formatSize(Reserved);
  const UsedPoint *U = Device < M.Devices.size()
                           ? pointAt<UsedPoint>(M.Devices[Device], F.AtNs)
                           : nullptr;
  if (U) {
    Text += "  used " + formatSize(U->Used);
    if (U->Total)
      Text += " of " + formatSize(U->Total);
    uint64_t Known = U->Accounted.value_or(U->Used) +
                     U->Parts.Contexts.value_or(0) +
                     U->Parts.Modules.value_or(0) + U->Parts.Others.value_or(0);
    if (U->Used > Known)
      Text += "  unexplained " + formatSize(U->Used - Known);
    if (U->Available)
      Text += "  machine has " + formatSize(*U->Available);
  }
  return Text.empty() ? "" : F.W->trace().spaceName(Device).str() + Text;
}

/// A line for each device that the driver was asked about.
static void drawDevices(Drawing &D, unsigned MaxLines) {
  for (uint32_t Id = 1; Id < D.F.W->measured().Devices.size() && MaxLines;
       ++Id) {
    std::string Text = deviceText(D.F, Id);
    if (Text.empty())
      continue;
    D.line(Text);
    --MaxLines;
  }
}

/// The peak so far, of a replay.
static uint64_t peakUpTo(const WatchedHeap &S, uint64_t NowNs) {
  if (S.PeakNs <= NowNs)
    return S.PeakBytes;
  uint64_t Highest = 0;
  for (const SeriesPoint &P : upToNow(S.Curve, NowNs))
    Highest = std::max(Highest, P.Value);
  return Highest;
}

/// Memory spaces and heaps, each with its curve in small.
static void drawHeaps(Drawing &D, unsigned MaxLines) {
  ArrayRef<WatchedHeap> All = D.F.W->heaps();
  if (All.empty())
    return;
  size_t Chosen = heapIndex(D.S, All);
  size_t First = Chosen >= MaxLines ? Chosen - MaxLines + 1 : 0;
  constexpr unsigned Wide = 100, SizeWidth = 10;
  constexpr unsigned Narrow = 40, UsualName = 18, WideName = 24;
  const unsigned NameWidth =
      D.How.Width < Narrow ? D.How.Width - std::min(D.How.Width, SizeWidth + 2)
                           : (D.How.Width < Wide ? UsualName : WideName);
  for (size_t I = First; I != std::min(All.size(), First + MaxLines); ++I) {
    const WatchedHeap &S = All[I];
    uint8_t Style = I == Chosen ? CS_Bold : CS_Plain;
    D.C.write(D.Row, 0, I == Chosen ? ">" : " ", Style);
    D.C.write(D.Row, 1, fitText(heapLabel(S), NameWidth), Style);
    const SeriesPoint *At = pointAt<SeriesPoint>(S.Curve, D.F.AtNs);
    std::string Live = formatSize(At ? At->Value : 0);
    unsigned Column = 1 + NameWidth + SizeWidth;
    D.C.write(D.Row, Column - columnsOfText(Live), Live, Style);
    Column = D.C.write(D.Row, Column,
                       "  peak " + formatSize(peakUpTo(S, D.F.NowNs)));
    Column = std::max(Column, 1 + NameWidth + 2 * SizeWidth + 7) + 2;
    constexpr unsigned Least = 8, Most = 40;
    if (Column + Least <= D.How.Width) {
      unsigned Columns = std::min(Most, D.How.Width - Column);
      D.C.write(
          D.Row, Column,
          drawColumns(columnsOfCurve(D, S.Curve, Columns), 1, D.How.Ascii)[0],
          CS_Green);
    }
    ++D.Row;
  }
}

//===----------------------------------------------------------------------===//
// The chart
//===----------------------------------------------------------------------===//

static constexpr unsigned LabelWidth = 10;

static char markSign(MarkKind K) {
  switch (K) {
  case MarkKind::Oom:
    return 'X';
  case MarkKind::Alert:
    return '!';
  case MarkKind::User:
  case MarkKind::RangeBegin:
    return 'm';
  default:
    return '\'';
  }
}

/// The signs of marks below the chart, the strongest of a column.
static std::string ticks(const Drawing &D, unsigned Columns) {
  std::string Out(Columns, ' ');
  auto ColumnOf = [&](uint64_t Ns) {
    double Share = double(Ns - D.P.BeginNs) /
                   double(std::max<uint64_t>(D.P.NowNs - D.P.BeginNs, 1));
    return std::min(size_t(Share * Columns), size_t(Columns) - 1);
  };
  // Of many steps, every tenth, hundredth, ...
  auto Chosen = make_filter_range(D.F.W->marks(), [&](const WatchedMark &M) {
    return M.TimeNs >= D.P.BeginNs && M.TimeNs <= D.P.NowNs;
  });
  uint64_t Steps = 0, Every = 1;
  for (const WatchedMark &M : Chosen)
    Steps += M.Kind == MarkKind::Step;
  constexpr uint64_t Ten = 10;
  while (Steps / Every > Columns / 4)
    Every *= Ten;
  auto Rank = [](char C) { return StringRef(" 'm!X").find(C); };
  for (const WatchedMark &M : Chosen) {
    if (M.Kind == MarkKind::Step && M.Number % Every != 0)
      continue;
    char &To = Out[ColumnOf(M.TimeNs)];
    if (Rank(markSign(M.Kind)) > Rank(To))
      To = markSign(M.Kind);
  }
  if (D.S.MarkNs && *D.S.MarkNs >= D.P.BeginNs && *D.S.MarkNs <= D.P.NowNs)
    Out[ColumnOf(*D.S.MarkNs)] = 'M';
  if (D.S.CursorNs)
    Out[ColumnOf(std::clamp(D.F.AtNs, D.P.BeginNs, D.P.NowNs))] = '^';
  return Out;
}

static void drawChart(Drawing &D, unsigned Lines) {
  ArrayRef<WatchedHeap> All = D.F.W->heaps();
  if (All.empty() || D.How.Width < 2 * LabelWidth || Lines < 2)
    return;
  const WatchedHeap &S = All[heapIndex(D.S, All)];
  unsigned Columns = D.P.ChartColumns;
  uint64_t EndNs = std::max(D.P.NowNs, D.P.BeginNs + 1);
  std::vector<uint64_t> Values = columnsOfCurve(D, S.Curve, Columns);
  std::vector<uint64_t> Line;
  if (S.IsSpace && !S.Id)
    Line = columnsOfCurve(D, D.F.W->resident(), Columns);
  uint64_t Top = *std::max_element(Values.begin(), Values.end());
  if (!Line.empty())
    Top = std::max(Top, *std::max_element(Line.begin(), Line.end()));
  Top = std::max<uint64_t>(Top, 1);
  std::vector<std::string> Drawn =
      drawCurve(Values, Line, Top, Lines - 1, D.How.Ascii);
  for (size_t I = 0; I != Drawn.size(); ++I) {
    std::string Label = I == 0 ? formatSize(Top) : "";
    D.C.write(D.Row, LabelWidth - 1 - columnsOfText(Label), Label, CS_Dim);
    D.C.write(D.Row, LabelWidth, Drawn[I], CS_Green);
    if (D.S.CursorNs) {
      unsigned Column = unsigned(
          std::min<uint64_t>(uint64_t(double(D.F.AtNs - D.P.BeginNs) /
                                      double(EndNs - D.P.BeginNs) * Columns),
                             Columns - 1));
      D.C.addStyle(D.Row, LabelWidth + Column, 1, CS_Reverse);
    }
    ++D.Row;
  }
  std::string Begin = formatTime(D.P.BeginNs);
  D.C.write(D.Row,
            LabelWidth - 1 - std::min(LabelWidth - 1, columnsOfText(Begin)),
            fitText(Begin, LabelWidth - 1), CS_Dim);
  D.C.write(D.Row++, LabelWidth, ticks(D, Columns));
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

/// `+/min` of a whole minute, `+/12 s` of a run of 12 seconds.
static std::string growthTitle(const Drawing &D) {
  constexpr uint64_t Minute = 60'000'000'000, Second = 1'000'000'000;
  if (D.S.MarkNs)
    return "+mark";
  if (D.F.WindowNs == Minute)
    return "+/min";
  if (D.F.WindowNs < Second)
    return "+/" + formatTime(D.F.WindowNs);
  return "+/" + std::to_string(D.F.WindowNs / Second) + " s";
}

/// The columns that fit, so that names have some room.
static std::vector<TableColumn> columnsOf(const Drawing &D) {
  bool IsOfScopes = isOfNow(D.S.Tree.By);
  constexpr unsigned Size = 10, Change = 11, Rate = 9, Share = 6;
  std::vector<TableColumn> All = {{SortColumn::Live, Size, "live"}};
  if (!IsOfScopes)
    All.push_back({SortColumn::Growth, Change, growthTitle(D)});
  All.push_back({SortColumn::Peak, Size, "at peak"});
  if (!IsOfScopes) {
    All.push_back({SortColumn::Allocations, Rate, "alloc/s"});
    if (D.F.HasSteps)
      All.push_back({SortColumn::PerStep, Change, "+/step"});
    if (D.F.HasAges)
      All.push_back({SortColumn::Age, Rate, "age"});
    All.push_back({SortColumn::Temporary, Share, "temp"});
  }
  constexpr unsigned NameRoom = 28;
  std::vector<TableColumn> Out;
  unsigned Used = 0;
  for (TableColumn &T : All) {
    if (!Out.empty() && Used + T.Width + NameRoom > D.How.Width)
      continue;
    Used += T.Width;
    Out.push_back(std::move(T));
  }
  return Out;
}

static std::string ageText(double Seconds) {
  constexpr double NsPerS = 1e9;
  // In whole seconds.
  return formatTime(nearestUnsigned(std::round(Seconds) * NsPerS));
}

static std::string cellText(const Drawing &D, const MomentValues &V,
                            SortColumn C) {
  double Value = sortValue(V, C, D.S.MarkNs.has_value());
  switch (C) {
  case SortColumn::Live:
  case SortColumn::Peak:
    return formatSize(nearestUnsigned(Value));
  case SortColumn::Growth:
  case SortColumn::PerStep: {
    int64_t Bytes = nearestSigned(Value);
    return Bytes ? formatSizeChange(Bytes) : "0 B";
  }
  case SortColumn::Allocations:
    return shortCount(Value);
  case SortColumn::Temporary:
    return V.Allocations > 0 ? formatv("{0:f0} %", Value * 100).str() : "-";
  case SortColumn::Age:
    return V.AgedBytes > 0 ? ageText(Value) : "-";
  }
  llvm_unreachable("all columns are handled");
}

static void drawHeader(Drawing &D, ArrayRef<TableColumn> Columns) {
  D.C.addStyle(D.Row, 0, D.How.Width, CS_Reverse);
  unsigned Column = 0;
  for (const TableColumn &T : Columns) {
    std::string Title = T.Title + (T.Of == D.S.Tree.First ? "*" : "");
    Column += T.Width;
    D.C.write(D.Row, Column - std::min(Column, columnsOfText(Title)), Title,
              CS_Reverse | (T.Of == D.S.Tree.First ? CS_Bold : CS_Plain));
  }
  std::string Name = "  by " + groupWord(D.S.Tree.By).str();
  if (D.S.CursorNs)
    Name += ", at " + formatTime(D.F.AtNs);
  if (!D.S.Tree.Filter.empty())
    Name += ", with \"" + D.S.Tree.Filter + "\"";
  unsigned Room = D.How.Width > Column ? D.How.Width - Column : 0;
  D.C.write(D.Row++, Column, fitText(Name, Room), CS_Reverse);
}

static void drawRow(Drawing &D, ArrayRef<TableColumn> Columns, const TreeRow &R,
                    bool IsSelected) {
  unsigned Column = 0;
  for (const TableColumn &T : Columns) {
    std::string Text = cellText(D, R.V, T.Of);
    Column += T.Width;
    bool Grows = T.Of == SortColumn::Growth && Text[0] == '+';
    D.C.write(D.Row, Column - std::min(Column, columnsOfText(Text)), Text,
              Grows ? CS_Red : CS_Plain);
  }
  unsigned Room = D.How.Width > Column ? D.How.Width - Column : 0;
  std::string Name =
      std::string(size_t(R.Depth) * 2 + 1, ' ') + (R.IsOpen    ? "- "
                                                   : R.CanOpen ? "+ "
                                                               : "  ");
  bool Fits = columnsOfText(Name) + columnsOfText(R.Name) <= Room;
  Name += R.LastName.empty() || Fits ? R.Name : ".. " + R.LastName;
  D.C.write(D.Row, Column, fitText(Name, Room));
  if (IsSelected)
    D.C.addStyle(D.Row, 0, D.How.Width, CS_Bold | CS_Reverse);
  ++D.Row;
}

static void drawTable(Drawing &D, unsigned Lines) {
  std::vector<TableColumn> Columns = columnsOf(D);
  drawHeader(D, Columns);
  D.P.TableRows = Lines;
  D.P.Rows.clear();
  for (const TreeRow &R : D.F.Rows)
    D.P.Rows.push_back({R.Id, R.CanOpen});
  if (D.F.Rows.empty()) {
    D.line("  " + D.F.Note);
    return;
  }
  size_t Selected = 0;
  for (size_t I = 0; I != D.F.Rows.size(); ++I)
    if (D.F.Rows[I].Id == D.S.SelectedId)
      Selected = I;
  D.S.FirstRow = std::min(D.S.FirstRow, Selected);
  if (Lines && Selected >= D.S.FirstRow + Lines)
    D.S.FirstRow = Selected - Lines + 1;
  for (size_t I = D.S.FirstRow;
       I != std::min(D.F.Rows.size(), D.S.FirstRow + Lines); ++I)
    drawRow(D, Columns, D.F.Rows[I], D.S.SelectedId && I == Selected);
}

//===----------------------------------------------------------------------===//
// Other pages, and the last line
//===----------------------------------------------------------------------===//

static void drawAlerts(Drawing &D, unsigned Lines) {
  std::vector<const WatchedMark *> Shown;
  for (const WatchedMark &M : D.F.W->marks())
    if (M.TimeNs <= D.P.NowNs &&
        (M.Kind == MarkKind::Alert || M.Kind == MarkKind::Oom))
      Shown.push_back(&M);
  D.C.addStyle(D.Row, 0, D.How.Width, CS_Reverse);
  D.C.write(D.Row++, 0,
            fitText("alerts and failures: " + std::to_string(Shown.size()) +
                        " (! or Escape goes back)",
                    D.How.Width),
            CS_Reverse);
  if (Shown.empty())
    D.line("  none");
  // The last ones first.
  for (const WatchedMark *M : reverse(Shown)) {
    if (!Lines--)
      return;
    D.line("  " + formatTime(M->TimeNs) + "  " + M->Text);
  }
}

/// Why there are no names.
static std::string noNamesText(const Drawing &D) {
  if (!D.F.Names.Searches)
    return D.F.Run.IsLive ? "the program has not looked for names yet: a "
                            "search waits for an allocation of Python"
                          : "no names were looked for in this recording";
  return D.S.Tree.Filter.empty()
             ? "no name was found"
             : "nothing matches \"" + D.S.Tree.Filter + "\": Escape shows all";
}

static void drawNames(Drawing &D, unsigned Lines) {
  ArrayRef<WatchedHeap> All = D.F.W->heaps();
  const WatchedNames &Names = D.F.Names;
  std::string Title = "      bytes   blocks  held by";
  if (!All.empty())
    Title += ", of " + All[heapIndex(D.S, All)].Name;
  if (Names.Searches)
    Title += ", found at " + formatTime(Names.FoundNs);
  if (!D.S.Tree.Filter.empty())
    Title += ", with \"" + D.S.Tree.Filter + "\"";
  D.C.addStyle(D.Row, 0, D.How.Width, CS_Reverse);
  D.C.write(D.Row++, 0,
            fitText(Title + " (n or Escape goes back)", D.How.Width),
            CS_Reverse);
  if (Names.Rows.empty())
    D.line("  " + noNamesText(D));
  for (const WatchedName &N : ArrayRef(Names.Rows).take_front(Lines))
    D.line(formatv("{0,+11}{1,+9}  {2}  from {3}", formatSize(N.Held.Bytes),
                   formatCount(N.Held.Blocks), heldByText(N.Held), N.Place)
               .str());
}

static void drawHelp(Drawing &D) {
  static constexpr StringLiteral Keys[] = {
      "left right    move the cursor on the curve: the table shows that moment",
      "Home End      the begin of the curve, now",
      "+ -           less time on the curve, more",
      "Tab           the next heap or memory space (Shift-Tab: the one before)",
      "up down       the next row (also j k); Enter opens and closes a row",
      "g G           group by line, stack, library, heap, process, rank, "
      "thread, ...",
      "< >           sort by another column; the last one sorts equal rows",
      "w             growth and rates over 10 s, 1 min, 10 min",
      "m M           set a mark: the growth since then; forget the mark",
      "/             show only rows with a text; Escape shows all",
      "!             alerts and failures",
      "n             the names of Python that hold memory (live: found anew)",
      "space         pause: the picture stays, the recording goes on",
      "s             write a snapshot of the recording (live)",
      "o             open memview at this moment",
      "q             leave; the recording goes on",
      "",
      "live*         the column with a star sorts the rows",
      "temp          the share of allocations freed before their thread's next",
      "age           the mean age of the live bytes",
      "+ heap        a heap apart: its bytes are not in the total above it",
      "RSS           shared pages count in each process that has them",
  };
  for (StringRef Text : Keys)
    D.line("  " + Text.str());
}

static void drawFooter(Drawing &D) {
  unsigned Last = D.How.Height - 1;
  std::string Text = "h help  Tab heap  g group  < > sort  / search  m mark  "
                     "space pause  q quit";
  if (D.S.Typed)
    Text = "/" + *D.S.Typed + "_";
  else if (!D.S.Message.empty())
    Text = D.S.Message;
  D.C.write(Last, 0, fitText(Text, D.How.Width),
            D.S.Typed || !D.S.Message.empty() ? CS_Bold : CS_Dim);
}

Cells memkit::drawFrame(const WatchFrame &F, WatchState &S, FrameStyle How,
                        Pictured &P) {
  P.Heaps.clear();
  for (const WatchedHeap &Of : F.W->heaps())
    P.Heaps.push_back(Of.Name);
  P.NowNs = F.NowNs;
  P.AtNs = F.AtNs;
  P.BeginNs = S.SpanNs && F.NowNs > S.SpanNs ? F.NowNs - S.SpanNs : 0;
  // A cursor before the shown time moves the chart.
  P.BeginNs = std::min(P.BeginNs, F.AtNs);
  P.ChartColumns = How.Width > LabelWidth + 1 ? How.Width - LabelWidth : 1;
  Drawing D{F, S, How, P, Cells(How.Width, How.Height)};
  drawTitle(D);
  if (S.Page == WatchPage::Help) {
    drawHelp(D);
    drawFooter(D);
    return std::move(D.C);
  }
  constexpr unsigned Small = 16, Medium = 30;
  drawTruth(D);
  drawGrowth(D, How.Height < Medium ? 1 : 3);
  drawDevices(D, How.Height < Small ? 1 : How.Height < Medium ? 2 : 8);
  drawHeaps(D, How.Height < Small ? 1 : How.Height < Medium ? 4 : 8);
  if (How.Height >= Small)
    drawChart(D, std::clamp(How.Height / 4, 4u, 12u));
  unsigned Used = D.Row + 2; // the header and the last line
  unsigned Left = How.Height > Used ? How.Height - Used : 0;
  if (S.Page == WatchPage::Alerts)
    drawAlerts(D, Left);
  else if (S.Page == WatchPage::Names)
    drawNames(D, Left);
  else
    drawTable(D, Left);
  drawFooter(D);
  return std::move(D.C);
}
