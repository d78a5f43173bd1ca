// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Draws what memtop shows, as a picture or as JSON.

#ifndef MEMKIT_LIB_WATCH_WATCHFRAME_H
#define MEMKIT_LIB_WATCH_WATCHFRAME_H

#include "NameRows.h"
#include "Terminal/Cells.h"
#include "WatchState.h"
#include "WatchedGrowth.h"

namespace memkit {

/// What is known beside the trace.
struct WatchedRun {
  std::string Source;                  ///< `live:4711`, `trace.fb`
  std::string Program;                 ///< `train.py`
  uint32_t Pid = 0;                    ///< 0: not known
  int32_t Rank = -1;                   ///< -1: not known
  std::string Status;                  ///< `recording`, `replay`, ...
  std::optional<double> RecorderShare; ///< of a processor, in the last refresh
  std::optional<uint64_t> LimitBytes;  ///< of the program's control group
  bool IsLive = false;
  std::vector<WatchedGrowth> Growing; ///< at the last search
  uint64_t GrowthNs = 0;              ///< the end of the trace then
};

/// One frame: the trace up to NowNs, with the table of AtNs.
struct WatchFrame {
  WatchedTrace *W = nullptr;
  WatchedRun Run;
  uint64_t NowNs = 0, AtNs = 0;
  std::vector<TreeRow> Rows;
  uint64_t WindowNs = 0;
  bool HasSteps = false, HasAges = false;
  std::string Note;   ///< instead of rows: why there are none
  WatchedNames Names; ///< of the page of names
};

/// Reads the table of a frame. Errors: reading errors.
llvm::Error fillFrame(WatchFrame &F, RowTree &Tree, const WatchState &S);

struct FrameStyle {
  unsigned Width = 80, Height = 24;
  bool Ascii = false;
};

/// Draws a frame. P gets what the next key needs; S.FirstRow is moved so that
/// the selected row is visible.
Cells drawFrame(const WatchFrame &F, WatchState &S, FrameStyle How,
                Pictured &P);

/// The frame as one line of JSON, with at most MaxRows rows of the table.
std::string frameJson(const WatchFrame &F, const WatchState &S, size_t MaxRows);

} // namespace memkit

#endif // MEMKIT_LIB_WATCH_WATCHFRAME_H
