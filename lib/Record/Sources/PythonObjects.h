// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A source: objects of an interpreter, heap python.object.
//
// The interpreter's lock orders the records, so no record waits for another. A
// free of an unknown object is of an object from before the recording, or of
// the parent process.
//
// Nearly each object lies in another block: an arena that the interpreter has
// mapped, or, for a large object, a block of malloc. The arena is looked up by
// the object's address when needed, and not kept: the mapping at this address
// is older than the object. A block of malloc may be freed or reallocated
// before the object, and is kept.

#ifndef MEMKIT_LIB_RECORD_PYTHONOBJECTS_H
#define MEMKIT_LIB_RECORD_PYTHONOBJECTS_H

#include "Shared/RingMerge.h"
#include "Sources/AdoptedBlocks.h"
#include "Sources/EventSink.h"
#include "Sources/MapTable.h"
#include "Wire/ObjectRecords.h"
#include "llvm/ADT/DenseMap.h"

namespace memkit {

class BlockSnapshots;
class HostHeap;
class Mappings;
class ProcessState;
struct RingOfProcess;
struct SharedSources;

/// As in HostHeap, records go two ways with the same result: runs through
/// takeFast(), single records through take(). Belongs to the recorder's
/// thread.
class PythonObjects {
public:
  PythonObjects(EventSink &Sink, BlockSnapshots &Snapshots, Mappings &Maps,
                HostHeap &Host, SharedSources &Shared);

  void take(const wire::ObjectAllocateRecord &Rec, RecordOrigin From);
  void take(const wire::ObjectFreeRecord &Rec, RecordOrigin From);
  void take(const wire::ObjectReallocBeginRecord &Rec, RecordOrigin From);
  void take(const wire::ObjectReallocEndRecord &Rec, RecordOrigin From);

  /// As in HostHeap.
  void expectAdopted() { Adopted.expect(); }
  void endAdopting() { Adopted.end(); }
  bool adopt(uint64_t Address, uint64_t Bytes, uint32_t Stack,
             RecordOrigin From);

  /// As HostHeap::takeFast(), for objects.
  size_t takeFast(llvm::ArrayRef<MergedRecord> Records, const RingOfProcess *Of,
                  const ProcessState *Self);
  LLVM_ATTRIBUTE_ALWAYS_INLINE void prefetch(const wire::Record &Rec) const {
    Live.prefetch(Rec.Address, true);
  }
  /// The thread of the ring has ended.
  void releaseRing(uint32_t Ring) {
    if (Ring < Reallocs.size())
      Reallocs[Ring].Address = 0;
  }

  /// The live objects by address.
  const LiveTable &table() const { return Live; }
  /// Whether a block lives at Address; copies the block to Out.
  bool findLive(uint64_t Address, LiveEntry &Out) const {
    return Live.get(Address, &Out);
  }

private:
  /// Flag in the ScopeRow of an object that lies in a block of malloc.
  static constexpr uint32_t InMallocBit = ScopeRowFlag;
  /// An object that is being reallocated, and its old address; 0: none.
  struct ObjectRealloc {
    LiveEntry Object;
    uint64_t Address = 0;
  };

  bool isWanted(uint64_t Address) const;
  /// The entry of a record's object, without id and time.
  template <class T> LiveEntry entryOf(const T &Rec, uint32_t Ring);
  class Run;
  bool remove(uint64_t Address, LiveEntry &E);
  void put(uint64_t Address, LiveEntry E, RecordOrigin From, bool InMalloc);
  void emitFree(uint64_t Address, LiveEntry E, RecordOrigin From);
  uint64_t outerOf(uint64_t Address, const LiveEntry &E);
  uint64_t takeOuterOf(uint64_t Address, const LiveEntry &E);
  void keepOuterOf(MapTable::MapRange Gone);

  AdoptedBlocks Adopted; ///< keys: addresses
  EventSink &Sink;
  BlockSnapshots &Snapshots;
  Mappings &Maps;
  HostHeap &Host;
  SharedSources &Shared;
  LiveTable Live; ///< ScopeRow may have InMallocBit
  unsigned Table; ///< Live's number in Snapshots
  /// Object's id to outer block's id + 1.
  llvm::DenseMap<uint64_t, uint64_t> InBlocks;
  std::vector<ObjectRealloc> Reallocs; ///< by ring
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_PYTHONOBJECTS_H
