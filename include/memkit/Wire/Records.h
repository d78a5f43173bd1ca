// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All kinds of records, and the one visitor that tells them apart.

#ifndef MEMKIT_WIRE_RECORDS_H
#define MEMKIT_WIRE_RECORDS_H

#include "memkit/Wire/DeviceRecords.h"
#include "memkit/Wire/HostRecords.h"
#include "memkit/Wire/ObjectRecords.h"
#include "memkit/Wire/PoolRecords.h"
#include "memkit/Wire/ScopeRecords.h"
#include "memkit/Wire/TensorRecords.h"

namespace memkit::wire {

template <class... Ts> struct RecordList {
  static constexpr size_t Size = sizeof...(Ts);
};

/// Every kind of record, in the order of RecordKind.
using AllRecords = RecordList<
    AllocateRecord, FreeRecord, ReallocBeginRecord, ReallocEndRecord,
    ThreadStartRecord, ThreadEndRecord, ExecRecord, ExecFailedRecord,
    SpawnedRecord, MapRecord, UnmapRecord, ProtectRecord, RemapBeginRecord,
    RemapEndRecord, BreakRecord, ScopeBeginRecord, ScopeEndRecord, MarkRecord,
    AskRecord, ObjectAllocateRecord, ObjectFreeRecord, ObjectReallocBeginRecord,
    ObjectReallocEndRecord, TensorAllocateRecord, TensorFreeRecord,
    TensorReservedRecord, TensorOomRecord, ScopeNameRecord, PoolBeginRecord,
    PoolEndRecord, PoolAllocateRecord, PoolFreeRecord, PoolResizeRecord,
    PoolNameRecord, TensorRequestRecord, TensorPoolRecord, TensorSegmentRecord,
    TensorReusableRecord, TensorHeldRecord, DeviceAllocateRecord,
    DeviceFreeRecord, DeviceOomRecord, DeviceDetailRecord,
    DeviceContextEndRecord, DeviceMapRecord, DeviceUnmapRecord,
    DeviceUsedRecord, DeviceReservedRecord, DeviceAskRecord>;
static_assert(AllRecords::Size + 1 == NumRecordKinds);

template <class... Ts> constexpr bool areInOrder(RecordList<Ts...>) {
  size_t Next = 1;
  return ((size_t(Ts::Layout::Kind) == Next++) && ...);
}
static_assert(areInOrder(AllRecords()));

template <class Fn, class... Ts>
bool visitRecord(const Record &Rec, Fn &Do, RecordList<Ts...>) {
  // Compiles to a switch.
  return ((Rec.is(Ts::Layout::Kind) ? (Do(decode<Ts>(Rec)), true) : false) ||
          ...);
}

/// Calls Do with the typed record that Rec is. False: Rec is of no known kind,
/// and nothing was called.
template <class Fn> bool visitRecord(const Record &Rec, Fn &&Do) {
  return visitRecord(Rec, Do, AllRecords());
}

} // namespace memkit::wire

#endif // MEMKIT_WIRE_RECORDS_H
