// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the user of memtop has chosen, and what keys do.

#ifndef MEMKIT_LIB_WATCH_WATCHSTATE_H
#define MEMKIT_LIB_WATCH_WATCHSTATE_H

#include "RowTree.h"
#include "Terminal/Keys.h"

namespace memkit {

enum class WatchPage : uint8_t { Table, Alerts, Names, Help };

struct WatchState {
  std::string HeapName; ///< of WatchedTrace::heaps(); empty: the first
  TreeSpec Tree;
  std::optional<uint64_t> CursorNs;   ///< the shown moment; none: now
  uint64_t SpanNs = 0;                ///< the time on the chart; 0: all
  uint64_t WindowNs = 60'000'000'000; ///< of rates
  std::optional<uint64_t> MarkNs;
  uint64_t SelectedId = 0; ///< TreeRow::Id; 0: the first row
  size_t FirstRow = 0;     ///< the first visible row
  bool IsPaused = false;
  WatchPage Page = WatchPage::Table;
  std::optional<std::string> Typed; ///< while a filter is typed
  std::string Message;              ///< instead of the keys, in the last line
};

/// What keys need to know of the last picture.
struct Pictured {
  std::vector<std::string> Heaps;
  std::vector<std::pair<uint64_t, bool>> Rows; ///< Id, CanOpen
  uint64_t BeginNs = 0, NowNs = 0, AtNs = 0;   ///< of the chart
  unsigned ChartColumns = 1, TableRows = 1;
};

/// What a key asks for beyond the state.
enum class WatchAction : uint8_t {
  None,
  Quit,
  SetMark, ///< MarkNs was set to now
  Snapshot,
  FindNames, ///< the page of names is shown now
  Open,      ///< memview
};

/// Takes a key. Belongs to the state's thread.
WatchAction takeKey(WatchState &S, const Pictured &P, Key K);

/// The index of the chosen heap.
size_t heapIndex(const WatchState &S, llvm::ArrayRef<WatchedHeap> Heaps);

} // namespace memkit

#endif // MEMKIT_LIB_WATCH_WATCHSTATE_H
