// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All kinds of records, and a visitor for them.

#ifndef MEMKIT_LIB_WIRE_RECORDS_H
#define MEMKIT_LIB_WIRE_RECORDS_H

#include "DeviceRecords.h"
#include "DeviceTimeRecords.h"
#include "FigureRecords.h"
#include "GeneratedRecords.h"
#include "HolderRecords.h"
#include "HostRecords.h"
#include "ObjectRecords.h"
#include "PoolRecords.h"
#include "PrivateRecords.h"
#include "ReportedRecords.h"
#include "ScopeRecords.h"
#include "TensorRecords.h"

namespace memkit::wire {

template <class... As, class... Bs>
RecordList<As..., Bs...> operator+(RecordList<As...>, RecordList<Bs...>);

using AllRecords =
    decltype(HostRecords() + ObjectRecords() + ScopeRecords() +
             TensorRecords() + PoolRecords() + DeviceRecords() +
             DeviceTimeRecords() + ReportedRecords() + HolderRecords() +
             FigureRecords() + GeneratedRecords() + PrivateRecords());

/// Whether each kind but None has exactly one record.
template <class... Ts> constexpr bool haveAllKinds(RecordList<Ts...>) {
  bool Seen[NumRecordKinds] = {};
  ((Seen[size_t(Ts::Layout::Kind)] = true), ...);
  for (size_t Kind = 1; Kind != NumRecordKinds; ++Kind)
    if (!Seen[Kind])
      return false;
  return sizeof...(Ts) == NumRecordKinds - 1;
}
static_assert(haveAllKinds(AllRecords()));

template <class Fn, class... Ts>
bool visitRecord(const Record &Rec, Fn &Do, RecordList<Ts...>) {
  // Compiles to a switch.
  return ((Rec.is(Ts::Layout::Kind) ? (Do(decode<Ts>(Rec)), true) : false) ||
          ...);
}

/// Calls Do with the typed record of Rec. False, without a call, if Rec has an
/// unknown kind.
template <class Fn> bool visitRecord(const Record &Rec, Fn &&Do) {
  return visitRecord(Rec, Do, AllRecords());
}

} // namespace memkit::wire

#endif // MEMKIT_LIB_WIRE_RECORDS_H
