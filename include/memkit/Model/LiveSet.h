// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The live blocks of a process, by allocation id.
//
// Allocation ids rise by one, most blocks die young, and a free names its block
// by allocation id: so blocks stand in arrays of 64 Ki allocation ids each. An
// array of which little lives is packed to a sorted list of what does. Memory
// is that of the live set (at most about 200 bytes a block) and some 150 bytes
// for each 64 Ki blocks of the run.

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
  /// What every event on a block needs. Row 0: not live.
  struct Entry {
    uint32_t Row = 0;
    uint32_t ScopeRow = 0;
    uint64_t Size = 0;
  };
  /// What few traces have.
  struct Place {
    uint64_t Address = 0;
    uint64_t Enclosing = 0; ///< allocation id + 1
    uint32_t Weight = 0;    ///< 0: it is not sampled
    bool isAny() const { return Address || Enclosing || Weight; }
  };
  /// A block in whole.
  struct Block {
    uint64_t AllocationId = 0;
    Entry E;
    uint64_t AllocatedNs = 0;
    Place P;
    uint32_t Thread = 0; ///< 0 unless kept
  };

private:
  /// Unless packed, what is at or after next() in these is not yet valid.
  struct Chunk {
    std::vector<Entry> Entries;
    std::vector<uint64_t> AllocationTimes;
    std::vector<Place> Places; ///< shorter than Entries when the rest have none
    std::vector<uint32_t> Threads;
    /// When packed: which allocation ids Entries are of. A few are a sorted
    /// list, more are a bit for each allocation id, and for each word of bits
    /// the number of those before it.
    std::vector<uint16_t> AllocationIds;
    std::vector<uint64_t> Bits;
    std::vector<uint16_t> Before;
    uint32_t Live = 0;
    int64_t PackAt = -1; ///< pack when Live falls to this
    bool Packed = false;
  };

public:
  /// KeepThreads: remember the thread of each allocation.
  explicit LiveSet(bool KeepThreads = false) : KeepThreads(KeepThreads) {}

  /// The allocation id of the next block.
  uint64_t next() const { return Next; }
  uint64_t size() const { return Live; }

  /// Adds the block of allocation id next(). E.Row is not 0.
  void add(Entry E, uint64_t AllocatedNs, uint32_t Thread) {
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
  void setPlaceOfLast(Place P);

  /// Where a live block stands; invalid after the next add() or erase().
  class Cursor {
  public:
    explicit operator bool() const { return C != nullptr; }
    Entry &entry() const { return C->Entries[At]; }
    uint64_t allocatedNs() const { return C->AllocationTimes[At]; }
    Place place() const {
      return At < C->Places.size() ? C->Places[At] : Place();
    }
    uint32_t thread() const {
      return At < C->Threads.size() ? C->Threads[At] : 0;
    }

  private:
    friend class LiveSet;
    Chunk *C = nullptr;
    size_t At = 0;
  };

  /// The block AllocationId, or nothing when it is not live.
  Cursor find(uint64_t AllocationId) {
    Cursor Out;
    if (AllocationId >= Next)
      return Out;
    Chunk &C = Chunks[AllocationId >> ChunkBits];
    size_t At = AllocationId & (ChunkSize - 1);
    if (LLVM_UNLIKELY(C.Packed))
      At = findPacked(C, static_cast<uint16_t>(At));
    if (At == SIZE_MAX || C.Entries[At].Row == 0)
      return Out;
    Out.C = &C;
    Out.At = At;
    return Out;
  }
  /// The same for rising allocation ids, After being what was found for one
  /// before.
  Cursor findNext(uint64_t AllocationId, Cursor After) {
    if (AllocationId >= Next)
      return Cursor();
    Chunk &C = Chunks[AllocationId >> ChunkBits];
    if (!C.Packed)
      return find(AllocationId);
    // At least half of those between live.
    constexpr size_t Steps = 8;
    size_t At = After.C == &C ? After.At + 1 : 0;
    size_t End = std::min(At + Steps, C.AllocationIds.size());
    auto Low = static_cast<uint16_t>(AllocationId);
    while (At < End && C.AllocationIds[At] < Low)
      ++At;
    if (At >= End || C.AllocationIds[At] != Low)
      return find(AllocationId);
    Cursor Out;
    if (C.Entries[At].Row != 0) {
      Out.C = &C;
      Out.At = At;
    }
    return Out;
  }
  /// Takes out what find() gave.
  void erase(Cursor Where) {
    Chunk &C = *Where.C;
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
    Entry *Entries = nullptr;
    uint64_t *AllocationTimes = nullptr;
    size_t Count = 0; ///< at least 1
  };
  /// Room for the blocks from next() on, as many as stand together. Not with
  /// KeepThreads.
  Room room() {
    if (Next == Full)
      makeRoom();
    size_t At = Next & (ChunkSize - 1);
    return {Current->Entries.data() + At, Current->AllocationTimes.data() + At,
            static_cast<size_t>(Full - Next)};
  }
  /// The first Count of room() are blocks now, Alive of them live; those that
  /// are not have Row 0.
  void fill(size_t Count, size_t Alive) {
    Current->Live += Alive;
    Live += Alive;
    Next += Count;
  }
  /// Gives a block that fill() counted as not live, in this round, its values.
  void revive(uint64_t AllocationId, Entry E, uint64_t AllocatedNs);
  /// Where the entries of blocks before next() stand; one that is not live has
  /// Row 0, and only live ones may be written. Valid until the next makeRoom()
  /// or packDue().
  void locate(llvm::ArrayRef<uint64_t> AllocationIds, Entry **Out);
  /// As erase(), with the entry that locate() gave. packDue() must follow.
  void eraseSoon(uint64_t AllocationId, Entry &E) {
    E.Row = 0;
    Chunk &C = Chunks[AllocationId >> ChunkBits];
    C.Live -= 1;
    Live -= 1;
    if (LLVM_UNLIKELY(static_cast<int64_t>(C.Live) <= C.PackAt))
      Due.push_back(static_cast<uint32_t>(AllocationId >> ChunkBits));
  }
  void packDue();
  /// Whether any block has had a place.
  bool hasPlaces() const { return HadPlaces; }

  /// Calls Do for every live block, allocation ids rising.
  void forEach(llvm::function_ref<void(const Block &)> Do) const;

  /// Begins anew with a set that was live before allocation id
  /// NextAllocationId: first restart(), then addOld() with rising allocation
  /// ids.
  void restart(uint64_t NextAllocationId);
  void addOld(const Block &B);
  /// Forgets all, and gives its memory back.
  void clear();

private:
  static constexpr unsigned ChunkBits = 16;
  static constexpr size_t ChunkSize = size_t(1) << ChunkBits;
  /// A full array of which no more than this lives is packed.
  static constexpr size_t FewLive = ChunkSize / 8;
  /// More than these have Bits.
  static constexpr size_t LongList = 128;

  static const Entry *deadEntries();
  static size_t findPacked(const Chunk &C, uint16_t AllocationId);
  static void makeBits(Chunk &C);
  void makeRoom();
  size_t used(size_t Index) const;
  void pack(Chunk &C, size_t Used);
  template <class F> void eachOf(const Chunk &C, size_t Used, F Do) const;

  bool KeepThreads;
  uint64_t Next = 0, Live = 0;
  std::vector<Chunk> Chunks;
  /// The entries of each chunk, or of dead blocks where it is packed.
  std::vector<const Entry *> Dense;
  std::vector<uint32_t> Due, Packed; ///< scratch
  bool HadPlaces = false;
  Chunk *Current = nullptr; ///< the last one, when it takes more
  uint64_t Full = 0; ///< the allocation id for which there is no room yet
  /// Arrays of packed chunks, to be used again: fresh memory costs faults.
  std::vector<Entry> SpareEntries;
  std::vector<uint64_t> SpareTimes;
};

} // namespace memkit

#endif // MEMKIT_MODEL_LIVESET_H
