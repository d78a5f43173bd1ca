// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The live blocks of a process, by allocation id.
//
// Allocation ids rise by one, most blocks die young, and a free names its block
// by allocation id. So the set keeps blocks in arrays of 64 Ki allocation ids
// each, and packs an array with few live blocks into a sorted list of the live
// blocks. Memory: at most about 200 bytes for each live block, and some 150
// bytes for each 64 Ki blocks of the run.

#ifndef MEMKIT_MODEL_LIVESET_H
#define MEMKIT_MODEL_LIVESET_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Compiler.h"
#include <algorithm>
#include <cstdint>
#include <vector>

namespace memkit {

class LiveSet {
public:
  /// The values that every event of a block needs. Row 0: not live.
  struct LiveSetEntry {
    uint32_t Row = 0;
    uint32_t ScopeRow = 0;
    uint64_t Size = 0;
  };
  /// Values that few traces have.
  struct RareValues {
    uint64_t Address = 0;
    uint64_t Enclosing = 0; ///< allocation id + 1
    uint32_t Weight = 0;    ///< 0: not sampled
    bool isAny() const { return Address || Enclosing || Weight; }
  };
  /// All values of a block.
  struct LiveSetBlock {
    uint64_t AllocationId = 0;
    LiveSetEntry E;
    uint64_t AllocatedNs = 0;
    RareValues P;
    uint32_t Thread = 0; ///< 0 unless kept
  };

private:
  /// 64 Ki allocation ids. Unless packed, elements at or after next() are not
  /// valid yet.
  struct LiveChunk {
    std::vector<LiveSetEntry> Entries;
    std::vector<uint64_t> AllocationTimes;
    /// Shorter than Entries when the remainder has no places.
    std::vector<RareValues> Places;
    std::vector<uint32_t> Threads;
    /// When packed: the allocation ids of Entries. Few ids are a sorted list;
    /// many ids are a bitmap over all allocation ids, with the number of set
    /// bits before each word.
    std::vector<uint16_t> AllocationIds;
    std::vector<uint64_t> Bits;
    std::vector<uint16_t> Before;
    uint32_t Live = 0;
    int64_t PackAt = -1; ///< pack when Live falls to this value
    bool Packed = false;
  };

public:
  /// KeepThreads: remember the thread of each allocation.
  explicit LiveSet(bool KeepThreads = false) : KeepThreads(KeepThreads) {}

  /// The allocation id of the next block.
  uint64_t next() const { return Next; }
  uint64_t size() const { return Live; }

  /// Adds the block of allocation id next(). E.Row is not 0.
  void add(LiveSetEntry E, uint64_t AllocatedNs, uint32_t Thread) {
    if (LLVM_UNLIKELY(Next == Full))
      makeRoom();
    size_t At = Next & (ChunkSize - 1);
    Current->Entries[At] = E;
    Current->AllocationTimes[At] = AllocatedNs;
    if (LLVM_UNLIKELY(KeepThreads))
      Current->Threads[At] = Thread;
    Current->Live += 1;
    Live += 1;
    Next += 1;
  }
  /// Sets the place of the block added last.
  void setPlaceOfLast(RareValues P);

  /// The position of a live block; invalid after the next add() or erase().
  class LiveCursor {
  public:
    explicit operator bool() const { return C != nullptr; }
    LiveSetEntry &entry() const { return C->Entries[At]; }
    uint64_t allocatedNs() const { return C->AllocationTimes[At]; }
    RareValues place() const {
      return At < C->Places.size() ? C->Places[At] : RareValues();
    }
    uint32_t thread() const {
      return At < C->Threads.size() ? C->Threads[At] : 0;
    }

  private:
    friend class LiveSet;
    LiveChunk *C = nullptr;
    size_t At = 0;
  };

  /// The block AllocationId, or an empty Cursor when the block is not live.
  LiveCursor find(uint64_t AllocationId) {
    LiveCursor Out;
    if (AllocationId >= Next)
      return Out;
    LiveChunk &C = Chunks[AllocationId >> ChunkBits];
    size_t At = AllocationId & (ChunkSize - 1);
    if (LLVM_UNLIKELY(C.Packed))
      At = findPacked(C, static_cast<uint16_t>(At));
    if (At == SIZE_MAX || C.Entries[At].Row == 0)
      return Out;
    Out.C = &C;
    Out.At = At;
    return Out;
  }
  /// Fetches what find() and LiveCursor read of a block that is freed soon.
  LLVM_ATTRIBUTE_ALWAYS_INLINE void prefetch(uint64_t AllocationId) const {
    if (AllocationId >= Next)
      return;
    const LiveChunk &C = Chunks[AllocationId >> ChunkBits];
    size_t At = AllocationId & (ChunkSize - 1);
    if (C.Packed)
      return;
    __builtin_prefetch(&C.Entries[At], 1);
    if (At < C.Places.size())
      __builtin_prefetch(&C.Places[At]);
  }
  /// As find(), for rising allocation ids. After: the result for a lower id.
  LiveCursor findNext(uint64_t AllocationId, LiveCursor After) {
    if (AllocationId >= Next)
      return LiveCursor();
    LiveChunk &C = Chunks[AllocationId >> ChunkBits];
    if (!C.Packed)
      return find(AllocationId);
    // At least half of the entries between After and the block are live, so a
    // few steps suffice.
    constexpr size_t Steps = 8;
    size_t At = After.C == &C ? After.At + 1 : 0;
    size_t End = std::min(At + Steps, C.AllocationIds.size());
    auto Low = static_cast<uint16_t>(AllocationId);
    while (At < End && C.AllocationIds[At] < Low)
      ++At;
    if (At >= End || C.AllocationIds[At] != Low)
      return find(AllocationId);
    LiveCursor Out;
    if (C.Entries[At].Row != 0) {
      Out.C = &C;
      Out.At = At;
    }
    return Out;
  }
  /// Removes the block at Where, a result of find().
  void erase(LiveCursor Where) {
    LiveChunk &C = *Where.C;
    C.Entries[Where.At].Row = 0;
    C.Live -= 1;
    Live -= 1;
    if (static_cast<int64_t>(C.Live) <= C.PackAt)
      pack(C, C.Entries.size());
  }

  //===--------------------------------------------------------------------===//
  // Many at once
  //===--------------------------------------------------------------------===//

  /// Room for the next blocks.
  struct Room {
    LiveSetEntry *Entries = nullptr;
    uint64_t *AllocationTimes = nullptr;
    size_t Count = 0; ///< at least 1
  };
  /// Room for the blocks from next() on, as many as are adjacent. Not with
  /// KeepThreads.
  Room room() {
    if (Next == Full)
      makeRoom();
    size_t At = Next & (ChunkSize - 1);
    return {Current->Entries.data() + At, Current->AllocationTimes.data() + At,
            static_cast<size_t>(Full - Next)};
  }
  /// Makes the first Count elements of room() blocks. Alive of them are live;
  /// dead blocks have Row 0.
  void fill(size_t Count, size_t Alive) {
    Current->Live += Alive;
    Live += Alive;
    Next += Count;
  }
  /// Gives values to a block that fill() of this round counted as not live.
  void revive(uint64_t AllocationId, LiveSetEntry E, uint64_t AllocatedNs);
  /// Finds the entries of blocks before next(). The entry of a dead block has
  /// Row 0; callers may write only entries of live blocks. Valid until the next
  /// makeRoom() or packDue().
  void locate(llvm::ArrayRef<uint64_t> AllocationIds, LiveSetEntry **Out);
  /// As erase(), with the entry from locate(). packDue() must follow.
  void eraseSoon(uint64_t AllocationId, LiveSetEntry &E) {
    E.Row = 0;
    LiveChunk &C = Chunks[AllocationId >> ChunkBits];
    C.Live -= 1;
    Live -= 1;
    if (LLVM_UNLIKELY(static_cast<int64_t>(C.Live) <= C.PackAt))
      Due.push_back(static_cast<uint32_t>(AllocationId >> ChunkBits));
  }
  void packDue();
  /// Whether any block had a place.
  bool hasPlaces() const { return HadPlaces; }

  /// Calls Do for every live block, allocation ids rising.
  void forEach(llvm::function_ref<void(const LiveSetBlock &)> Do) const;

  /// Replaces the set by blocks live before allocation id NextAllocationId:
  /// first restart(), then addOld() with rising allocation ids.
  void restart(uint64_t NextAllocationId);
  void addOld(const LiveSetBlock &B);
  /// Removes all blocks and frees their memory.
  void clear();

private:
  static constexpr unsigned ChunkBits = 16;
  static constexpr size_t ChunkSize = size_t(1) << ChunkBits;
  /// A full array with at most this number of live blocks is packed.
  static constexpr size_t FewLive = ChunkSize / 8;
  /// A packed array with more live blocks has Bits.
  static constexpr size_t LongList = 128;

  static const LiveSetEntry *deadEntries();
  static size_t findPacked(const LiveChunk &C, uint16_t AllocationId);
  static void makeBits(LiveChunk &C);
  void makeRoom();
  size_t used(size_t Index) const;
  void pack(LiveChunk &C, size_t Used);
  template <class F> void eachOf(const LiveChunk &C, size_t Used, F Do) const;

  bool KeepThreads;
  uint64_t Next = 0, Live = 0;
  std::vector<LiveChunk> Chunks;
  /// The entries of each chunk; for a packed chunk, an array of dead blocks.
  std::vector<const LiveSetEntry *> Dense;
  std::vector<uint32_t> Due, Packed; ///< scratch
  bool HadPlaces = false;
  LiveChunk *Current = nullptr; ///< the last chunk, while not full
  uint64_t Full = 0;            ///< the first allocation id without room
  /// Arrays of packed chunks, for reuse: fresh memory costs page faults.
  std::vector<LiveSetEntry> SpareEntries;
  std::vector<uint64_t> SpareTimes;
};

} // namespace memkit

#endif // MEMKIT_MODEL_LIVESET_H
