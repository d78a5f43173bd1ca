// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the user of memtop has chosen, and what keys do.

#include "WatchState.h"
#include "Terminal/Cells.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace memkit;

size_t memkit::heapIndex(const WatchState &S, ArrayRef<WatchedHeap> Heaps) {
  for (size_t I = 0; I != Heaps.size(); ++I)
    if (Heaps[I].Name == S.HeapName)
      return I;
  return 0;
}

static size_t selectedIndex(const WatchState &S, const Pictured &P) {
  for (size_t I = 0; I != P.Rows.size(); ++I)
    if (P.Rows[I].first == S.SelectedId)
      return I;
  return 0;
}

static void select(WatchState &S, const Pictured &P, size_t Index) {
  if (P.Rows.empty())
    return;
  Index = std::min(Index, P.Rows.size() - 1);
  S.SelectedId = P.Rows[Index].first;
}

static void moveRows(WatchState &S, const Pictured &P, int64_t By) {
  int64_t To = int64_t(selectedIndex(S, P)) + By;
  select(S, P, size_t(std::max<int64_t>(To, 0)));
}

static void moveHeap(WatchState &S, const Pictured &P, int By) {
  if (P.Heaps.empty())
    return;
  auto At = find(P.Heaps, S.HeapName);
  size_t Index = At == P.Heaps.end() ? 0 : size_t(At - P.Heaps.begin());
  size_t Count = P.Heaps.size();
  S.HeapName = P.Heaps[(Index + Count + size_t(By)) % Count];
}

/// Moves the cursor by a column of the chart; behind the last column the
/// picture is that of now.
static void moveCursor(WatchState &S, const Pictured &P, bool IsForward) {
  uint64_t Column =
      std::max<uint64_t>((P.NowNs - P.BeginNs) / P.ChartColumns, 1);
  // Several keys may come between two pictures.
  uint64_t At = std::clamp(S.CursorNs.value_or(P.NowNs), P.BeginNs, P.NowNs);
  if (!IsForward)
    S.CursorNs = At - std::min(At - P.BeginNs, Column);
  else if (P.NowNs - At > Column)
    S.CursorNs = At + Column;
  else
    S.CursorNs = std::nullopt;
}

static void changeSpan(WatchState &S, const Pictured &P, bool IsCloser) {
  constexpr uint64_t Minute = 60'000'000'000;
  static constexpr uint64_t Spans[] = {Minute / 6,  Minute,      5 * Minute,
                                       20 * Minute, 60 * Minute, 300 * Minute};
  if (IsCloser) {
    // The longest that is shorter than what is shown.
    uint64_t Now = S.SpanNs ? S.SpanNs : P.NowNs;
    for (uint64_t Span : reverse(Spans))
      if (Span < Now) {
        S.SpanNs = Span;
        return;
      }
    return;
  }
  for (uint64_t Span : Spans)
    if (S.SpanNs && Span > S.SpanNs && Span < P.NowNs) {
      S.SpanNs = Span;
      return;
    }
  S.SpanNs = 0;
}

/// The next column to sort by; the last one becomes the second key.
static void changeSort(WatchState &S, int By) {
  int Next =
      (int(S.Tree.First) + int(NumSortColumns) + By) % int(NumSortColumns);
  S.Tree.Second = S.Tree.First;
  S.Tree.First = SortColumn(Next);
  S.Message = ("sorted by " + sortName(S.Tree.First) + ", then " +
               sortName(S.Tree.Second))
                  .str();
}

static void changeWindow(WatchState &S) {
  constexpr uint64_t Second = 1'000'000'000;
  static constexpr uint64_t Windows[] = {10 * Second, 60 * Second,
                                         600 * Second};
  const auto *At = upper_bound(Windows, S.WindowNs);
  S.WindowNs = At == std::end(Windows) ? Windows[0] : *At;
  S.Message = "growth and rates over the last " + formatTime(S.WindowNs);
}

static void changeGrouping(WatchState &S, int By) {
  constexpr int Count = std::size(WatchedGroups);
  int At = int(find(WatchedGroups, S.Tree.By) - std::begin(WatchedGroups));
  S.Tree.By = WatchedGroups[(At + Count + By) % Count];
  S.SelectedId = 0;
  S.FirstRow = 0;
}

static void openRow(WatchState &S, const Pictured &P) {
  if (P.Rows.empty())
    return;
  auto [Id, CanOpen] = P.Rows[selectedIndex(S, P)];
  S.SelectedId = Id;
  if (CanOpen && !S.Tree.Open.erase(Id))
    S.Tree.Open.insert(Id);
}

/// A key while a filter is typed.
static void takeTyped(WatchState &S, Key K) {
  if (K.Kind == KeyKind::Enter) {
    S.Tree.Filter = *S.Typed;
    S.Typed.reset();
    S.SelectedId = 0;
  } else if (K.Kind == KeyKind::Escape) {
    S.Typed.reset();
  } else if (K.Kind == KeyKind::Backspace) {
    // A whole character.
    while (!S.Typed->empty() && (S.Typed->back() & 0xC0) == 0x80)
      S.Typed->pop_back();
    if (!S.Typed->empty())
      S.Typed->pop_back();
  } else if (K.Kind == KeyKind::Text && K.CodePoint >= ' ') {
    appendCodePoint(*S.Typed, K.CodePoint);
  }
}

static WatchAction takeText(WatchState &S, const Pictured &P, uint32_t C) {
  constexpr uint32_t CtrlC = 3, CtrlL = 12;
  switch (C) {
  case 'q':
  case CtrlC:
    return WatchAction::Quit;
  case ' ':
    S.IsPaused = !S.IsPaused;
    break;
  case 'j':
    moveRows(S, P, 1);
    break;
  case 'k':
    moveRows(S, P, -1);
    break;
  case 'g':
    changeGrouping(S, 1);
    break;
  case 'G':
    changeGrouping(S, -1);
    break;
  case '<':
  case ',':
    changeSort(S, -1);
    break;
  case '>':
  case '.':
    changeSort(S, 1);
    break;
  case '+':
  case '=':
    changeSpan(S, P, true);
    break;
  case '-':
    changeSpan(S, P, false);
    break;
  case 'w':
    changeWindow(S);
    break;
  case 'm':
    S.MarkNs = S.CursorNs.value_or(P.NowNs);
    S.Tree.HasMark = true;
    S.Tree.Second = S.Tree.First;
    S.Tree.First = SortColumn::Growth;
    return WatchAction::SetMark;
  case 'M':
    S.MarkNs.reset();
    S.Tree.HasMark = false;
    break;
  case '/':
    S.Typed = "";
    break;
  case '!':
    S.Page = S.Page == WatchPage::Alerts ? WatchPage::Table : WatchPage::Alerts;
    break;
  case 'n':
    if (S.Page == WatchPage::Names) {
      S.Page = WatchPage::Table;
      break;
    }
    S.Page = WatchPage::Names;
    return WatchAction::FindNames;
  case 'h':
  case '?':
    S.Page = S.Page == WatchPage::Help ? WatchPage::Table : WatchPage::Help;
    break;
  case 's':
    return WatchAction::Snapshot;
  case 'o':
    return WatchAction::Open;
  case CtrlL:
    break;
  default:
    S.Message = "h shows the keys";
  }
  return WatchAction::None;
}

WatchAction memkit::takeKey(WatchState &S, const Pictured &P, Key K) {
  S.Message.clear();
  constexpr uint32_t CtrlC = 3;
  if (S.Typed && !(K.Kind == KeyKind::Text && K.CodePoint == CtrlC)) {
    takeTyped(S, K);
    return WatchAction::None;
  }
  switch (K.Kind) {
  case KeyKind::Text:
    return takeText(S, P, K.CodePoint);
  case KeyKind::Up:
    moveRows(S, P, -1);
    break;
  case KeyKind::Down:
    moveRows(S, P, 1);
    break;
  case KeyKind::PageUp:
    moveRows(S, P, -int64_t(P.TableRows));
    break;
  case KeyKind::PageDown:
    moveRows(S, P, int64_t(P.TableRows));
    break;
  case KeyKind::Left:
    moveCursor(S, P, /*IsForward=*/false);
    break;
  case KeyKind::Right:
    moveCursor(S, P, /*IsForward=*/true);
    break;
  case KeyKind::Home:
    S.CursorNs = P.BeginNs;
    break;
  case KeyKind::End:
    S.CursorNs.reset();
    break;
  case KeyKind::Tab:
    moveHeap(S, P, 1);
    break;
  case KeyKind::BackTab:
    moveHeap(S, P, -1);
    break;
  case KeyKind::Enter:
    openRow(S, P);
    break;
  case KeyKind::Escape:
    // What hides the whole table ends first.
    if (S.Page != WatchPage::Table)
      S.Page = WatchPage::Table;
    else if (!S.Tree.Filter.empty())
      S.Tree.Filter.clear();
    else
      S.CursorNs.reset();
    break;
  case KeyKind::Backspace:
  case KeyKind::Unknown:
    break;
  }
  return WatchAction::None;
}
