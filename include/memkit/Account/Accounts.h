//===- Accounts.h - The live sums of a trace --------------------*- C++ -*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sums that a recorder keeps while it writes and a replay keeps while it
// reads: one implementation, so that both say the same. Blocks.h says what each
// sum means (SumRow, Totals, ImageTotals, StepTotals); here stands what it
// leaves open.
//
// Order. Calls come in the total order of the trace's events. A boundary (the
// end of an image, the begin of a step, the cut of a slice) at time T lies after
// all events with TimeNs < T, of all images, and before all others. A recorder
// keeps to it by taking T from boundary() and by giving no later event a time
// below floorNs(). A replay finds the same order from the times alone.
//
// Enclosing blocks. Exclusive bytes of a block are its size less the sizes of
// the live blocks that name it as enclosing. A block nests when both heaps are
// of the same domain and neither is HF_OutsideTotals; else the enclosing block is
// ignored. Name the nearest enclosing block of a counted heap.
// A domain's live bytes are the sum of exclusive bytes, which is the sizes of
// the blocks that lie in no other. Its AllocatedBytes and FreedBytes are the
// rises and falls of that sum by events, so that their difference is what is
// live, and its Allocations, Frees, Temporaries and block counts are of blocks
// that lay in no other at that event. SumRow::DomainPeakBlocks counts all live
// blocks of the row.
// When an enclosing block is freed before what lies in it, the inner blocks from
// then on lie in the block that enclosed the freed one, or in none. When one is
// split, they stay in its first part.
//
// Steps and images. StepTotals and the bytes of ImageTotals are of the domain
// `host` (steps: counts too); ImageTotals counts allocations and frees of every
// heap. Rows of heaps outside the totals have no domain peak, and their
// exclusive bytes are all their bytes.
//
// The context 0 has no row: contextRow() gives 0 and events skip it.
//
// Not thread-safe. Memory: 96 bytes a row and 6 to 12 to find it, 16 for each
// row that changed since the last slice, 48 or so for each enclosing block.
//
//===----------------------------------------------------------------------===//

#ifndef MEMKIT_ACCOUNT_ACCOUNTS_H
#define MEMKIT_ACCOUNT_ACCOUNTS_H

#include "memkit/Account/AccountRows.h"
#include "memkit/Trace/Blocks.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include <array>
#include <cassert>
#include <memory>
#include <vector>

namespace memkit {

/// A block as Accounts must be told of it. Ordinals are of the image.
struct BlockRef {
  uint64_t Ordinal = 0;
  uint32_t Row = 0;        ///< stackRow()
  uint32_t ContextRow = 0; ///< contextRow(), 0 for none
};

class Accounts {
public:
  Accounts();
  ~Accounts();
  Accounts(const Accounts &) = delete;
  Accounts &operator=(const Accounts &) = delete;

  //===--------------------------------------------------------------------===//
  // Heaps, images, rows
  //===--------------------------------------------------------------------===//

  /// Adds the heap Id. Ids may come in any order; each once, before its rows.
  void addHeap(uint32_t Id, const Heap &H);
  /// Begins image Id (each once, before its rows). StartNs is where its first
  /// slice and its times begin.
  void beginImage(uint32_t Id, uint64_t StartNs);
  bool hasHeap(uint32_t Id) const { return Id < Heaps.size() && Heaps[Id]; }
  bool hasImage(uint32_t Id) const { return Id < Images.size() && Images[Id]; }
  bool isEnded(uint32_t Image) const { return Images[Image]->T.Ended; }

  /// The row of (image, heap, stack), made when there is none; never 0. Rows
  /// are numbered from 1 over all images and stay valid: callers cache them.
  uint32_t stackRow(uint32_t Image, uint32_t Heap, uint32_t Stack) {
    return findRow(StackRows, Image, Heap, Stack);
  }
  /// Likewise of (image, heap, context), in a numbering of its own; 0 for the
  /// context 0.
  uint32_t contextRow(uint32_t Image, uint32_t Heap, uint32_t Context) {
    return Context ? findRow(ContextRows, Image, Heap, Context) : 0;
  }
  /// What a row stands for.
  uint32_t stackOf(uint32_t Row) const { return StackRows[Row].Key; }
  uint32_t heapOf(uint32_t Row) const { return Cells[StackRows[Row].Cell].Heap; }
  uint32_t contextOf(uint32_t ContextRow) const {
    return ContextRow ? ContextRows[ContextRow].Key : 0;
  }
  /// How many rows of stacks there are.
  uint32_t numStackRows() const { return StackRows.size(); }

  //===--------------------------------------------------------------------===//
  // Events: a few nanoseconds each. TimeNs never falls. Thread: 0 when unknown.
  //===--------------------------------------------------------------------===//

  /// The block B begins to live. In: the live block that encloses it, if any.
  void allocate(BlockRef B, uint64_t Size, uint64_t TimeNs, uint32_t Thread) {
    Change C(*this, B);
    C.countAllocation(Size, Thread, B.Ordinal);
    C.grow(Size, 1);
    C.domainGrow(Size, 1, TimeNs);
    C.D->Allocations += 1;
    C.I->countHost(C.D, &StepTotals::Allocations);
  }
  void allocateIn(BlockRef B, BlockRef In, uint64_t Size, uint64_t TimeNs,
                  uint32_t Thread);
  /// The block B, of Size bytes, is freed. Enclosing: the ordinal + 1 of the
  /// block given as In when it was allocated, 0 for none.
  void free(BlockRef B, uint64_t Size, uint64_t TimeNs, uint32_t Thread,
            uint64_t Enclosing = 0);
  void resize(BlockRef B, uint64_t OldSize, uint64_t NewSize, uint64_t TimeNs,
              uint64_t Enclosing = 0);
  /// B is cut in two; the new part is a block of the same rows, and of the same
  /// enclosing block.
  void split(BlockRef B, uint64_t TimeNs, uint64_t Enclosing = 0);

  //===--------------------------------------------------------------------===//
  // Boundaries
  //===--------------------------------------------------------------------===//

  /// The first moment at or after TimeNs that can be a boundary: a multiple of
  /// TimeUnitNs after every event so far.
  uint64_t boundary(uint64_t TimeNs) const;
  /// What the last boundary() taken demands of the events after it.
  uint64_t floorNs() const { return FloorNs; }

  /// Image ends: its blocks leave the live curves, its sums stay as they are.
  /// No event of it may follow. ExitStatus -1: unknown.
  void endImage(uint32_t Image, uint64_t TimeNs, int32_t ExitStatus,
                uint32_t Signal);
  /// Ends the step that runs in Image, if any, and begins Step.
  void beginStep(uint32_t Image, uint64_t Step, uint64_t TimeNs);

  /// When the next slice of Image is due by time; for an image with steps,
  /// UINT64_MAX. The recorder asks often: it is a load.
  uint64_t nextSliceNs(uint32_t Image) const { return Images[Image]->NextSliceNs; }
  /// Whether a slice is due, the step just begun counted.
  bool sliceDueAtStep(uint32_t Image) const;
  /// Cuts a slice that ends at TimeNs: the (heap, stack) whose live values
  /// differ from those at the slice before, sorted by heap and stack. Nothing is
  /// allocated in Out when its memory is reused. Returns false, and numbers no
  /// slice, when the image has none due because nothing happened in it.
  void cutSlice(uint32_t Image, uint64_t TimeNs, Slice &Out);
  /// Stops the book-keeping of slices, for those who want none. At the start.
  void disableSlices() { SlicesOn = false; }

  //===--------------------------------------------------------------------===//
  // What is no block
  //===--------------------------------------------------------------------===//

  void inheritedFree(uint32_t Image) { Images[Image]->T.InheritedFrees += 1; }
  void addLoss(uint32_t Image, LossKind Kind, uint64_t Count);
  void countMarks(uint64_t N) { Marks += N; }
  /// What the allocator of Heap holds in Image from now on.
  void setReserved(uint32_t Image, uint32_t Heap, uint64_t Bytes);

  //===--------------------------------------------------------------------===//
  // Results. All may be asked at any time; running images count as they are.
  //===--------------------------------------------------------------------===//

  uint64_t events() const { return Now; }
  uint64_t events(uint32_t Image) const { return Images[Image]->Events; }
  uint64_t lastEventNs() const { return LastNs; }
  uint64_t liveBlocks(uint32_t Image) const;
  HeapTotals heapTotals(uint32_t Heap) const;
  /// Domain: 0 `host`, else a device.
  Totals domainTotals(uint32_t Domain) const;
  ImageTotals imageTotals(uint32_t Image, uint64_t NowNs) const;

  /// Gives the Summary in blocks of at most MaxBlockRows rows, all of Number.
  /// The last one, with Complete set, holds all that is not a row of a stack or
  /// context, unless there are more than MaxBlockRows steps or images: the rest
  /// of those stand before. Rows are sorted by image, heap, key; rows without an
  /// allocation are left out. Stops at Write's first error and returns it.
  llvm::Error
  summary(uint32_t Number, uint64_t EndNs,
          llvm::function_ref<llvm::Error(const Summary &)> Write) const;
  /// The same in one piece, of any number of rows.
  Summary summary(uint32_t Number, uint64_t EndNs) const;

private:
  /// A domain, or what stands for the domain of a heap outside the totals.
  struct DomainState : Totals {
    uint64_t PeakAt = 0; ///< number of the event that reached the peak
    bool Counted = true;
  };
  struct HeapState : HeapTotals {
    uint64_t PeakAt = 0;
    DomainState *Domain = nullptr;
    uint64_t EndedBlocks = 0; ///< live when their images ended
    uint64_t EndedBytes = 0;
    uint64_t EndedReserved = 0;
  };
  /// A row that changed since the last slice, as it was at that slice.
  struct DirtyRow {
    uint32_t Row;
    uint32_t LiveBlocks;
    uint64_t LiveBytes;
  };
  /// A block that encloses others; freed ones stay as long as these live.
  struct Encloser {
    uint64_t InnerBytes = 0;
    uint32_t InnerBlocks = 0;
    uint32_t Row = 0;
    uint32_t ContextRow = 0;
    bool Freed = false;
    uint64_t Outer = 0; ///< ordinal + 1 of its own, when Freed
  };
  struct ImageState {
    ImageTotals T;
    uint64_t Events = 0;
    uint64_t EndAt = UINT64_MAX; ///< number of the last event before its end
    uint64_t HostLive = 0;
    uint64_t SliceFrom = 0; ///< rows last changed before are clean; 0: no slices
    uint64_t NextSliceNs = UINT64_MAX;
    uint64_t SliceNs = 0; ///< between slices by time
    uint64_t SliceSteps = 1;
    uint64_t StepsInSlice = 0;
    Slice Open; ///< the slice that runs, without rows
    bool Stepping = false;
    StepTotals Step;
    DomainState *Host = nullptr;
    std::vector<StepTotals> Steps;
    std::vector<DirtyRow> Dirty;
    std::vector<uint32_t> Cells;
    std::array<uint64_t, NumLossKinds> Losses{};
    llvm::DenseMap<uint64_t, Encloser> Enclosers; ///< by ordinal

    void countHost(const DomainState *D, uint64_t StepTotals::*Field) {
      if (D == Host)
        Step.*Field += 1;
    }
  };
  /// A heap in an image.
  struct Cell {
    uint32_t Image = 0;
    uint32_t Heap = 0;
    ImageState *I = nullptr;
    HeapState *H = nullptr;
    DomainState *D = nullptr;
    uint32_t LastStackRow = 0; ///< head of the list of NextOfCell
    uint32_t LastContextRow = 0;
    uint64_t Reserved = 0;
    llvm::DenseMap<uint32_t, uint64_t> StackSplits; ///< by row
    llvm::DenseMap<uint32_t, uint64_t> ContextSplits;
  };

  /// One event on a block: finds all that it touches, saves what peaks and
  /// slices need of its rows, then changes them.
  struct Change {
    Accounts &A;
    AccountRow &R;
    AccountRow *X; ///< the context's row or null
    ImageState *I;
    HeapState *H;
    DomainState *D;

    Change(Accounts &A, BlockRef B);
    void countAllocation(uint64_t Size, uint32_t Thread, uint64_t Ordinal);
    /// Adds to rows and heap; Bytes and Blocks may be negative, modulo 2^64.
    void grow(uint64_t Bytes, uint64_t Blocks);
    void shrink(uint64_t Bytes, uint64_t Blocks);
    /// Moves the domain's curve up by what the rows' exclusive bytes grew.
    void domainGrow(uint64_t Bytes, uint64_t Blocks, uint64_t TimeNs);
    void domainShrink(uint64_t Bytes, uint64_t Blocks);
  };

  uint32_t findRow(AccountRows &Rows, uint32_t Image, uint32_t Heap, uint32_t Key);
  AccountRow &touchStack(uint32_t Row);

  uint64_t Now = 0; ///< events so far; numbers them from 1
  uint64_t LastNs = 0;
  mutable uint64_t FloorNs = 0;
  uint64_t Marks = 0;
  bool SlicesOn = true;
  AccountRows StackRows, ContextRows;
  std::vector<Cell> Cells;
  std::vector<std::unique_ptr<HeapState>> Heaps;
  std::vector<std::unique_ptr<DomainState>> Domains;
  std::vector<std::unique_ptr<ImageState>> Images;
  std::vector<uint64_t> LastAllocation; ///< by thread: ordinal + 1
  DomainState Outside;
};

} // namespace memkit

#endif // MEMKIT_ACCOUNT_ACCOUNTS_H
