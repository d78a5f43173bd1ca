// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A source: the mappings of a process.

#ifndef MEMKIT_LIB_RECORD_MAPPINGS_H
#define MEMKIT_LIB_RECORD_MAPPINGS_H

#include "Shared/RecordOrigin.h"
#include "Sources/MapTable.h"
#include "Sources/TouchedPages.h"
#include "Wire/HostRecords.h"
#include "memkit/Stats/LiveStats.h"
#include <functional>
#include <vector>

namespace memkit {

class BlockSnapshots;
class EventSink;

/// Mappings, the break and the stacks of threads: heaps host.mmap, .reserved,
/// .file, .device, .stack and .brk, and what is touched of .reserved. Belongs
/// to the recorder's thread.
class Mappings {
public:
  Mappings(EventSink &Sink, BlockSnapshots &Snapshots);

  void take(const wire::MapRecord &Rec, RecordOrigin From);
  void take(const wire::UnmapRecord &Rec, RecordOrigin From);
  void take(const wire::ProtectRecord &Rec, RecordOrigin From);
  void take(const wire::RemapBeginRecord &Rec, RecordOrigin From);
  void take(const wire::RemapEndRecord &Rec, RecordOrigin From);
  void take(const wire::BreakRecord &Rec, RecordOrigin From);
  /// The stack of a thread that has ended is unmapped.
  void endThread(const wire::ThreadEndRecord &Rec, RecordOrigin From);

  /// The mapping of class Used around a block at Address, or null; Row 0: the
  /// user excluded the mapping. Only these mappings count in the stats of the
  /// memory space.
  const MapTable::MapBlock *enclosing(uint64_t Address) {
    return Table.enclosing(Address);
  }
  /// Finds the mapping Out around the live block E at Address. False: none.
  bool findOuter(uint64_t Address, const LiveEntry &E, BlockRef &Out);

  /// The mappings by start.
  const MapTable::MapBlockMap &blocks() const { return Table.blocks(); }

  /// A sample at clock Tsc has found Bytes resident of the mapping Id of
  /// host.reserved, which began at Begin. Grow, Exact: as
  /// TouchedPages::sample().
  struct TouchedMapping {
    uint64_t Begin, Id, Bytes;
    bool Grow, Exact;
  };
  void touch(const TouchedMapping &M, uint64_t Tsc);
  /// The blocks of the reserved mapping around Address are recorded from now
  /// on: host.touched leaves the mapping.
  void leaveTouched(uint64_t Address, RecordOrigin From);

  using MapRange = MapTable::MapRange;
  /// Do is called before addresses leave a mapping that lives on and holds
  /// blocks. For the stats these blocks stay in the mapping, but their
  /// addresses no longer lead to it.
  void onLeave(std::function<void(MapRange)> Do) { OnLeave = std::move(Do); }

private:
  class Events;
  /// An mremap that runs in the thread of a ring.
  struct RunningRemap {
    MapRange Old;
    uint64_t Tsc = 0;
    wire::MapClass Class;
  };

  EventSink &Sink;
  BlockSnapshots &Snapshots;
  MapTable Table;
  TouchedPages Touched;
  std::vector<RunningRemap> Remaps; ///< by ring
  std::function<void(MapRange)> OnLeave;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_MAPPINGS_H
