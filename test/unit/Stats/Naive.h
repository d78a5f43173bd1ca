// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes the stats of a trace by brute force.
//
// LiveStats computes lazily; Naive follows the definition: after every event it
// adds up all live blocks anew, and a new peak copies every row.

#ifndef MEMKIT_TEST_UNIT_ACCOUNT_NAIVE_H
#define MEMKIT_TEST_UNIT_ACCOUNT_NAIVE_H

#include "memkit/Trace/Sections.h"
#include <map>
#include <tuple>
#include <vector>

namespace memkit::test {

struct NaiveBlock {
  uint32_t Process, Heap, Stack, ScopePath, Thread;
  uint64_t Size;
  int Outer; ///< index of the named enclosing block, -1 none
  bool Live = true;
};

/// (scope paths?, process, heap, key)
using RowKey = std::tuple<bool, uint32_t, uint32_t, uint32_t>;

class Naive {
public:
  explicit Naive(std::vector<Heap> H) : Heaps(std::move(H)) {}

  int allocate(NaiveBlock B, uint64_t Time);
  void free(int At, uint32_t Thread, uint64_t Time);
  void resize(int At, uint64_t Size, uint64_t Time);
  int split(int At, uint64_t Size, uint64_t Time);
  void endProcess(uint32_t Process, uint64_t Time, int32_t Status,
                  uint32_t Signal);
  void beginStep(uint32_t Process, uint64_t Step, uint64_t Time);
  /// The rows whose live values changed since the last call. For a whole
  /// interval also the rows that allocated since interval() returned them last.
  std::vector<IntervalRow> interval(uint32_t Process, IntervalDetail Detail);

  /// The enclosing block of At that stats use, -1 for none.
  int outer(int At) const;
  Summary summary(uint64_t EndNs) const;

  std::vector<NaiveBlock> Blocks;

private:
  bool counted(uint32_t H) const {
    return !(Heaps[H - 1].Flags & HF_OutsideTotals);
  }
  bool nests(int In, int Out) const;
  uint64_t exclusive(int At) const;
  bool running(uint32_t Process) const { return !Ended.count(Process); }
  std::map<RowKey, StackStats> live(bool Everything) const;
  uint64_t liveOf(uint32_t Process, uint32_t Space) const;
  void endStep(uint32_t Process, uint64_t Time);
  void spaceMoved(int At, uint64_t Before, bool Outermost, int Kind);
  uint64_t spaceBytes(uint32_t Space, bool Everything, uint64_t &Count) const;
  void lookForPeaks(uint64_t Time);
  template <class F> void eachRow(int At, F Do);

  std::vector<Heap> Heaps;
  std::map<RowKey, StackStats> Rows;
  std::map<uint32_t, TotalStats> HeapStatsOf, SpaceSums;
  std::map<uint32_t, std::vector<uint64_t>> Sizes; ///< by heap
  std::map<uint32_t, ThreadStats> Threads;
  std::map<uint32_t, std::map<RowKey, StackStats>> HeapPeaks, SpacePeaks;
  std::map<uint32_t, ProcessStats> Processes;
  std::map<uint32_t, bool> Ended;
  std::map<uint32_t, StepStats> Running;
  std::map<uint32_t, std::vector<StepStats>> Steps;
  std::map<uint32_t, std::map<RowKey, StackStats>> Sliced;
  /// Rows as interval() returned them last.
  std::map<RowKey, StackStats> Written;
  std::map<uint32_t, int> LastOfThread;
  uint64_t Events = 0;
};

} // namespace memkit::test

#endif // MEMKIT_TEST_UNIT_ACCOUNT_NAIVE_H
