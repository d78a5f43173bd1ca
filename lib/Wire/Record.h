// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The 32 bytes of a record, and the encoding of typed records in them.
//
// Each kind of record is a struct (HostRecords.h, TensorRecords.h, ...) whose
// Layout lists a slot for each member, in the members' order. encode() and
// decode() follow the list; no other code packs or unpacks records.
//
// A part of Layout.h, which defines the writer of each field. Any thread may
// call these functions.

#ifndef MEMKIT_LIB_WIRE_RECORD_H
#define MEMKIT_LIB_WIRE_RECORD_H

#include <cstddef>
#include <cstdint>

namespace memkit::wire {

enum class RecordKind : uint8_t {
  None = 0,
  // HostRecords.h
  Allocate = 1,
  Free = 2,
  ReallocBegin = 3,
  ReallocEnd = 4,
  ThreadStart = 5,
  ThreadEnd = 6,
  Exec = 7,
  ExecFailed = 8,
  Spawned = 9,
  Map = 10,
  Unmap = 11,
  Protect = 12,
  RemapBegin = 13,
  RemapEnd = 14,
  Break = 15,
  // ScopeRecords.h
  ScopeBegin = 16,
  ScopeEnd = 17,
  Mark = 18,
  Ask = 19,
  // ObjectRecords.h
  ObjectAllocate = 20,
  ObjectFree = 21,
  ObjectReallocBegin = 22,
  ObjectReallocEnd = 23,
  // TensorRecords.h
  TensorAllocate = 24,
  TensorFree = 25,
  TensorReserved = 26,
  TensorOom = 27,
  ScopeName = 28, ///< ScopeRecords.h
  // PoolRecords.h
  PoolBegin = 29,
  PoolEnd = 30,
  PoolAllocate = 31,
  PoolFree = 32,
  PoolResize = 33,
  PoolName = 34,
  // TensorRecords.h
  TensorRequest = 35,
  TensorPool = 36,
  TensorSegment = 37,
  TensorReusable = 38,
  TensorHeld = 39,
  // DeviceRecords.h
  DeviceAllocate = 40,
  DeviceFree = 41,
  DeviceOom = 42,
  DeviceDetail = 43,
  DeviceContextEnd = 44,
  DeviceMap = 45,
  DeviceUnmap = 46,
  DeviceUsed = 47,
  DeviceReserved = 48,
  DeviceAsk = 49,
  // ReportedRecords.h
  ReportedAllocate = 50,
  ReportedFree = 51,
  HostOom = 52,       ///< HostRecords.h
  BlockHeld = 53,     ///< HolderRecords.h
  Figure = 54,        ///< FigureRecords.h
  TensorDtype = 55,   ///< TensorRecords.h
  GeneratedLine = 56, ///< GeneratedRecords.h
  LayerTensor = 57,   ///< ScopeRecords.h
  // PrivateRecords.h
  PrivateAllocate = 58,
  PrivateFree = 59,
  PrivateResizeBegin = 60,
  PrivateResizeEnd = 61,
  AskDetours = 62,
  // ReportedRecords.h
  DevicePoolAllocate = 63,
  DevicePoolFree = 64,
  CollectedUse = 65,
  CollectedReserve = 66,
  // DeviceTimeRecords.h
  DeviceLaunch = 67,
  DeviceWorkDetail = 68,
  DeviceWork = 69,
  DeviceClock = 70,
  DeviceWorkLost = 71,
  OperatorWork = 72, ///< ScopeRecords.h
};
inline constexpr uint8_t NumRecordKinds = 73;

/// One entry of a ring. Times rise within a ring, except those of signal
/// handlers, which may be slightly before the time of the preceding record.
struct Record {
  uint64_t Tsc;
  uint64_t Address;
  uint64_t SizeKindFunction; ///< bits 0-47 size, 48-55 kind, 56-63 function
  uint32_t Stack;
  uint32_t Extra;

  static constexpr uint64_t MaxSize = (1ull << 48) - 1;
  constexpr uint64_t size() const { return SizeKindFunction & MaxSize; }
  constexpr uint8_t kind() const { return uint8_t(SizeKindFunction >> 48); }
  constexpr uint8_t function() const { return uint8_t(SizeKindFunction >> 56); }
  constexpr bool is(RecordKind K) const { return kind() == uint8_t(K); }
};
static_assert(sizeof(Record) == 32);

//===----------------------------------------------------------------------===//
// Slots: the places of a record in which a member can stand
//===----------------------------------------------------------------------===//

/// Bits Mask of the address, in place.
template <uint64_t Mask> struct AddressBits {
  static constexpr uint64_t get(const Record &R) { return R.Address & Mask; }
  static constexpr void put(Record &R, uint64_t V) { R.Address |= V & Mask; }
};
using InAddress = AddressBits<~uint64_t(0)>;

/// 48 bits; larger values are clamped to the maximum.
struct InSize {
  static constexpr uint64_t get(const Record &R) { return R.size(); }
  static constexpr void put(Record &R, uint64_t V) {
    R.SizeKindFunction |= V > Record::MaxSize ? Record::MaxSize : V;
  }
};
/// Count bits of the size from bit From on.
template <unsigned From, unsigned Count> struct SizeBits {
  static constexpr uint64_t Mask = (uint64_t(1) << Count) - 1;
  static_assert(From + Count <= 48);
  static constexpr uint64_t get(const Record &R) {
    return R.SizeKindFunction >> From & Mask;
  }
  static constexpr void put(Record &R, uint64_t V) {
    R.SizeKindFunction |= (V & Mask) << From;
  }
};
/// 8 bits.
struct InFunction {
  static constexpr uint64_t get(const Record &R) { return R.function(); }
  static constexpr void put(Record &R, uint64_t V) {
    R.SizeKindFunction |= V << 56;
  }
};
/// 32 bits.
struct InStack {
  static constexpr uint64_t get(const Record &R) { return R.Stack; }
  static constexpr void put(Record &R, uint64_t V) { R.Stack = uint32_t(V); }
};
/// 32 bits.
struct InExtra {
  static constexpr uint64_t get(const Record &R) { return R.Extra; }
  static constexpr void put(Record &R, uint64_t V) { R.Extra = uint32_t(V); }
};
/// 64 bits, the low half in the stack's bits.
struct InStackAndExtra {
  static constexpr uint64_t get(const Record &R) {
    return uint64_t(R.Extra) << 32 | R.Stack;
  }
  static constexpr void put(Record &R, uint64_t V) {
    R.Stack = uint32_t(V);
    R.Extra = uint32_t(V >> 32);
  }
};
/// 64 bits, the low 48 in the size's bits.
struct InSizeAndExtra {
  static constexpr uint64_t get(const Record &R) {
    return uint64_t(R.Extra) << 48 | R.size();
  }
  static constexpr void put(Record &R, uint64_t V) {
    R.SizeKindFunction |= V & Record::MaxSize;
    R.Extra = uint32_t(V >> 48);
  }
};

/// Kinds of records: each header below has its own list, and Records.h has all.
template <class... Ts> struct RecordList {
  static constexpr size_t Size = sizeof...(Ts);
};

/// The kind of a record and the slots of its members, in the members' order.
template <RecordKind K, class... Slots> struct RecordLayout {
  static constexpr RecordKind Kind = K;

  template <class... Values>
  static constexpr Record encode(const Values &...V) {
    static_assert(sizeof...(Values) == sizeof...(Slots));
    Record R{0, 0, uint64_t(K) << 48, 0, 0};
    (Slots::put(R, uint64_t(V)), ...);
    return R;
  }
  template <class T> static constexpr T decode(const Record &R) {
    return T{SlotValue{Slots::get(R)}...};
  }
  static constexpr size_t NumMembers = sizeof...(Slots);

private:
  /// Converts to any integral or enumeration type.
  struct SlotValue {
    uint64_t V;
    template <class T> constexpr operator T() const { return T(V); }
  };
};

/// The 32 bytes of a typed record. Tsc is 0: the ring's writer reads the clock.
template <class T> constexpr Record encode(const T &What) {
  using Layout = typename T::Layout;
  constexpr size_t N = Layout::NumMembers;
  static_assert(N >= 1 && N <= 5);
  if constexpr (N == 1) {
    const auto &[A] = What;
    return Layout::encode(A);
  } else if constexpr (N == 2) {
    const auto &[A, B] = What;
    return Layout::encode(A, B);
  } else if constexpr (N == 3) {
    const auto &[A, B, C] = What;
    return Layout::encode(A, B, C);
  } else if constexpr (N == 4) {
    const auto &[A, B, C, D] = What;
    return Layout::encode(A, B, C, D);
  } else {
    const auto &[A, B, C, D, E] = What;
    return Layout::encode(A, B, C, D, E);
  }
}

/// As encode(), at a given time, for tests and replays.
template <class T> constexpr Record encodeAt(uint64_t Tsc, const T &What) {
  Record R = encode(What);
  R.Tsc = Tsc;
  return R;
}

/// The typed record of a record of kind T. Members have the values that the
/// program wrote: an enumeration may have an unknown value.
template <class T> constexpr T decode(const Record &R) {
  return T::Layout::template decode<T>(R);
}

} // namespace memkit::wire

#endif // MEMKIT_LIB_WIRE_RECORD_H
